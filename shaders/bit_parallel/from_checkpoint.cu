// bit_parallel/from_checkpoint: replays strips from checkpoints, to keep finer boundaries of a part
// of the table.
//
// Grid, boundary: as in from_checkpoint.wgsl.
// Part of:  strip_sweep.cu. Twin: from_pass.cu.
struct Params {
    u32 first_strip;    // of this replay; may lie before the table's first strip
    u32 first_checkpoint;     // of this replay
    u32 strips;         // of one direction's table
    u32 directions;
    u32 words;          // column words of one direction
    u32 direction;
    u32 lag;            // steps by which a strip lags the one above
    u32 direction_words; // column words of one direction, including padding
    u32 skew;           // strips between consecutive checkpoints, times 65536
    u32 top_rows;       // rows above the direction's first row
    u32 first_record;   // first tile record of this direction
};

constexpr u32 LANE_WORDS = VERTICAL * LIMBS + HORIZONTAL;
constexpr u32 CHECKPOINT_RECORD = LANES * LANE_WORDS + HORIZONTAL * STEPS;

BINDING(3, const u32x3, checkpoints)    // [checkpoint]: first word, first strip, end of strips
BINDING(4, const u32, stored)           // [direction][strip][CHECKPOINT_RECORD] per checkpoint

struct Turn {
    u32x3 group;
    u32x3 groups;
};

struct Replay {
    bool used;
    u32 strip;
    u32x2 words;    // column words of the strip: first, end
    u32 direction;
    i32 begin;      // column word of lane 0 at the first step
    u32 record;     // start of the strip's record
    u32 job;        // index of the tile record to fill
};

// Every replay is a single pass, so the pass number is not used.
DEVICE Turn take_turn(const Arguments& at) { return {group(), groups()}; }

DEVICE Replay locate(const Arguments& at, const Turn& turn, u32) {
    const Params& params = PARAMS(at);
    const u32x3 group = turn.group;
    const u32 strip = params.first_strip + ((group.y * params.skew) >> 16u) + group.x;
    const u32x3 checkpoint = checkpoints(at)[params.first_checkpoint + group.y];
    // Strips before the first one wrap to large numbers.
    const u32x2 words = span(at, params, params.direction, min(strip, params.strips - 1u));
    const bool used = checkpoint.y <= strip && strip < checkpoint.z && words.x < words.y;
    const i32 begin = i32((params.first_checkpoint + group.y) * STEPS) - i32(strip * params.lag);
    const u32 record =
        checkpoint.x + (params.direction * (checkpoint.z - checkpoint.y) + strip - checkpoint.y) * CHECKPOINT_RECORD;
    const u32 job = params.first_record + group.y * turn.groups.x + group.x;
    return {used, strip, words, params.direction, begin, record, job};
}

// If the checkpoint begins before the strip, the strip starts from its first column, which is flat
// above the first row.
DEVICE u32 load_word(const Arguments& at, const Replay& replay, u32 i, u32 lane) {
    if (replay.begin < i32(replay.words.x)) {
        const u32 row = ((replay.strip * LANES + lane) * LIMBS + i) * LIMB_ROWS;
        const u32 flat = FLAT_ABOVE ? clamp(PARAMS(at).top_rows, row, row + LIMB_ROWS) - row : 0u;
        return i < LIMBS && flat < 32u ? ~0u << flat : 0u;
    }
    return stored(at)[replay.record + i * LANES + lane];
}

DEVICE u32 load_above(const Arguments& at, const Replay& replay, u32 h, u32 step) {
    return stored(at)[replay.record + LANES * LANE_WORDS + h * STEPS + u32(i32(step) - replay.begin)];
}

DEVICE void store_word(const Arguments& at, const Replay& replay, u32 i, u32 lane, u32 word) {}

DEVICE void store_below(const Arguments& at, const Replay& replay, u32 h, u32 place, u32 word) {}

template <class Staged> using Between = Staged;
