// bit_parallel/keep_checkpoints: keeps the boundaries of strips, one checkpoint every
// CHECKPOINT_STEPS steps, for a traceback.
//
// Record:   per strip and checkpoint: differences and carry words in flight at the first step,
//           [LANE_WORDS][lane], then the carry words that entered the first lane,
//           [HORIZONTAL][CHECKPOINT_STEPS].
// Checkpoint: records of the strips of all its passes, params.checkpoint_strips from
//             params.checkpoint_strip on.
const CHECKPOINT_RECORD = LANES * LANE_WORDS + HORIZONTAL * CHECKPOINT_STEPS;

// [direction][strip][CHECKPOINT_RECORD]
@group(0) @binding(4) var<storage, read_write> stored: array<u32>;

fn record(replay: Replay) -> u32 {
    let strip = replay.direction * params.checkpoint_strips + replay.strip - params.checkpoint_strip;
    return params.checkpoint_words + strip * CHECKPOINT_RECORD;
}

// A strip that starts within a pass starts from its first column and stores nothing.
fn keep_start(replay: Replay, lane: u32, v: ptr<function, Differences>, in_flight: Carries) {
    if params.checkpoint_step == 0u && replay.begin >= i32(replay.words.x) {
        let first = record(replay) + lane;
        for (var i = 0u; i < VERTICAL * LIMBS; i++) {
            stored[first + i * LANES] = (*v)[i];
        }
        for (var h = 0u; h < HORIZONTAL; h++) {
            stored[first + (VERTICAL * LIMBS + h) * LANES] = in_flight[h];
        }
    }
}

fn keep_above(replay: Replay, h: u32, step: u32, word: u32) {
    stored[record(replay) + LANES * LANE_WORDS + h * CHECKPOINT_STEPS + params.checkpoint_step + step] = word;
}

fn keep_step(replay: Replay, lane: u32, step: u32, v: ptr<function, Differences>, in_flight: Carries) {}

fn keep_carries(replay: Replay, lane: u32, step: u32, carries: Carries) {}

fn keep_limb(limb: u32, carries: Carries) {}

fn keep_pairs(replay: Replay, lane: u32, step: u32, last: bool) {}
