// parenthesization/search_tree: weight of a subtree: the total weight of the searches that enter
// it, for any root.
//
// Inputs:   per point: the sum of weights before it, the same without the key just before it, and
//           the weight of its gap.
// Twin:     problems/search_tree.rs.
typedef Value Outer;
typedef u32 Inner;

DEVICE Value leaf(const Arguments& at, u32 i) {
    return inputs(at)[3u * i + 2u];
}

DEVICE Outer outer(const Arguments& at, u32 i, u32 j) {
    return minus(inputs(at)[3u * j + 1u], inputs(at)[3u * i]);
}

DEVICE Inner inner(const Arguments& at, u32 k) {
    return k;
}

DEVICE Value weight(Outer outer, Inner inner) {
    return outer;
}
