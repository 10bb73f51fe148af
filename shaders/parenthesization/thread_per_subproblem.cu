// parenthesization/thread_per_subproblem: solves all ranges of one length, one lane each.
//
// Recurrence, source, grid: as in thread_per_subproblem.wgsl.
// Parts:    value_*.cu, goal.cu, the problem, by_length.cu, range.cu.
// Host:     src/papers/by_length/thread_per_subproblem.rs.
struct Params {
    u32 length;
    u32 leaves;
    u32 first;          // start of the pass's first range
};

// Few workgroups run, so registers are spent on loads of many splits in flight. Limited to 32
// registers, the compiler would wait for each split.
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
