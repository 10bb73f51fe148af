// bit_parallel/keep_nothing: keeps no boundaries, for sweeps that need the last column only.
fn keep_start(replay: Replay, lane: u32, v: ptr<function, Differences>, in_flight: Carries) {}

fn keep_above(replay: Replay, h: u32, step: u32, word: u32) {}

fn keep_step(replay: Replay, lane: u32, step: u32, v: ptr<function, Differences>, in_flight: Carries) {}

fn keep_carries(replay: Replay, lane: u32, step: u32, carries: Carries) {}

fn keep_limb(limb: u32, carries: Carries) {}

fn keep_pairs(replay: Replay, lane: u32, step: u32, last: bool) {}
