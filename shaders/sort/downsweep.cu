// sort/downsweep: scatters each workgroup's keys by digit, in order.
//
// Method:   second half of reduce-then-scan (Merrill and Grimshaw 2011,
//           doi:10.1142/S0129626411000187). A tile is sorted in workgroup memory first, so that
//           keys of a digit are written contiguously.
// Phases:   1 find the destination of each digit; per tile: 2 load and rank, 3 find the start of
//           each digit, 4 exchange keys and payloads, as many words at a time as fit, 5 store.
// Grid, padding, chunks: as in downsweep.wgsl.
// Parts:    a key, a payload, a rank and a sum. Host: src/sort/plan.rs.
constexpr u32 SUBGROUPS = LANES / SUBGROUP;
// Digits per lane.
constexpr u32 DIGITS = RADIX / LANES;
// Words of a key and its payload, and how many of them are exchanged at once: those that fit next
// to the counts into the default 48 KiB of workgroup memory.
constexpr u32 WORDS = KEY_WORDS + (PAYLOAD ? 1u : 0u);
constexpr u32 ROOM = ((48u << 10u) / 4u - RANK_WORDS - SUM_WORDS - 2u * RADIX) / TILE;
constexpr u32 AT_ONCE = ROOM < WORDS ? (ROOM > 1u ? ROOM : 1u) : WORDS;

BINDING(1, const Key, keys)     // [keys of the chunk]
BINDING(2, Key, sorted_keys)    // [keys of the destination chunk]
BINDING(3, const u32, counts)   // written by scan.cu

__shared__ u32 wg_words[AT_ONCE][TILE]; // words of keys and payloads, by rank
__shared__ u32 wg_begins[RADIX];        // rank of each digit's first key
__shared__ u32 wg_shifts[RADIX];        // from rank to global position

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const u32 group = params.first_group + ::group().x;
    const Range range = range_of(at, group);
    if (range.first >= range.end) {
        return;
    }

    // Phase 1: count lower digits, and this digit in earlier workgroups.
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
        places[i] = lower + counts(at)[(lane * DIGITS + i) * params.columns + params.column + group];
        lower += of_digit;
    }

    const u32 subgroup = lane / SUBGROUP;
    const u32 within = subgroup * (SUBGROUP * STEPS) + lane % SUBGROUP;
#pragma unroll 1
    for (u32 tile = range.first; tile < range.end; tile += TILE) {
        const u32 first = tile + within;

        // Phase 2: rank among the keys of the same digit and subgroup. Payloads are not waited for
        //          before phase 4.
        Key own[STEPS];
        u32 payload[STEPS];
        u32 ranks[STEPS];
#pragma unroll
        for (u32 step = 0u; step < STEPS; step++) {
            own[step] = GREATEST;
            payload[step] = 0u;
            if (first + step * SUBGROUP < range.end) {
                own[step] = keys(at)[first + step * SUBGROUP];
                payload[step] = load_payload(at, first + step * SUBGROUP);
            }
        }
        clear_counts(lane);
        barrier();
#pragma unroll
        for (u32 step = 0u; step < STEPS; step++) {
            ranks[step] = rank_of(lane, digit_of(own[step], params.shift, params.mask));
        }
        barrier();

        // Phase 3: ranks in the tile, and their destinations.
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
            const u32 digit = digit_of(own[step], params.shift, params.mask);
            ranks[step] += wg_begins[digit] + wg_counts[subgroup * RADIX + digit];
        }

        // Phase 4: from here on a lane holds every LANES-th rank.
#pragma unroll
        for (u32 done = 0u; done < WORDS; done += AT_ONCE) {
#pragma unroll
            for (u32 step = 0u; step < STEPS; step++) {
#pragma unroll
                for (u32 word = done; word < WORDS && word < done + AT_ONCE; word++) {
                    wg_words[word - done][ranks[step]] = word < KEY_WORDS ? word_of(own[step], word) : payload[step];
                }
            }
            barrier();
#pragma unroll
            for (u32 step = 0u; step < STEPS; step++) {
#pragma unroll
                for (u32 word = done; word < WORDS && word < done + AT_ONCE; word++) {
                    const u32 moved = wg_words[word - done][step * LANES + lane];
                    if (word < KEY_WORDS) {
                        own[step] = with_word(own[step], word, moved);
                    } else {
                        payload[step] = moved;
                    }
                }
            }
            // Slow lanes may still read what the next words, or the next tile, overwrite.
            barrier();
        }

        // Phase 5: store. Padding ranks after all keys.
#pragma unroll
        for (u32 step = 0u; step < STEPS; step++) {
            const u32 rank = step * LANES + lane;
            const u32 digit = digit_of(own[step], params.shift, params.mask);
            const u32 into = rank + wg_shifts[digit] - params.into_first;
            if (tile + rank < range.end && into < params.into_keys) {
                sorted_keys(at)[into] = own[step];
                store_payload(at, into, payload[step]);
            }
        }
    }
}
