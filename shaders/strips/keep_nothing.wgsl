// strips/keep_nothing: the sweep for the last column alone keeps nothing behind.
fn keep_start(frame: Frame, lane: u32, v: ptr<function, Differences>, in_flight: Carries) {}

fn keep_above(frame: Frame, h: u32, step: u32, word: u32) {}

fn keep_step(frame: Frame, lane: u32, step: u32, v: ptr<function, Differences>, in_flight: Carries) {}

fn keep_carries(frame: Frame, lane: u32, step: u32, carries: Carries) {}

fn keep_limb(limb: u32, carries: Carries) {}

fn keep_pairs(frame: Frame, lane: u32, step: u32, last: bool) {}
