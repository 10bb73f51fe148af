// substring/neighbours: compares neighbouring windows after sorting by hash.
//
// Rule, grid, result: as in neighbours.wgsl.
// Parts:    codes.cu, mix.cu, groups.cu. Host: src/papers/sort_and_scan/plan.rs.
// Maximum words of a pair that one lane compares.
constexpr u32 SHORT = 32u;

struct Params {
    u32 first;          // position of the chunk among all windows
    u32 begin;          // range of windows of the chunk to compare with their predecessors
    u32 end;
    u32 before_last;    // index of the last window of the previous chunk
    u32 symbols;        // of a window
    u32 pairs;          // capacity of `pairs`
    u32 shift;          // from a hash to a bit of `marks`
    u32 compares;       // nonzero if the codes of all texts are bound
};

BINDING(0, const u64, keys)                 // [windows of the chunk]
BINDING(1, const u32, positions)
BINDING(2, const u64, keys_before)          // [windows of the previous chunk]
BINDING(3, const u32, positions_before)
BINDING(5, u32, marks)
BINDING(6, u32x2, pairs)                    // [positions of both]

__shared__ u32 wg_counts[3];

// Index of the text that contains a position.
DEVICE u32 text_of(const Arguments& at, u32 position) {
    u32 text = 0u;
    u32 end = atomicLoad(&control(at)[TEXTS]);
    while (end - text > 1u) {
        const u32 middle = (text + end) / 2u;
        if (atomicLoad(&control(at)[STARTS + middle]) <= position) {
            text = middle;
        } else {
            end = middle;
        }
    }
    return text;
}

DEVICE void mark(const Arguments& at, u64 key) {
    const u32 place = hash_of(key, 0u) >> PARAMS(at).shift;
    const u32 bit = 1u << (place & 31u);
    if ((atomicLoad(&marks(at)[place >> 5u]) & bit) == 0u) {
        atomicOr(&marks(at)[place >> 5u], bit);
    }
}

constexpr u32 EQUAL = 0u;
constexpr u32 DIFFERENT = 1u;
constexpr u32 UNKNOWN = 2u;

// Compares a pair of windows.
DEVICE u32 compare(const Arguments& at, u32 one, u32 other, bool follows) {
    const Params& params = PARAMS(at);
    if (params.compares == 0u) {
        return UNKNOWN;
    }
    const u32 last = params.symbols - 1u;
    if (follows && code_at(at, one - 1u) == code_at(at, other - 1u)) {
        return code_at(at, one + last) != code_at(at, other + last);
    }
    const u32x2 end = place_of(params.symbols);
    const u32 words = end.x + (end.y > 0u);
    if (words > SHORT) {
        const u32 slot = atomicAdd(&control(at)[PAIRS], 1u);
        if (slot >= params.pairs) {
            return UNKNOWN;
        }
        pairs(at)[slot] = {one, other};
        return EQUAL;
    }
    const u32x2 from_one = place_of(one);
    const u32x2 from_other = place_of(other);
    bool different = false;
    for (u32 word = 0u; word < words; word++) {
        different |= differ(at, from_one, from_other, word, end);
    }
    return different;
}

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    if (lane < 3u) {
        wg_counts[lane] = 0u;
    }
    barrier();

    const u32 sorted = atomicLoad(&control(at)[SORTED]);
    const u32 here = min(max(sorted, params.first) - params.first, params.end);
    u32 counts[3] = {};
    for (u32 window = params.begin + group().x * LANES + lane; window < here; window += groups().x * LANES) {
        if (window == 0u && params.first == 0u) {
            continue;
        }
        const u64 key = keys(at)[window];
        const u64 other_key = window > 0u ? keys(at)[window - 1u] : keys_before(at)[params.before_last];
        if (key != other_key) {
            continue;
        }
        const u32 one = positions(at)[window];
        const u32 other = window > 0u ? positions(at)[window - 1u] : positions_before(at)[params.before_last];
        const u32 text_one = text_of(at, one);
        const u32 text_other = text_of(at, other);
        if (text_one != text_other) {
            counts[0] += 1u;
            mark(at, key);
        }
        const bool follows = one > atomicLoad(&control(at)[STARTS + text_one]) &&
                             other > atomicLoad(&control(at)[STARTS + text_other]);
        const u32 compared = compare(at, one, other, follows);
        counts[1] += compared == DIFFERENT;
        counts[2] += compared == UNKNOWN;
    }
#pragma unroll
    for (u32 i = 0u; i < 3u; i++) {
        atomicAdd(&wg_counts[i], counts[i]);
    }
    barrier();
    if (lane < 3u) {
        atomicAdd(&control(at)[MIXED + lane], wg_counts[lane]);
    }
}
