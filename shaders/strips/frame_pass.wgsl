// strips/frame_pass: the strips of one pass over the whole table.
//
// Grid:     in x and y the strips params.first_strip to params.last_strip, strip s lagging strip s-1 by params.lag steps; in
//           z the directions: a table is swept from both ends at once, which halves the longest chain of steps.
// Boundary: above[] holds the carry words below the last finished strip, overwritten in place: lag >= STEPS + LANES - 1 keeps
//           a pass from reading a word that the same pass writes.
// Part of:  strip_sweep.wgsl. Twin: frame_replay.wgsl.
struct Params {
    first_strip: u32,    // of this pass
    last_strip: u32,     // inclusive
    strips: u32,         // of one direction's table
    directions: u32,
    words: u32,          // column words of one direction
    pass_step: u32,      // steps before this pass, at strip 0
    lag: u32,            // steps between neighbouring strips
    direction_words: u32, // column words of one direction, padding included
    slot_strip: u32,     // history: first strip of the slot
    slot_strips: u32,    // history: strips of the slot
    slot_words: u32,     // history: where the slot starts in its buffer
    slot_step: u32,      // history: steps of the slot before this pass
}
var<immediate> params: Params;

const LANE_WORDS = VERTICAL * LIMBS + HORIZONTAL;

@group(0) @binding(0) var<storage, read_write> state: array<u32>;    // [direction][strip][LANE_WORDS][lane]
@group(0) @binding(3) var<storage, read_write> above: array<u32>;    // [HORIZONTAL][direction][LANES + words + LANES]

struct Frame {
    used: bool,
    strip: u32,
    words: vec2<u32>,    // those of the strip: the first, and the end
    direction: u32,
    begin: i32,    // column word of lane 0 at the first step
}

fn locate(group: vec3<u32>, groups: vec3<u32>) -> Frame {
    let strip = params.first_strip + group.y * groups.x + group.x;
    let begin = i32(params.pass_step) - i32(strip * params.lag);
    let words = span(group.z, strip);
    return Frame(strip <= params.last_strip && words.x < words.y, strip, words, group.z, begin);
}

fn place(frame: Frame, i: u32, lane: u32) -> u32 {
    return ((frame.direction * params.strips + frame.strip) * LANE_WORDS + i) * LANES + lane;
}

fn load_word(frame: Frame, i: u32, lane: u32) -> u32 {
    return state[place(frame, i, lane)];
}

fn store_word(frame: Frame, i: u32, lane: u32, word: u32) {
    state[place(frame, i, lane)] = word;
}

fn row(frame: Frame, h: u32) -> u32 {
    return (h * params.directions + frame.direction) * (params.words + 2u * LANES) + LANES;
}

fn load_above(frame: Frame, h: u32, step: u32) -> u32 {
    return above[row(frame, h) + step];
}

fn store_below(frame: Frame, h: u32, place: u32, word: u32) {
    above[row(frame, h) + place] = word;
}
