// sort/onesweep_histogram: counts all digits of all keys in one read.
//
// Method:   Onesweep (Adinets and Merrill 2022, arXiv:2206.01784).
// Grid:     each workgroup takes a run of keys, a lane every LANES-th of them.
// Result:   histogram[position of the digit][digit]; every workgroup adds its counts.
// Parts:    a key. CUDA only, as sort/onesweep. Host: src/sort/onesweep.rs.
struct Params {
    u32 keys;           // maximum length of the array
    u32 length_at;      // position of the number of keys in `length`
    u32 groups;         // workgroups of all passes
    u32 first_group;    // of the pass
    // Bits of the digits of the low word, one byte each, 0 for digits that are not sorted.
    u32 low_masks;
    u32 high_masks;     // the same for the high word
};

// Digits of a word and of a key, and bits of a digit.
constexpr u32 DIGITS_OF_WORD = 4u;
constexpr u32 DIGITS = DIGITS_OF_WORD * KEY_WORDS;
constexpr u32 DIGIT_BITS = 8u;
// Keys that a lane loads before it counts any.
constexpr u32 AT_ONCE = 8u;

BINDING(0, const u32, length)
BINDING(1, const Key, keys)     // [keys]
BINDING(2, u32, histogram)      // [digits of a key][RADIX], zero before the first pass

__shared__ u32 wg_counts[DIGITS * RADIX];

// Counts all digits of N keys. The hardware merges additions of 1 by lanes with the same digit.
template <u32 N> DEVICE void count(const Params& params, const Key (&own)[N]) {
#pragma unroll
    for (u32 place = 0u; place < DIGITS; place++) {
        const u32 shift = place * DIGIT_BITS;
        const u32 masks = place < DIGITS_OF_WORD ? params.low_masks : params.high_masks;
        const u32 mask = (masks >> (shift & 31u)) & (RADIX - 1u);
        if (mask != 0u) {
#pragma unroll
            for (u32 i = 0u; i < N; i++) {
                atomicAdd(&wg_counts[place * RADIX + digit_of(own[i], shift, mask)], 1u);
            }
        }
    }
}

KERNEL(LANES) {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const u32 group = params.first_group + ::group().x;
    const u32 all = min(length(at)[params.length_at], params.keys);
    const u32 share = (all + (params.groups - 1u)) / params.groups;
    const u32 end = min(group * share + share, all);
    for (u32 place = lane; place < DIGITS * RADIX; place += LANES) {
        wg_counts[place] = 0u;
    }
    barrier();

    u32 first = group * share + lane;
    for (; first + (AT_ONCE - 1u) * LANES < end; first += LANES * AT_ONCE) {
        const Key* from = keys(at).data + first;
        Key own[AT_ONCE];
#pragma unroll
        for (u32 i = 0u; i < AT_ONCE; i++) {
            own[i] = load_read_only(from + i * LANES);
        }
        count(params, own);
    }
    for (; first < end; first += LANES) {
        const Key own[1] = {keys(at)[first]};
        count(params, own);
    }
    barrier();

    for (u32 place = lane; place < DIGITS * RADIX; place += LANES) {
        if (wg_counts[place] > 0u) {
            atomicAdd(&histogram(at)[place], wg_counts[place]);
        }
    }
}
