// parenthesization/search_tree: weight of a subtree: the total weight of the searches that enter
// it, for any root.
//
// Inputs:   per point: the sum of weights before it, the same without the key just before it, and
//           the weight of its gap.
// Twin:     problems/search_tree.rs.
alias Outer = Value;
alias Inner = u32;

fn leaf(i: u32) -> Value {
    return inputs[3u * i + 2u];
}

fn outer(i: u32, j: u32) -> Outer {
    return minus(inputs[3u * j + 1u], inputs[3u * i]);
}

fn inner(k: u32) -> Inner {
    return k;
}

fn weight(outer: Outer, inner: Inner) -> Value {
    return outer;
}

