// parenthesization/narrow_product: weight p[i] * p[k] * p[j], if the product of two factors is a
// factor.
//
// Inputs:   p, one per point. Twin: problems/products.rs.
typedef Factor Outer;
typedef Factor Inner;

DEVICE Value leaf(const Arguments& at, u32 i) {
    return value(0u);
}

DEVICE Outer outer(const Arguments& at, u32 i, u32 j) {
    return factor(inputs(at)[i]) * factor(inputs(at)[j]);
}

DEVICE Inner inner(const Arguments& at, u32 k) {
    return factor(inputs(at)[k]);
}

DEVICE auto weight(Outer outer, Inner inner) {
    return product(outer, inner);
}
