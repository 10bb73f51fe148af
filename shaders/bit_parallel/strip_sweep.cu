// bit_parallel/strip_sweep: advances strips of a table by STEPS column words each.
//
// Recurrence, grid, phases, padding: as in strip_sweep.wgsl.
// Parts:    hand_over_*.cu, match_*.cu, limbs.cu, span_*.cu, from_*.cu, keep_*.cu. Host: src/pairwise/bit_parallel/gpu/plan.rs.
__shared__ u32 wg_above[HORIZONTAL * STEPS];    // the carry words that enter the strip
__shared__ u32 wg_below[HORIZONTAL * STEPS];    // those that leave it

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

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const Replay replay = locate(at, group(), groups());
    if (!replay.used) {
        return;
    }
    const u32x2 words = replay.words;
    const u32 first = u32(max(replay.begin, i32(words.x)));
    const u32 end = u32(clamp(replay.begin + i32(STEPS), 0, i32(words.y + LANES - 1u)));

    // Phase 1: load.
    const u32 first_word = replay.direction * params.direction_words + LANES - lane;
    constexpr u32 UNITS = COLUMNS / UNIT;
    Differences v;
#pragma unroll
    for (u32 i = 0u; i < VERTICAL * LIMBS; i++) {
        v[i] = load_word(at, replay, i, lane);
    }
    Carries carries;
#pragma unroll
    for (u32 h = 0u; h < HORIZONTAL; h++) {
        carries[h] = load_word(at, replay, VERTICAL * LIMBS + h, lane);
    }
    Kept kept = {};
    keep_start(at, replay, lane, v, carries);
    const Rows rows =
        load_rows(at, replay.direction * params.strips + replay.strip, lane, params.strips * params.directions);
    for (u32 h = 0u; h < HORIZONTAL; h++) {
        for (u32 step = first + lane; step < end; step += LANES) {
            const u32 word = load_above(at, replay, h, step);
            wg_above[h * STEPS + step - first] = word;
            keep_above(at, replay, h, u32(i32(step) - replay.begin), word);
        }
    }
    barrier();

    // Phase 2: sweep. The codes of the next columns are loaded before these are used.
    Codes next_codes = load_codes(at, params, (first_word + first) * UNITS);
#pragma unroll 1
    for (u32 step = first; step < end; step++) {
        keep_step(at, replay, lane, u32(i32(step) - replay.begin), v);
#pragma unroll
        for (u32 h = 0u; h < HORIZONTAL; h++) {
            carries[h] = hand_over(lane, step * HORIZONTAL + h, carries[h]);
            if (lane == 0u) {
                carries[h] = wg_above[h * STEPS + step - first];
            }
        }
        keep_carries(kept, u32(i32(step) - replay.begin), carries);
        const bool inside = step - lane - words.x < words.y - words.x;
        const Carries entering = carries;
        carries = {};
#pragma unroll 1
        for (u32 unit = 0u; unit < UNITS; unit++) {
            const Codes codes = next_codes;
            next_codes = load_codes(at, params, (first_word + step) * UNITS + unit + 1u);
            if (inside || !(SKIPS || SPANS)) {
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
                wg_below[h * STEPS + step - first] = carries[h];
            }
        }
    }
    barrier();

    // Phase 3: store. The last lane is LANES - 1 words behind.
    for (u32 h = 0u; h < HORIZONTAL; h++) {
        for (u32 step = max(first, words.x + LANES - 1u) + lane; step < end; step += LANES) {
            store_below(at, replay, h, step + 1u - LANES, wg_below[h * STEPS + step - first]);
        }
    }
#pragma unroll
    for (u32 i = 0u; i < VERTICAL * LIMBS; i++) {
        store_word(at, replay, i, lane, v[i]);
    }
#pragma unroll
    for (u32 h = 0u; h < HORIZONTAL; h++) {
        store_word(at, replay, VERTICAL * LIMBS + h, lane, carries[h]);
    }
}
