// parenthesization/nussinov: weights of RNA folding: base pairs enclose, splits are free.
//
// Inputs:   the minimum number of bases between a pair, then one code per base; the codes of a pair
//           add up to 3 or 5.
// Twin:     problems/nussinov.rs.
alias Outer = u32;
alias Inner = u32;

fn leaf(i: u32) -> Value {
    return value(0u);
}

fn outer(i: u32, j: u32) -> Outer {
    return 0u;
}

fn inner(k: u32) -> Inner {
    return 0u;
}

fn weight(outer: Outer, inner: Inner) -> Value {
    return value(0u);
}

fn encloses(i: u32, j: u32) -> bool {
    let sum = low(inputs[i + 1u]) + low(inputs[j]);
    return (sum == 3u || sum == 5u) && j - i >= low(inputs[0]) + 2u;
}

fn enclosure(i: u32, j: u32) -> Value {
    return value(1u);
}

