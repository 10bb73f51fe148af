// parenthesization/search_tree: the weight of a subtree is that of all searches that enter it, whatever its root.
//
// Inputs:   for each of POINTS points the weights before it, and the same without the key just before it; then those of the gaps.
// Twin:     problems/search_tree.rs.
alias Outer = Value;
alias Inner = u32;

fn leaf(i: u32) -> Value {
    return inputs[2u * POINTS + i];
}

fn outer(i: u32, j: u32) -> Outer {
    return minus(inputs[POINTS + j], inputs[i]);
}

fn inner(k: u32) -> Inner {
    return k;
}

fn weight(outer: Outer, inner: Inner) -> Value {
    return outer;
}

