// strips/history_none: the sweep for the length alone keeps nothing behind.
fn keep_state(strip: u32, lane: u32, v: ptr<function, array<u32, LIMBS>>, in_flight: u32) {}

fn keep_carries(strip: u32, lane: u32, step: u32, carries: u32) {}
