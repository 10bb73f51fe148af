// parenthesization/range: cost of a range before any split: a leaf, an enclosure, or none.
template <class P> DEVICE Value unsplit(const Arguments& at, const P& params, u32 i, u32 j) {
    if (j == i + 1u) {
        return leaf(at, i);
    }
    if (!encloses(at, i, j)) {
        return worst();
    }
    Value inside = value(0u);
    if (j > i + 2u) {
        inside = cost(at, params, i + 1u, j - 1u);
    }
    return plus(inside, enclosure(i, j));
}
