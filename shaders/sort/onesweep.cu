// sort/onesweep: writes keys to where their digit belongs, in order, and reads each but once.
//
// Method:   Onesweep (Adinets and Merrill 2022, arXiv:2206.01784): a tile learns how many keys of a digit are before it from the
//           tiles before, by decoupled look-back (Merrill and Garland 2016, NVIDIA technical report NVR-2016-002).
// Grid:     a workgroup takes the next tile when it begins. So all tiles before its own are of workgroups that have begun, and it
//           may wait for what they tell; workgroups that have nothing left of the array end.
// Phases:   1 load, 2 rank in the subgroup, 3 rank in the tile, whose sums the tiles behind it may read from then on, 4 look back while
//           keys change places by way of workgroup memory, a word at a time, 5 store, 6 the payload.
// Sums:     of each digit in a tile: a flag and the keys, of the tile alone or of all up to it; 0 until they are known. Two arrays of them
//           take turns: while one is written the other, which the pass before has used, is cleared.
// Padding:  has the greatest digit, and ranks behind all keys that are there.
// Parts:    a key, a payload, rank_subgroup and sum_subgroup. CUDA alone: no other interface promises that workgroups which have begun
//           go on. Host: src/sort/onesweep.rs.
struct Params {
    u32 keys;           // of the array at the most
    u32 length_at;      // where the number of keys lies
    u32 shift;          // the digit's place
    u32 mask;           // the digit's bits
    u32 begins_at;      // the digit's row in `begins`
    u32 ticket_at;      // where the number of tiles taken lies in `sums`
    u32 sums_at;        // where the sums of the first tile lie
    u32 cleared_at;     // and those that are cleared
};

constexpr u32 SUBGROUPS = LANES / SUBGROUP;
static_assert(LANES >= RADIX, "a lane looks after a digit");
static_assert(STEPS % 2u == 0u && TILE <= 1u << 16u, "two ranks are a word");

// Flags of a sum: of the tile alone, and of all tiles up to it. A sum is less than either.
constexpr u32 OF_TILE = 1u << 30u;
constexpr u32 OF_ALL = 1u << 31u;
constexpr u32 SUM = OF_TILE - 1u;
// Sums that a lane asks for at once as it looks back.
constexpr u32 LOOK = 4u;

BINDING(0, const u32, length)
BINDING(1, const Key, keys)         // [keys]
BINDING(2, Key, sorted_keys)        // [keys]
BINDING(3, const u32, begins)       // [digits of a key][RADIX], as onesweep_scan.cu leaves them
BINDING(6, u32, sums)               // [2][tiles][RADIX], then a ticket for each digit of a key; zero before the first pass

__shared__ u32 wg_words[TILE];      // a word of every key or its payload, by rank
__shared__ u32 wg_shifts[RADIX];    // from the rank to the place among all keys
__shared__ u32 wg_tile;

// The keys of a digit in all tiles before, whose sums begin here.
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
            // What is not there yet is asked for again.
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

// Ranks, two in a word.
DEVICE void add_rank(u32* ranks, u32 step, u32 more) {
    ranks[step / 2u] += more << (16u * (step % 2u));
}

DEVICE u32 rank_at(const u32* ranks, u32 step) {
    return (ranks[step / 2u] >> (16u * (step % 2u))) & 0xffffu;
}

KERNEL_BESIDE(GROUPS_OF_UNIT) {
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

    // Phase 1: a subgroup's keys lie side by side.
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

    // Phase 2.
    u32 ranks[STEPS / 2u] = {};
#pragma unroll
    for (u32 step = 0u; step < STEPS; step++) {
        add_rank(ranks, step, rank_of(lane, digit_of(own[step], params.shift, params.mask)));
    }
    barrier();

    // Phase 3.
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

    // Phase 4: what a lane has is that of every LANES-th rank from here on.
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
        // The next word is written over what slow lanes still read.
        barrier();
    }

    // Phase 5. Past the array where the key is padding, or where not all that came before has run.
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

    // Phase 6. The compiler would load the payload before phase 5 and spill it: a condition that always holds keeps it here.
    if (PAYLOAD && params.mask != 0u) {
        u32 payload[STEPS];
#pragma unroll
        for (u32 step = 0u; step < STEPS; step++) {
            payload[step] = 0u;
            if (within + step * SUBGROUP < there) {
                payload[step] = load_payload(at, tile * TILE + within + step * SUBGROUP);
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
                store_payload(at, into[step], wg_words[step * LANES + lane]);
            }
        }
    }
}
