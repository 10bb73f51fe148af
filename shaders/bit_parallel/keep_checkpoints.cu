// bit_parallel/keep_checkpoints: keeps the boundaries of strips, one checkpoint every
// CHECKPOINT_STEPS steps, for a traceback.
//
// Record, checkpoint: as in keep_checkpoints.wgsl.
constexpr u32 CHECKPOINT_RECORD = LANES * LANE_WORDS + HORIZONTAL * CHECKPOINT_STEPS;

BINDING(4, u32, stored)    // [direction][strip][CHECKPOINT_RECORD]

struct Kept {};

DEVICE u32 record(const Arguments& at, const Replay& replay) {
    const Params& params = PARAMS_OF(at, replay.pass);
    const u32 strip = replay.direction * params.checkpoint_strips + replay.strip - params.checkpoint_strip;
    return params.checkpoint_words + strip * CHECKPOINT_RECORD;
}

// A strip that starts within a pass starts from its first column and stores nothing.
DEVICE void keep_start(const Arguments& at, const Replay& replay, u32 lane, const Differences& v, const Carries& in_flight) {
    if (PARAMS_OF(at, replay.pass).checkpoint_step == 0u && replay.begin >= i32(replay.words.x)) {
        const u32 first = record(at, replay) + lane;
#pragma unroll
        for (u32 i = 0u; i < VERTICAL * LIMBS; i++) {
            stored(at)[first + i * LANES] = v[i];
        }
#pragma unroll
        for (u32 h = 0u; h < HORIZONTAL; h++) {
            stored(at)[first + (VERTICAL * LIMBS + h) * LANES] = in_flight[h];
        }
    }
}

DEVICE void keep_above(const Arguments& at, const Replay& replay, u32 h, u32 step, u32 word) {
    const u32 first = record(at, replay) + LANES * LANE_WORDS;
    stored(at)[first + h * CHECKPOINT_STEPS + PARAMS_OF(at, replay.pass).checkpoint_step + step] = word;
}

DEVICE void keep_step(const Arguments& at, const Replay& replay, u32 lane, u32 step, const Differences& v) {}

DEVICE void keep_carries(Kept& kept, u32 step, const Carries& carries) {}

DEVICE void keep_limb(Kept& kept, u32 limb, Carries carries) {}

DEVICE void keep_pairs(const Arguments& at, Kept& kept, const Replay& replay, u32 lane, u32 step, bool last) {}
