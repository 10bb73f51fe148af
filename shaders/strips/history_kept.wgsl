// strips/history_kept: the sweep for a path keeps the boundaries of its tiles.
//
// Record:   one for HISTORY_LANES neighbouring lanes and HISTORY_STEPS steps: for each lane its differences and the carry words
//           in flight at the first step, then the carry words that entered the first lane, one a step.
// Slot:     the records of the strips that any pass of the slot touches, params.slot_strips from params.slot_strip on.
const RECORD = HISTORY_LANES * LANE_WORDS + HORIZONTAL * HISTORY_STEPS;

@group(0) @binding(4) var<storage, read_write> history: array<u32>;    // [direction][strip][lane / HISTORY_LANES][RECORD]

fn record(direction: u32, strip: u32, lane: u32) -> u32 {
    let slot_strip = direction * params.slot_strips + strip - params.slot_strip;
    let first = slot_strip * (LANES / HISTORY_LANES) + lane / HISTORY_LANES;
    return params.slot_words + first * RECORD;
}

fn keep_state(direction: u32, strip: u32, lane: u32, v: ptr<function, Differences>, in_flight: Carries) {
    if params.slot_step == 0u {
        let first = record(direction, strip, lane) + (lane % HISTORY_LANES) * LANE_WORDS;
        for (var i = 0u; i < VERTICAL * LIMBS; i++) {
            history[first + i] = (*v)[i];
        }
        for (var h = 0u; h < HORIZONTAL; h++) {
            history[first + VERTICAL * LIMBS + h] = in_flight[h];
        }
    }
}

fn keep_carries(direction: u32, strip: u32, lane: u32, step: u32, carries: Carries) {
    if lane % HISTORY_LANES == 0u {
        let first = record(direction, strip, lane) + HISTORY_LANES * LANE_WORDS + params.slot_step + step;
        for (var h = 0u; h < HORIZONTAL; h++) {
            history[first + h * HISTORY_STEPS] = carries[h];
        }
    }
}
