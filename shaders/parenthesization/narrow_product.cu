// parenthesization/narrow_product: the weight p[i] * p[k] * p[j], where two factors fit into 32 bits.
//
// Inputs:   p, one for each point. Twin: problems/products.rs.
typedef u32 Outer;
typedef u32 Inner;

DEVICE Value leaf(const Arguments& at, u32 i) {
    return value(0u);
}

DEVICE Outer outer(const Arguments& at, u32 i, u32 j) {
    return low(inputs(at)[i]) * low(inputs(at)[j]);
}

DEVICE Inner inner(const Arguments& at, u32 k) {
    return low(inputs(at)[k]);
}

DEVICE Value weight(Outer outer, Inner inner) {
    return product(outer, inner);
}
