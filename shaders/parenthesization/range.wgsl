// parenthesization/range: cost of a range before any split: a leaf, an enclosure, or none.
fn unsplit(i: u32, j: u32) -> Value {
    if j == i + 1u {
        return leaf(i);
    }
    if !encloses(i, j) {
        return worst();
    }
    var inside = value(0u);
    if j > i + 2u {
        inside = cost(i + 1u, j - 1u);
    }
    return plus(inside, enclosure(i, j));
}

