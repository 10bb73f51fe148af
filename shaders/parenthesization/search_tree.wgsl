// parenthesization/search_tree: the weight of a subtree is that of all searches that enter it, whatever its root.
//
// Inputs:   for each point the weights before it, the same without the key just before it, and the weight of the gap at it.
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

