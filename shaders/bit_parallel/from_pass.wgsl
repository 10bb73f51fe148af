// bit_parallel/from_pass: boundaries of the strips of one pass over the whole table.
//
// Grid:     x, y: strips params.first_strip to params.last_strip; strip s lags strip s-1 by
//           params.lag steps. z: directions; sweeping from both ends at once halves the longest
//           chain of steps.
// Boundary: above[] holds the carry words below the last finished strip, overwritten in place. lag
//           >= STEPS + LANES - 1 prevents a pass from reading a word that it also writes.
// Part of:  strip_sweep.wgsl. Twin: from_checkpoint.wgsl.
struct Params {
    first_strip: u32,    // of this pass
    last_strip: u32,     // inclusive
    strips: u32,         // of one direction's table
    directions: u32,
    words: u32,          // column words of one direction
    pass_step: u32,      // steps before this pass, at strip 0
    lag: u32,            // steps by which a strip lags the one above
    direction_words: u32, // column words of one direction, including padding
    checkpoint_strip: u32,     // stored: first strip of the checkpoint
    checkpoint_strips: u32,    // stored: strips of the checkpoint
    checkpoint_words: u32,     // stored: start of the checkpoint in its buffer
    checkpoint_step: u32,      // stored: steps of the checkpoint before this pass
}

const LANE_WORDS = VERTICAL * LIMBS + HORIZONTAL;

// [direction][strip][LANE_WORDS][lane]
@group(0) @binding(0) var<storage, read_write> state: array<u32>;
// [HORIZONTAL][direction][LANES + words + LANES]
@group(0) @binding(3) var<storage, read_write> above: array<u32>;

struct Replay {
    used: bool,
    strip: u32,
    words: vec2<u32>,    // column words of the strip: first, end
    direction: u32,
    begin: i32,    // column word of lane 0 at the first step
}

fn locate(group: vec3<u32>, groups: vec3<u32>) -> Replay {
    let strip = params.first_strip + group.y * groups.x + group.x;
    let begin = i32(params.pass_step) - i32(strip * params.lag);
    let words = span(group.z, strip);
    return Replay(strip <= params.last_strip && words.x < words.y, strip, words, group.z, begin);
}

fn place(replay: Replay, i: u32, lane: u32) -> u32 {
    return ((replay.direction * params.strips + replay.strip) * LANE_WORDS + i) * LANES + lane;
}

fn load_word(replay: Replay, i: u32, lane: u32) -> u32 {
    return state[place(replay, i, lane)];
}

fn store_word(replay: Replay, i: u32, lane: u32, word: u32) {
    state[place(replay, i, lane)] = word;
}

fn row(replay: Replay, h: u32) -> u32 {
    return (h * params.directions + replay.direction) * (params.words + 2u * LANES) + LANES;
}

fn load_above(replay: Replay, h: u32, step: u32) -> u32 {
    return above[row(replay, h) + step];
}

fn store_below(replay: Replay, h: u32, place: u32, word: u32) {
    above[row(replay, h) + place] = word;
}
