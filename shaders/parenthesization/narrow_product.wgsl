// parenthesization/narrow_product: weight p[i] * p[k] * p[j], if the product of two factors is a
// factor.
//
// Inputs:   p, one per point. Twin: problems/products.rs.
alias Outer = Factor;
alias Inner = Factor;

fn leaf(i: u32) -> Value {
    return value(0u);
}

fn outer(i: u32, j: u32) -> Outer {
    return factor(inputs[i]) * factor(inputs[j]);
}

fn inner(k: u32) -> Inner {
    return factor(inputs[k]);
}

fn weight(outer: Outer, inner: Inner) -> Value {
    return product(outer, inner);
}

// plus(cost, weight(outer, inner)), where kernels ask for both at once.
fn plus_weight(cost: Value, outer: Outer, inner: Inner) -> Value {
    return plus_product(cost, outer, inner);
}
