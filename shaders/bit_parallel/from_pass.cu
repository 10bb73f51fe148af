// bit_parallel/from_pass: the strips of one pass over the whole table.
//
// Grid, boundary: as in from_pass.wgsl.
// Part of:  strip_sweep.cu. Twin: from_checkpoint.cu.
struct Params {
    u32 first_strip;    // of this pass
    u32 last_strip;     // inclusive
    u32 strips;         // of one direction's table
    u32 directions;
    u32 words;          // column words of one direction
    u32 pass_step;      // steps before this pass, at strip 0
    u32 lag;            // steps between neighbouring strips
    u32 direction_words; // column words of one direction, padding included
    u32 checkpoint_strip;     // stored: first strip of the checkpoint
    u32 checkpoint_strips;    // stored: strips of the checkpoint
    u32 checkpoint_words;     // stored: where the checkpoint starts in its buffer
    u32 checkpoint_step;      // stored: steps of the checkpoint before this pass
};

constexpr u32 LANE_WORDS = VERTICAL * LIMBS + HORIZONTAL;

BINDING(0, u32, state)    // [direction][strip][LANE_WORDS][lane]
BINDING(3, u32, above)    // [HORIZONTAL][direction][LANES + words + LANES]

struct Replay {
    bool used;
    u32 strip;
    u32x2 words;    // those of the strip: the first, and the end
    u32 direction;
    i32 begin;      // column word of lane 0 at the first step
};

DEVICE Replay locate(const Arguments& at, u32x3 group, u32x3 groups) {
    const Params& params = PARAMS(at);
    const u32 strip = params.first_strip + group.y * groups.x + group.x;
    const i32 begin = i32(params.pass_step) - i32(strip * params.lag);
    // The last group may lie behind the last strip.
    const u32x2 words = span(at, params, group.z, min(strip, params.strips - 1u));
    return {strip <= params.last_strip && words.x < words.y, strip, words, group.z, begin};
}

DEVICE u32 place(const Arguments& at, const Replay& replay, u32 i, u32 lane) {
    return ((replay.direction * PARAMS(at).strips + replay.strip) * LANE_WORDS + i) * LANES + lane;
}

DEVICE u32 load_word(const Arguments& at, const Replay& replay, u32 i, u32 lane) {
    return state(at)[place(at, replay, i, lane)];
}

DEVICE void store_word(const Arguments& at, const Replay& replay, u32 i, u32 lane, u32 word) {
    state(at)[place(at, replay, i, lane)] = word;
}

DEVICE u32 row(const Arguments& at, const Replay& replay, u32 h) {
    const Params& params = PARAMS(at);
    return (h * params.directions + replay.direction) * (params.words + 2u * LANES) + LANES;
}

DEVICE u32 load_above(const Arguments& at, const Replay& replay, u32 h, u32 step) {
    return above(at)[row(at, replay, h) + step];
}

DEVICE void store_below(const Arguments& at, const Replay& replay, u32 h, u32 place, u32 word) {
    above(at)[row(at, replay, h) + place] = word;
}
