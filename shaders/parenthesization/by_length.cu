// parenthesization/by_length: a table by length, then by start, so that neighbouring starts are
// contiguous.
//
// Source:   type 1 of Wu, Ke, Lin and Feng 2011, section IV.C, without the unused cells.
BINDING(1, Value, table)    // [length - 1][start]

template <class P> DEVICE u32 place_of(const P& params, u32 i, u32 j) {
    const u32 longer = j - i - 1u;
    return longer * params.leaves - longer * (longer - 1u) / 2u + i;
}

template <class P> DEVICE Value cost(const Arguments& at, const P& params, u32 i, u32 j) {
    return table(at)[place_of(params, i, j)];
}

template <class P> DEVICE Value right_cost(const Arguments& at, const P& params, u32 i, u32 j) {
    return cost(at, params, i, j);
}

template <class P> DEVICE void keep(const Arguments& at, const P& params, u32 i, u32 j, Value best) {
    table(at)[place_of(params, i, j)] = best;
}
