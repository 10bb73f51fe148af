// bit_parallel/from_checkpoint: replays strips from checkpoints, to keep finer boundaries of a part
// of the table.
//
// Grid:     y: checkpoints from params.first_checkpoint on. x: strips of each; the first
//           checkpoint's start at params.first_strip, each next one's params.skew / 65536 strips
//           further. Strips outside of a checkpoint or of the table do nothing. STEPS covers all
//           steps of a checkpoint.
// Boundary: read from the checkpoint's record, as stored by keep_checkpoints.wgsl; nothing is
//           written back.
// Part of:  strip_sweep.wgsl. Twin: from_pass.wgsl.
struct Params {
    first_strip: u32,    // of this replay; may lie before the table's first strip
    first_checkpoint: u32,     // of this replay
    strips: u32,         // of one direction's table
    directions: u32,
    words: u32,          // column words of one direction
    direction: u32,
    lag: u32,            // steps by which a strip lags the one above
    direction_words: u32, // column words of one direction, including padding
    skew: u32,           // strips between consecutive checkpoints, times 65536
    top_rows: u32,       // rows above the direction's first row
    first_record: u32,   // first tile record of this direction
}

const LIMB_ROWS = 31u;
const LANE_WORDS = VERTICAL * LIMBS + HORIZONTAL;
const CHECKPOINT_RECORD = LANES * LANE_WORDS + HORIZONTAL * STEPS;

// [checkpoint]: first word, first strip, end of strips
@group(0) @binding(3) var<storage, read> checkpoints: array<vec3<u32>>;
// [direction][strip][CHECKPOINT_RECORD] per checkpoint
@group(0) @binding(4) var<storage, read> stored: array<u32>;

struct Replay {
    used: bool,
    strip: u32,
    words: vec2<u32>,    // column words of the strip: first, end
    direction: u32,
    begin: i32,     // column word of lane 0 at the first step
    record: u32,    // start of the strip's record
    job: u32,       // index of the tile record to fill
}

fn locate(group: vec3<u32>, groups: vec3<u32>) -> Replay {
    let strip = params.first_strip + ((group.y * params.skew) >> 16u) + group.x;
    let checkpoint = checkpoints[params.first_checkpoint + group.y];
    // Strips before the first one wrap to large numbers.
    let words = span(params.direction, min(strip, params.strips - 1u));
    let used = checkpoint.y <= strip && strip < checkpoint.z && words.x < words.y;
    let begin = i32((params.first_checkpoint + group.y) * STEPS) - i32(strip * params.lag);
    let record = checkpoint.x + (params.direction * (checkpoint.z - checkpoint.y) + strip - checkpoint.y) * CHECKPOINT_RECORD;
    let job = params.first_record + group.y * groups.x + group.x;
    return Replay(used, strip, words, params.direction, begin, record, job);
}

// If the checkpoint begins before the strip, the strip starts from its first column, which is flat
// above the first row.
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
