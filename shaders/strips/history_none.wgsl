// strips/history_none: the sweep for the last column alone keeps nothing behind.
fn keep_state(direction: u32, strip: u32, lane: u32, v: ptr<function, Differences>, in_flight: Carries) {}

fn keep_carries(direction: u32, strip: u32, lane: u32, step: u32, carries: Carries) {}
