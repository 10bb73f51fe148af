// strips/history_kept: the sweep for a path keeps the boundaries of its tiles.
//
// Record:   one for HISTORY_LANES neighbouring lanes and HISTORY_STEPS steps: for each lane its limbs and the carry word in
//           flight at the first step, then the carry words that entered the first lane, one a step.
// Slot:     the records of the strips that any pass of the slot touches, from params.slot_strip on.
const RECORD = HISTORY_LANES * (LIMBS + 1u) + HISTORY_STEPS;

@group(0) @binding(4) var<storage, read_write> history: array<u32>;    // [strip][lane / HISTORY_LANES][RECORD]

fn record(strip: u32, lane: u32) -> u32 {
    let first = (strip - params.slot_strip) * (LANES / HISTORY_LANES) + lane / HISTORY_LANES;
    return params.slot_words + first * RECORD;
}

fn keep_state(strip: u32, lane: u32, v: ptr<function, array<u32, LIMBS>>, in_flight: u32) {
    if params.slot_step == 0u {
        let first = record(strip, lane) + (lane % HISTORY_LANES) * (LIMBS + 1u);
        for (var limb = 0u; limb < LIMBS; limb++) {
            history[first + limb] = (*v)[limb];
        }
        history[first + LIMBS] = in_flight;
    }
}

fn keep_carries(strip: u32, lane: u32, step: u32, carries: u32) {
    if lane % HISTORY_LANES == 0u {
        history[record(strip, lane) + HISTORY_LANES * (LIMBS + 1u) + params.slot_step + step] = carries;
    }
}
