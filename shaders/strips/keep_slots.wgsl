// strips/keep_slots: the sweep for a path keeps the boundaries of its strips, a slot of SLOT_STEPS steps after the other.
//
// Record:   of one strip and slot: the differences and the carry words in flight at the first step, [LANE_WORDS][lane], then
//           the carry words that entered the first lane, [HORIZONTAL][SLOT_STEPS].
// Slot:     the records of the strips that any pass of the slot touches, params.slot_strips from params.slot_strip on.
const SLOT_RECORD = LANES * LANE_WORDS + HORIZONTAL * SLOT_STEPS;

@group(0) @binding(4) var<storage, read_write> history: array<u32>;    // [direction][strip][SLOT_RECORD]

fn record(frame: Frame) -> u32 {
    let strip = frame.direction * params.slot_strips + frame.strip - params.slot_strip;
    return params.slot_words + strip * SLOT_RECORD;
}

// A strip that starts within a pass starts from its first column.
fn keep_start(frame: Frame, lane: u32, v: ptr<function, Differences>, in_flight: Carries) {
    if params.slot_step == 0u && frame.begin >= i32(frame.words.x) {
        let first = record(frame) + lane;
        for (var i = 0u; i < VERTICAL * LIMBS; i++) {
            history[first + i * LANES] = (*v)[i];
        }
        for (var h = 0u; h < HORIZONTAL; h++) {
            history[first + (VERTICAL * LIMBS + h) * LANES] = in_flight[h];
        }
    }
}

fn keep_above(frame: Frame, h: u32, step: u32, word: u32) {
    history[record(frame) + LANES * LANE_WORDS + h * SLOT_STEPS + params.slot_step + step] = word;
}

fn keep_step(frame: Frame, lane: u32, step: u32, v: ptr<function, Differences>, in_flight: Carries) {}

fn keep_carries(frame: Frame, lane: u32, step: u32, carries: Carries) {}

fn keep_limb(limb: u32, carries: Carries) {}

fn keep_pairs(frame: Frame, lane: u32, step: u32, last: bool) {}
