// bit_parallel/strip_sweep: advances strips of a table by STEPS column words each.
//
// Recurrence, phases, padding: as in strip_sweep.wgsl.
// Grid:     as there; a launch may have many passes, and a strip stays in registers from pass to pass.
// Parts:    hand_over_*.cu, match_*.cu, limbs.cu, span_*.cu, from_*.cu, keep_*.cu. Host: src/pairwise/bit_parallel/gpu/plan.rs.
__shared__ u32 wg_above[HORIZONTAL * STEPS];    // the carry words that enter the strip
__shared__ u32 wg_below[HORIZONTAL * STEPS];    // those that leave it

// Hands the carry words of a pass from strip to strip through workgroup memory.
struct Staged {
    DEVICE void open(const Arguments& at, const Replay& replay, u32 lane, u32 first, u32 end) {
        for (u32 h = 0u; h < HORIZONTAL; h++) {
            for (u32 step = first + lane; step < end; step += LANES) {
                const u32 word = load_above(at, replay, h, step);
                wg_above[h * STEPS + step - first] = word;
                keep_above(at, replay, h, u32(i32(step) - replay.begin), word);
            }
        }
        barrier();
    }

    DEVICE void reach(const Arguments& at, const Replay& replay, u32 lane, u32 step) {}

    DEVICE u32 above(const Arguments& at, const Replay& replay, u32 lane, u32 h, u32 step, u32 first) {
        return lane == 0u ? wg_above[h * STEPS + step - first] : 0u;
    }

    DEVICE void below(const Arguments& at, const Replay& replay, u32 h, u32 step, u32 first, u32 word) {
        wg_below[h * STEPS + step - first] = word;
    }

    // The last lane is LANES - 1 words behind.
    DEVICE void close(const Arguments& at, const Replay& replay, u32 lane, u32 first, u32 end) {
        barrier();
        for (u32 h = 0u; h < HORIZONTAL; h++) {
            for (u32 step = max(first, replay.words.x + LANES - 1u) + lane; step < end; step += LANES) {
                store_below(at, replay, h, step + 1u - LANES, wg_below[h * STEPS + step - first]);
            }
        }
    }
};

// Whether words outside of the strip's are swept as blank ones.
constexpr bool BLANKS = SPANS && !SKIPS;

// Returns the carries that leave the word so far, those of the eight columns from `column` on among them.
DEVICE Carries sweep_block(
    Differences& v,
    const Rows& rows,
    const Block& block,
    const Carries& entering,
    const Carries& before,
    u32 column,
    Kept& kept
) {
    Carries eight = entering;
#pragma unroll
    for (u32 h = 0u; h < HORIZONTAL; h++) {
        eight[h] >>= column;
    }
    eight = sweep_eight(v, rows, block, eight, kept);
    Carries leaving = before;
#pragma unroll
    for (u32 h = 0u; h < HORIZONTAL; h++) {
        leaving[h] |= eight[h] << column;
    }
    return leaving;
}

KERNEL_OF_FEW_WARPS {
    const u32 lane = ::lane();
    const Turn turn = take_turn(at);
    Between<Staged> between = {};
    bool begun = false;
    Differences v;
    Carries carries;
    Rows rows;
    Codes next_codes, later_codes;
    Replay replay;
    for (u32 pass = 0u; pass < at.passes; pass++) {
        replay = locate(at, turn, pass);
        if (replay.used) {
            const Params& params = PARAMS_OF(at, pass);
            const u32x2 words = replay.words;
            const u32 first = u32(max(replay.begin, i32(words.x)));
            const u32 end = u32(clamp(replay.begin + i32(STEPS), 0, i32(words.y + LANES - 1u)));

            // Phase 1: load, what was not kept from the pass before.
            const u32 first_word = replay.direction * params.direction_words + LANES - lane;
            constexpr u32 UNITS = COLUMNS / UNIT;
            if (!begun) {
                begun = true;
#pragma unroll
                for (u32 i = 0u; i < VERTICAL * LIMBS; i++) {
                    v[i] = load_word(at, replay, i, lane);
                }
#pragma unroll
                for (u32 h = 0u; h < HORIZONTAL; h++) {
                    carries[h] = load_word(at, replay, VERTICAL * LIMBS + h, lane);
                }
                const u32 strips = params.strips * params.directions;
                rows = load_rows(at, replay.direction * params.strips + replay.strip, lane, strips);
                next_codes = load_codes(at, params, (first_word + first) * UNITS);
                later_codes = load_codes(at, params, (first_word + first) * UNITS + 1u);
            }
            Kept kept = {};
            keep_start(at, replay, lane, v, carries);
            between.open(at, replay, lane, first, end);

            // Phase 2: sweep. Codes are loaded two units before they are used: one may be shorter than a load.
#pragma unroll 1
            for (u32 step = first; step < end; step++) {
                keep_step(at, replay, lane, u32(i32(step) - replay.begin), v);
                between.reach(at, replay, lane, step);
#pragma unroll
                for (u32 h = 0u; h < HORIZONTAL; h++) {
                    carries[h] = hand_over(lane, step * HORIZONTAL + h, carries[h]);
                    const u32 above = between.above(at, replay, lane, h, step, first);
                    carries[h] = lane == 0u ? above : carries[h];
                }
                keep_carries(kept, u32(i32(step) - replay.begin), carries);
                const bool inside = step - lane - words.x < words.y - words.x;
                // Where columns of code 0 without a carry change nothing, those outside become such: a branch would keep loads
                // from being started early.
                const Carries entering = inside || !BLANKS ? carries : Carries{};
                carries = {};
#pragma unroll 1
                for (u32 unit = 0u; unit < UNITS; unit++) {
                    const Codes codes = inside || !BLANKS ? next_codes : Codes{};
                    next_codes = later_codes;
                    later_codes = load_codes(at, params, (first_word + step) * UNITS + unit + 2u);
                    if (inside || !SKIPS) {
                        carries = sweep_block(v, rows, block_of(codes, 0u), entering, carries, unit * UNIT, kept);
                        if (UNIT > 8u) {
                            carries = sweep_block(v, rows, block_of(codes, 8u), entering, carries, unit * UNIT + 8u, kept);
                        }
                    }
                }
                if (inside) {
                    keep_pairs(at, kept, replay, lane, u32(i32(step) - replay.begin), step - lane + 1u == words.y);
                }
                if (lane == LANES - 1u) {
#pragma unroll
                    for (u32 h = 0u; h < HORIZONTAL; h++) {
                        between.below(at, replay, h, step, first, carries[h]);
                    }
                }
            }
            between.close(at, replay, lane, first, end);
        }
    }

    // Phase 3: store.
    if (begun) {
#pragma unroll
        for (u32 i = 0u; i < VERTICAL * LIMBS; i++) {
            store_word(at, replay, i, lane, v[i]);
        }
#pragma unroll
        for (u32 h = 0u; h < HORIZONTAL; h++) {
            store_word(at, replay, VERTICAL * LIMBS + h, lane, carries[h]);
        }
    }
}
