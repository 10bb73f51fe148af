// parenthesization/wide_product: weight p[i] * p[k] * p[j] for any values.
//
// Inputs:   p, one per point. Twin: problems/products.rs.
alias Outer = Value;
alias Inner = Value;

fn leaf(i: u32) -> Value {
    return value(0u);
}

fn outer(i: u32, j: u32) -> Outer {
    return times(inputs[i], inputs[j]);
}

fn inner(k: u32) -> Inner {
    return inputs[k];
}

fn weight(outer: Outer, inner: Inner) -> Value {
    return times(outer, inner);
}

