// substring/compare_pairs: compares pairs of windows that are too long for one lane of
// neighbours.cu.
//
// Grid, result: as in compare_pairs.wgsl.
// Parts:    codes.cu, groups.cu. Host: src/papers/sort_and_scan/plan.rs.
// Words per piece.
constexpr u32 PIECE = 64u * LANES;

struct Params {
    u32 symbols;        // of a window
    u32 pairs;          // capacity of `pairs`
    u32 first;          // first piece of the pass, among those of all pairs
    u32 end;
};

BINDING(5, const u32x2, pairs)      // [positions of both]

KERNEL {
    const Params& params = PARAMS(at);
    const u32x2 end = place_of(params.symbols);
    const u32 words = end.x + (end.y > 0u);
    const u32 pieces = (words + (PIECE - 1u)) / PIECE;
    const u32 there = min(atomicLoad(&control(at)[PAIRS]), params.pairs);
    const u32 pass_end = min(there * pieces, params.end);
    for (u32 task = params.first + group().x; task < pass_end; task += groups().x) {
        const u32x2 pair = pairs(at)[task / pieces];
        const u32x2 one = place_of(pair.x);
        const u32x2 other = place_of(pair.y);
        const u32 first = task % pieces * PIECE;
        bool different = false;
        for (u32 word = first + lane(); word < min(first + PIECE, words); word += LANES) {
            different |= differ(at, one, other, word, end);
        }
        if (different) {
            atomicAdd(&control(at)[UNEQUAL], 1u);
        }
    }
}
