// bit_parallel/from_checkpoint: strips from stored boundaries, many at once, to keep finer boundaries of a part of the table.
//
// Grid:     in y the checkpoints from params.first_checkpoint on, in x strips of each: the first checkpoint's from params.first_strip on, those
//           of the next ones params.skew / 65536 further. Strips that a checkpoint or the table does not have do nothing. STEPS are
//           all steps of a checkpoint.
// Boundary: everything comes from the checkpoint's record, as keep_checkpoints.wgsl has left it; nothing goes back.
// Part of:  strip_sweep.wgsl. Twin: from_pass.wgsl.
struct Params {
    first_strip: u32,    // of this replay; it may lie before the table's first
    first_checkpoint: u32,     // of this replay
    strips: u32,         // of one direction's table
    directions: u32,
    words: u32,          // column words of one direction
    direction: u32,
    lag: u32,            // steps between neighbouring strips
    direction_words: u32, // column words of one direction, padding included
    skew: u32,           // strips from checkpoint to checkpoint, times 65536
    top_rows: u32,       // rows above the direction's first
    first_record: u32,   // of the direction's records of tiles
}

const LIMB_ROWS = 31u;
const LANE_WORDS = VERTICAL * LIMBS + HORIZONTAL;
const CHECKPOINT_RECORD = LANES * LANE_WORDS + HORIZONTAL * STEPS;

@group(0) @binding(3) var<storage, read> checkpoints: array<vec3<u32>>;    // [checkpoint]: first word, first strip, end of its strips
@group(0) @binding(4) var<storage, read> stored: array<u32>;        // [direction][strip][CHECKPOINT_RECORD] by checkpoint

struct Replay {
    used: bool,
    strip: u32,
    words: vec2<u32>,    // those of the strip: the first, and the end
    direction: u32,
    begin: i32,     // column word of lane 0 at the first step
    record: u32,    // where the strip's record starts
    job: u32,       // which of the records of tiles it fills
}

fn locate(group: vec3<u32>, groups: vec3<u32>) -> Replay {
    let strip = params.first_strip + ((group.y * params.skew) >> 16u) + group.x;
    let checkpoint = checkpoints[params.first_checkpoint + group.y];
    // Those before the first one have great numbers.
    let words = span(params.direction, min(strip, params.strips - 1u));
    let used = checkpoint.y <= strip && strip < checkpoint.z && words.x < words.y;
    let begin = i32((params.first_checkpoint + group.y) * STEPS) - i32(strip * params.lag);
    let record = checkpoint.x + (params.direction * (checkpoint.z - checkpoint.y) + strip - checkpoint.y) * CHECKPOINT_RECORD;
    let job = params.first_record + group.y * groups.x + group.x;
    return Replay(used, strip, words, params.direction, begin, record, job);
}

// A checkpoint that begins before the strip starts from the first column, which is flat above the first row.
fn load_word(replay: Replay, i: u32, lane: u32) -> u32 {
    if replay.begin < i32(replay.words.x) {
        let row = ((replay.strip * LANES + lane) * LIMBS + i) * LIMB_ROWS;
        let flat = select(0u, clamp(params.top_rows, row, row + LIMB_ROWS) - row, FLAT_ABOVE);
        return select(0u, ~0u << flat, i < LIMBS);
    }
    return stored[replay.record + i * LANES + lane];
}

fn load_above(replay: Replay, h: u32, step: u32) -> u32 {
    return stored[replay.record + LANES * LANE_WORDS + h * STEPS + u32(i32(step) - replay.begin)];
}

fn store_word(replay: Replay, i: u32, lane: u32, word: u32) {}

fn store_below(replay: Replay, h: u32, place: u32, word: u32) {}
