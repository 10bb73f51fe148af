// parenthesization/by_ends: two tables, by start and by end, so that both parts of neighbouring
// splits are contiguous.
//
// Source:   as by_ends.wgsl.
BINDING(1, Value, by_start)     // [start][length - 1]
BINDING(2, Value, by_end)       // [end - 1][length - 1]

template <class P> DEVICE u32 place_by_start(const P& params, u32 i, u32 j) {
    return i * params.leaves - i * (i - 1u) / 2u + j - i - 1u;
}

DEVICE u32 place_by_end(u32 i, u32 j) {
    return j * (j - 1u) / 2u + j - i - 1u;
}

template <class P> DEVICE Value cost(const Arguments& at, const P& params, u32 i, u32 j) {
    return by_start(at)[place_by_start(params, i, j)];
}

template <class P> DEVICE Value right_cost(const Arguments& at, const P&, u32 i, u32 j) {
    return by_end(at)[place_by_end(i, j)];
}

template <class P> DEVICE void keep(const Arguments& at, const P& params, u32 i, u32 j, Value best) {
    by_start(at)[place_by_start(params, i, j)] = best;
    by_end(at)[place_by_end(i, j)] = best;
}
