// parenthesization/thread_per_subproblem: all ranges of one length, a lane each.
//
// Recurrence, source, grid: as in thread_per_subproblem.wgsl.
// Parts:    value_*.cu, goal.cu, the problem, by_length.cu, range.cu. Host: src/parenthesization/gpu/thread_per_subproblem.rs.
struct Params {
    u32 length;
    u32 leaves;
    u32 first;          // start of the pass's first range
};

// Few groups run, so that loads of many splits are under way at once: a compiler that keeps to 32 registers waits for each split.
KERNEL_OF_FEW_WARPS {
    const Params& params = PARAMS(at);
    const u32 i = params.first + group().x * LANES + lane();
    const u32 j = i + params.length;
    if (j > params.leaves) {
        return;
    }
    Value best = unsplit(at, params, i, j);
    const Outer ends = outer(at, i, j);
#pragma unroll 8
    for (u32 k = i + 1u; k < j; k++) {
        const Value parts = plus(cost(at, params, i, k), cost(at, params, k, j));
        best = best_of(best, plus(parts, weight(ends, inner(at, k))));
    }
    keep(at, params, i, j, best);
}
