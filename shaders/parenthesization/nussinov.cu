// parenthesization/nussinov: weights of RNA folding: base pairs enclose, splits are free.
//
// Inputs:   the minimum number of bases between a pair, then one code per base; the codes of a pair
//           add up to 3 or 5.
// Twin:     problems/nussinov.rs.
typedef u32 Outer;
typedef u32 Inner;

DEVICE Value leaf(const Arguments& at, u32 i) {
    return value(0u);
}

DEVICE Outer outer(const Arguments& at, u32 i, u32 j) {
    return 0u;
}

DEVICE Inner inner(const Arguments& at, u32 k) {
    return 0u;
}

DEVICE Value weight(Outer outer, Inner inner) {
    return value(0u);
}

DEVICE bool encloses(const Arguments& at, u32 i, u32 j) {
    const u32 sum = low(inputs(at)[i + 1u]) + low(inputs(at)[j]);
    return (sum == 3u || sum == 5u) && j - i >= low(inputs(at)[0]) + 2u;
}

DEVICE Value enclosure(u32 i, u32 j) {
    return value(1u);
}
