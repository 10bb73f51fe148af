// bit_parallel/strip_sweep: advances strips of a table by STEPS column words each.
//
// Recurrence, phases, padding: as in strip_sweep.wgsl.
// Carries:  in registers a word has its first column in the highest bit, as the additions need it;
//           in memory in the lowest, as in the twin.
// Grid:     as in the twin. A launch may have many passes; a strip stays in registers between them.
// Parts:    hand_over_*.cu, match_*.cu, limbs.cu, span_*.cu, from_*.cu, keep_*.cu.
// Host:     src/sequences/bit_parallel/gpu/plan.rs.
__shared__ u32 wg_above[HORIZONTAL * STEPS];    // carry words into the strip
__shared__ u32 wg_below[HORIZONTAL * STEPS];    // carry words out of the strip

// Moves the carry words of a pass between strips through workgroup memory.
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

    DEVICE u32 until(u32 end) { return end; }

    DEVICE void reach(const Arguments& at, const Replay& replay, u32 lane, u32 step) {}

    DEVICE u32 above(const Arguments& at, const Replay& replay, u32 lane, u32 h, u32 step, u32 first) {
        return lane == 0u ? reversed(wg_above[h * STEPS + step - first], COLUMNS) : 0u;
    }

    DEVICE void below(const Arguments& at, const Replay& replay, u32 h, u32 step, u32 first, u32 word) {
        wg_below[h * STEPS + step - first] = reversed(word, COLUMNS);
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

// True if words outside of the strip's range are swept as blank ones.
constexpr bool BLANKS = SPANS && !SKIPS;

// True if the lane's word at this step is in the strip's range.
DEVICE bool is_inside(const Replay& replay, u32 step, u32 lane) {
    return step - lane - replay.words.x < replay.words.y - replay.words.x;
}

// Returns the carries of the lane above.
DEVICE Carries hand_over_all(u32 lane, u32 step, const Carries& carries) {
    Carries given;
#pragma unroll
    for (u32 h = 0u; h < HORIZONTAL; h++) {
        given[h] = hand_over(lane, step * HORIZONTAL + h, carries[h]);
    }
    return given;
}

// Stores the carries out of the last lane, and so out of the strip.
template <class Between> DEVICE void store_leaving(
    Between& between, const Arguments& at, const Replay& replay, u32 lane, u32 step, u32 first, const Carries& carries
) {
    if (lane == LANES - 1u) {
#pragma unroll
        for (u32 h = 0u; h < HORIZONTAL; h++) {
            between.below(at, replay, h, step, first, carries[h]);
        }
    }
}

KERNEL_OF_FEW_WARPS {
    const u32 lane = ::lane();
    const Turn turn = take_turn(at);
    Between<Staged> between = {};
    bool begun = false;
    Differences v;
    Carries carries;
    Rows rows;
    Codes codes;
    Opened first_column;    // of `codes`
    u32 next_unit;          // unit after `codes`
    Replay replay;
    for (u32 pass = 0u; pass < at.passes; pass++) {
        replay = locate(at, turn, pass);
        if (replay.used) {
            const Params& params = PARAMS_OF(at, pass);
            const u32x2 words = replay.words;
            const u32 first = u32(max(replay.begin, i32(words.x)));
            const u32 end = kept_in_registers(u32(clamp(replay.begin + i32(STEPS), 0, i32(words.y + LANES - 1u))));

            // Phase 1: load, unless kept in registers from the previous pass.
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
                next_unit = (replay.direction * params.direction_words + LANES - lane + first) * UNITS;
                codes = load_codes(at, params, next_unit++);
                if (BLANKS && !is_inside(replay, first, lane)) {
                    codes = {};
                }
                first_column = open_first(rows, codes);
            }
            Kept kept = {};
            keep_start(at, replay, lane, v, carries);
            between.open(at, replay, lane, first, end);

            // Phase 2: sweep. Latencies are overlapped: codes are loaded one unit ahead, the first
            //          column of a unit is opened and carries are handed to the next lane at the
            //          end of the previous step, and carries out of the strip are stored during the
            //          next step.
            Carries given = hand_over_all(lane, first, carries);
#pragma unroll 1
            for (u32 step = first; step < end;) {
                between.reach(at, replay, lane, step);
                const u32 stop = between.until(end);
#pragma unroll 1
                for (; step < stop; step++) {
                    keep_step(at, replay, lane, u32(i32(step) - replay.begin), v);
                    if (step > first) {
                        store_leaving(between, at, replay, lane, step - 1u, first, carries);
                    }
#pragma unroll
                    for (u32 h = 0u; h < HORIZONTAL; h++) {
                        const u32 above = between.above(at, replay, lane, h, step, first);
                        carries[h] = lane == 0u ? above : given[h];
                    }
                    keep_carries(kept, u32(i32(step) - replay.begin), carries);
                    const bool inside = is_inside(replay, step, lane);
                    // If columns of code 0 without carry change nothing, words outside are blanked
                    // instead of skipped: a branch would delay loads.
                    Carries entering = {};
#pragma unroll
                    for (u32 h = 0u; h < HORIZONTAL; h++) {
                        entering[h] = inside || !BLANKS ? carries[h] << (32u - COLUMNS) : 0u;
                    }
                    carries = {};
#pragma unroll 1
                    for (u32 unit = 0u; unit < UNITS; unit++) {
                        const Codes next_codes = load_codes(at, params, next_unit++);
                        if (inside || !SKIPS) {
                            sweep_eight(v, rows, first_block_of(codes, first_column), entering, carries, kept);
                            if (UNIT > 8u) {
                                sweep_eight(v, rows, block_of(codes, 8u), entering, carries, kept);
                            }
                        }
                        const bool blank = BLANKS && !is_inside(replay, step + (unit + 1u) / UNITS, lane);
                        codes = blank ? Codes{} : next_codes;
                        first_column = open_first(rows, codes);
                    }
                    given = hand_over_all(lane, step + 1u, carries);
                    if (inside) {
                        keep_pairs(at, kept, replay, lane, u32(i32(step) - replay.begin), step - lane + 1u == words.y);
                    }
                }
            }
            if (first < end) {
                store_leaving(between, at, replay, lane, end - 1u, first, carries);
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
