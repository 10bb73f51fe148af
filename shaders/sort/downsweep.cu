// sort/downsweep: writes the keys that each workgroup has to where their digit belongs, in order.
//
// Method:   the second half of reduce-then-scan (Merrill and Grimshaw 2011, doi:10.1142/S0129626411000187). A tile is sorted in
//           workgroup memory first, so that keys of a digit are written side by side.
// Grid, phases, padding, chunks: as in downsweep.wgsl.
// Parts:    a key, a payload, a rank and a sum. Host: src/sort/plan.rs.
constexpr u32 SUBGROUPS = LANES / SUBGROUP;
// Digits that a lane looks after.
constexpr u32 DIGITS = RADIX / LANES;

BINDING(1, const Key, keys)     // [keys of the chunk]
BINDING(2, Key, sorted_keys)    // [keys of the chunk that is written]
BINDING(3, const u32, counts)   // as scan.cu leaves them

__shared__ u32 wg_words[TILE];      // one word of every key, or the payload, by rank
__shared__ u32 wg_begins[RADIX];    // the rank of a digit's first key
__shared__ u32 wg_shifts[RADIX];    // from the rank to the place among all keys

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const Range range = range_of(at, group().x);
    if (range.first >= range.end) {
        return;
    }

    // Phase 1: keys of lower digits, and those of the digit that workgroups before have.
    u32 places[DIGITS];
    u32 total = 0u;
#pragma unroll
    for (u32 i = 0u; i < DIGITS; i++) {
        places[i] = counts(at)[RADIX * params.columns + lane * DIGITS + i];
        total += places[i];
    }
    u32 lower = sum_before(lane, total);
#pragma unroll
    for (u32 i = 0u; i < DIGITS; i++) {
        const u32 of_digit = places[i];
        places[i] = lower + counts(at)[(lane * DIGITS + i) * params.columns + params.column + group().x];
        lower += of_digit;
    }

    const u32 subgroup = lane / SUBGROUP;
    const u32 within = subgroup * (SUBGROUP * STEPS) + lane % SUBGROUP;
    for (u32 tile = range.first; tile < range.end; tile += TILE) {
        const u32 there = min(range.end - tile, TILE);

        // Phase 2: ranks among the keys of the same digit and subgroup.
        Key own[STEPS];
        u32 ranks[STEPS];
#pragma unroll
        for (u32 step = 0u; step < STEPS; step++) {
            own[step] = GREATEST;
            if (within + step * SUBGROUP < there) {
                own[step] = keys(at)[tile + within + step * SUBGROUP];
            }
        }
        clear_counts(lane);
        barrier();
#pragma unroll
        for (u32 step = 0u; step < STEPS; step++) {
            ranks[step] = rank_of(lane, digit_of(at, own[step]));
        }
        barrier();

        // Phase 3: ranks in the tile, and where they lead.
        u32 of_digits[DIGITS];
        total = 0u;
#pragma unroll
        for (u32 i = 0u; i < DIGITS; i++) {
            of_digits[i] = 0u;
#pragma unroll
            for (u32 other = 0u; other < SUBGROUPS; other++) {
                const u32 place = other * RADIX + lane * DIGITS + i;
                const u32 count = wg_counts[place];
                wg_counts[place] = of_digits[i];
                of_digits[i] += count;
            }
            total += of_digits[i];
        }
        u32 begin = sum_before(lane, total);
#pragma unroll
        for (u32 i = 0u; i < DIGITS; i++) {
            wg_begins[lane * DIGITS + i] = begin;
            wg_shifts[lane * DIGITS + i] = places[i] - begin;
            begin += of_digits[i];
            places[i] += of_digits[i];
        }
        barrier();
#pragma unroll
        for (u32 step = 0u; step < STEPS; step++) {
            const u32 digit = digit_of(at, own[step]);
            ranks[step] += wg_begins[digit] + wg_counts[subgroup * RADIX + digit];
        }

        // Phase 4: keys change places word by word, and each lane writes every LANES-th.
#pragma unroll
        for (u32 word = 0u; word < KEY_WORDS; word++) {
#pragma unroll
            for (u32 step = 0u; step < STEPS; step++) {
                wg_words[ranks[step]] = word_of(own[step], word);
            }
            barrier();
#pragma unroll
            for (u32 step = 0u; step < STEPS; step++) {
                own[step] = with_word(own[step], word, wg_words[step * LANES + lane]);
            }
            barrier();
        }
        u32 into[STEPS];
#pragma unroll
        for (u32 step = 0u; step < STEPS; step++) {
            const u32 rank = step * LANES + lane;
            // Past the chunk where the key is padding.
            into[step] = params.into_keys;
            if (rank < there) {
                into[step] = rank + wg_shifts[digit_of(at, own[step])] - params.into_first;
            }
            if (into[step] < params.into_keys) {
                sorted_keys(at)[into[step]] = own[step];
            }
        }

        // Phase 5: the payload goes the same way.
        if (PAYLOAD) {
#pragma unroll
            for (u32 step = 0u; step < STEPS; step++) {
                if (within + step * SUBGROUP < there) {
                    wg_words[ranks[step]] = load_payload(at, tile + within + step * SUBGROUP);
                }
            }
            barrier();
#pragma unroll
            for (u32 step = 0u; step < STEPS; step++) {
                if (into[step] < params.into_keys) {
                    store_payload(at, into[step], wg_words[step * LANES + lane]);
                }
            }
        }
        // The next tile writes what slow lanes still read.
        barrier();
    }
}
