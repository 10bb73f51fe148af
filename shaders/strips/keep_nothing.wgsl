// strips/keep_nothing: the sweep for the last column alone keeps nothing behind.
fn keep_state(frame: Frame, lane: u32, step: u32, v: ptr<function, Differences>, in_flight: Carries) {}

fn keep_carries(frame: Frame, lane: u32, step: u32, carries: Carries) {}
