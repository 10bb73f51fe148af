// parenthesization/thread_per_subproblem: solves all ranges of one length, one lane each.
//
// Recurrence, source, grid: as in thread_per_subproblem.wgsl.
// Parts:    value_*.wgsl, goal.wgsl, the problem, by_length.wgsl, range.wgsl.
// Host:     src/papers/by_length/thread_per_subproblem.rs.

// Few workgroups run, so registers are spent on loads of many splits in flight. Limited to 32
// registers, the compiler would wait for each split.
KERNEL_OF_FEW_WARPS {
    Context in = context_of(at, pass);
    const Params& params = in.params;
    const u32 i = params.first + group().x * LANES + lane();
    const u32 j = i + params.length;
    if (j > params.leaves) {
        return;
    }
    Value best = unsplit(in, i, j);
    const Outer ends = outer(in, i, j);
#pragma unroll 8
    for (u32 k = i + 1u; k < j; k++) {
        const Value parts = plus(cost(in, i, k), cost(in, k, j));
        best = best_of(best, plus(parts, weight(ends, inner(in, k))));
    }
    keep(in, i, j, best);
}
