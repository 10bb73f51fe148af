// sort/onesweep: scatters keys by digit, in order, reading each key once.
//
// Method:   Onesweep (Adinets and Merrill 2022, arXiv:2206.01784): a tile obtains the number of
//           earlier keys of each digit from earlier tiles by decoupled look-back (Merrill and
//           Garland 2016, NVIDIA technical report NVR-2016-002).
// Grid:     a workgroup takes the next tile when it starts. All earlier tiles then belong to
//           workgroups that have started, so it may wait for their sums. Workgroups without a tile
//           exit.
// Phases:   1 load, 2 rank in the subgroup, 3 rank in the tile and publish the tile's sums, 4 look
//           back while keys are exchanged through workgroup memory, one word at a time, 5 store, 6
//           payload.
// Sums:     per digit and tile: a flag and a count, of the tile alone or of all tiles up to it; 0
//           until known. Two arrays alternate: while one is written, the other, which the previous
//           pass used, is cleared.
// Padding:  has the greatest digit and ranks after all keys.
// Parts:    a key, a payload, rank_subgroup and sum_subgroup. CUDA only: no other API guarantees
//           forward progress of started workgroups.
// Host:     src/sort/onesweep.rs.
struct Params {
    u32 keys;           // maximum length of the array
    u32 length_at;      // position of the number of keys in `length`
    u32 shift;          // bit position of the digit
    u32 mask;           // bits of the digit
    u32 begins_at;      // row of the digit in `begins`
    u32 ticket_at;      // position of the tile counter in `sums`
    u32 sums_at;        // start of the sums
    u32 cleared_at;     // start of the sums to clear
};

constexpr u32 SUBGROUPS = LANES / SUBGROUP;
static_assert(LANES >= RADIX, "a lane looks after a digit");
static_assert(STEPS % 2u == 0u && TILE <= 1u << 16u, "two ranks are a word");

// Flags of a count: of the tile alone, or of all tiles up to it. Counts are below both.
constexpr u32 OF_TILE = 1u << 30u;
constexpr u32 OF_ALL = 1u << 31u;
constexpr u32 SUM = OF_TILE - 1u;
// Sums that a lane loads at once during look-back.
constexpr u32 LOOK = 4u;

BINDING(0, const u32, length)
BINDING(1, const Key, keys)         // [keys]
BINDING(2, Key, sorted_keys)        // [keys]
BINDING(3, const u32, begins)       // [digits of a key][RADIX], from onesweep_scan.wgsl
// [2][tiles][RADIX], then a tile counter per digit of a key; zero before the first pass
BINDING(6, u32, sums)

__shared__ u32 wg_words[TILE];      // one word of each key or payload, by rank
__shared__ u32 wg_shifts[RADIX];    // from rank to global position
__shared__ u32 wg_tile;

// Number of keys of a digit in all earlier tiles; `of_digit` is the start of its sums.
DEVICE u32 look_back(const u32* of_digit, u32 tile) {
    u32 sum = 0u;
    u32 left = tile;
    while (left > 0u) {
        u32 words[LOOK];
#pragma unroll
        for (u32 i = 0u; i < LOOK; i++) {
            words[i] = i < left ? load_relaxed(of_digit + (left - 1u - i) * RADIX) : 0u;
        }
        bool goes_on = true;
#pragma unroll
        for (u32 i = 0u; i < LOOK; i++) {
            // Missing sums are loaded again.
            goes_on = goes_on && words[i] != 0u;
            if (goes_on) {
                sum += words[i] & SUM;
                left -= 1u;
                if (words[i] >= OF_ALL) {
                    goes_on = false;
                    left = 0u;
                }
            }
        }
    }
    return sum;
}

// Adds to a 16-bit rank; two ranks per word.
DEVICE void add_rank(u32* ranks, u32 step, u32 more) {
    ranks[step / 2u] += more << (16u * (step % 2u));
}

DEVICE u32 rank_at(const u32* ranks, u32 step) {
    return (ranks[step / 2u] >> (16u * (step % 2u))) & 0xffffu;
}

KERNEL(LANES, GROUPS_OF_UNIT) {
    Context in = context_of(at, pass);
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    if (lane == 0u) {
        wg_tile = atomicAdd(&sums(at)[params.ticket_at], 1u);
    }
    clear_counts(lane);
    barrier();
    const u32 tile = wg_tile;
    const u32 all = min(length(at)[params.length_at], params.keys);
    if (tile * TILE >= all) {
        return;
    }
    const u32 there = min(all - tile * TILE, TILE);

    // Phase 1: load; a subgroup's keys are contiguous.
    const u32 subgroup = lane / SUBGROUP;
    const u32 within = subgroup * (SUBGROUP * STEPS) + lane % SUBGROUP;
    const Key* from = keys(at).data + (tile * TILE + within);
    Key own[STEPS];
#pragma unroll
    for (u32 step = 0u; step < STEPS; step++) {
        own[step] = GREATEST;
        if (within + step * SUBGROUP < there) {
            own[step] = load_read_only(from + step * SUBGROUP);
        }
    }

    // Phase 2: rank in the subgroup.
    u32 ranks[STEPS / 2u] = {};
#pragma unroll
    for (u32 step = 0u; step < STEPS; step++) {
        add_rank(ranks, step, rank_of(lane, digit_of(own[step], params.shift, params.mask)));
    }
    barrier();

    // Phase 3: rank in the tile, publish sums.
    const u32 sum_at = params.sums_at + tile * RADIX + lane;
    u32 total = 0u;
    if (lane < RADIX) {
#pragma unroll
        for (u32 other = 0u; other < SUBGROUPS; other++) {
            total += wg_counts[other * RADIX + lane];
        }
        store_relaxed(&sums(at)[sum_at], total | (tile == 0u ? OF_ALL : OF_TILE));
        sums(at)[params.cleared_at + tile * RADIX + lane] = 0u;
    }
    const u32 begin = sum_before(lane, total);
    if (lane < RADIX) {
        u32 before = begin;
#pragma unroll
        for (u32 other = 0u; other < SUBGROUPS; other++) {
            const u32 count = wg_counts[other * RADIX + lane];
            wg_counts[other * RADIX + lane] = before;
            before += count;
        }
    }
    barrier();
#pragma unroll
    for (u32 step = 0u; step < STEPS; step++) {
        add_rank(ranks, step, wg_counts[subgroup * RADIX + digit_of(own[step], params.shift, params.mask)]);
    }

    // Phase 4: from here on a lane holds every LANES-th rank.
#pragma unroll
    for (u32 word = 0u; word < KEY_WORDS; word++) {
#pragma unroll
        for (u32 step = 0u; step < STEPS; step++) {
            wg_words[rank_at(ranks, step)] = word_of(own[step], word);
        }
        if (word == 0u && lane < RADIX) {
            const u32 before = look_back(&sums(at)[params.sums_at + lane], tile);
            if (tile > 0u) {
                store_relaxed(&sums(at)[sum_at], (before + total) | OF_ALL);
            }
            wg_shifts[lane] = begins(at)[params.begins_at + lane] + before - begin;
        }
        barrier();
#pragma unroll
        for (u32 step = 0u; step < STEPS; step++) {
            own[step] = with_word(own[step], word, wg_words[step * LANES + lane]);
        }
        // Slow lanes may still read what the next word overwrites.
        barrier();
    }

    // Phase 5: store. Padding goes past the end of the array, and so does everything if an earlier
    //          pass has not run.
    u32 into[STEPS];
#pragma unroll
    for (u32 step = 0u; step < STEPS; step++) {
        const u32 rank = step * LANES + lane;
        const u32 digit = digit_of(own[step], params.shift, params.mask);
        into[step] = select(params.keys, rank + wg_shifts[digit], rank < there);
        if (into[step] < params.keys) {
            sorted_keys(at)[into[step]] = own[step];
        }
    }

    // Phase 6: payload. An always-true condition keeps the compiler from loading payloads before
    //          phase 5 and spilling them.
    if (PAYLOAD && params.mask != 0u) {
        u32 payload[STEPS];
#pragma unroll
        for (u32 step = 0u; step < STEPS; step++) {
            payload[step] = 0u;
            if (within + step * SUBGROUP < there) {
                payload[step] = load_payload(in, tile * TILE + within + step * SUBGROUP);
            }
        }
#pragma unroll
        for (u32 step = 0u; step < STEPS; step++) {
            wg_words[rank_at(ranks, step)] = payload[step];
        }
        barrier();
#pragma unroll
        for (u32 step = 0u; step < STEPS; step++) {
            if (into[step] < params.keys) {
                store_payload(in, into[step], wg_words[step * LANES + lane]);
            }
        }
    }
}
