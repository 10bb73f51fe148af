// parenthesization/wide_product: weight p[i] * p[k] * p[j] for any values.
//
// Inputs:   p, one per point. Twin: problems/products.rs.
typedef Value Outer;
typedef Value Inner;

DEVICE Value leaf(const Arguments& at, u32 i) {
    return value(0u);
}

DEVICE Outer outer(const Arguments& at, u32 i, u32 j) {
    return times(inputs(at)[i], inputs(at)[j]);
}

DEVICE Inner inner(const Arguments& at, u32 k) {
    return inputs(at)[k];
}

DEVICE Value weight(Outer outer, Inner inner) {
    return times(outer, inner);
}
