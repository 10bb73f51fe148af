// parenthesization/adaptive: solves all ranges of one length, dividing the lanes among them.
//
// Recurrence, source, grid, phases: as in adaptive.wgsl.
// Parts:    value_*.cu, goal.cu, the problem, by_ends.cu, range.cu.
// Host:     src/papers/by_length/adaptive.rs.
struct Params {
    u32 length;
    u32 leaves;
    u32 subthreads;     // lanes per range
    u32 first;          // start of the pass's first range
    u32 end;            // end of the pass's ranges
};

__shared__ Value wg_best[LANES];

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const u32 at_once = LANES / params.subthreads;
    const u32 member = lane / params.subthreads;
    const u32 subthread = lane % params.subthreads;
    for (u32 first = params.first + group().x * at_once; first < params.end; first += groups().x * at_once) {
        const u32 i = first + member;
        const u32 j = i + params.length;
        const bool mine = member < at_once && i < params.end;

        // Phase 1: own splits.
        Value best = worst();
        if (mine) {
            const Outer ends = outer(at, i, j);
            for (u32 k = i + 1u + subthread; k < j; k += params.subthreads) {
                const Value parts = plus(cost(at, params, i, k), right_cost(at, params, k, j));
                best = best_of(best, plus(parts, weight(ends, inner(at, k))));
            }
        }
        wg_best[lane] = best;
        barrier();

        // Phase 2: the upper half, rounded down, is folded onto the lower.
        for (u32 count = params.subthreads; count > 1u; count = (count + 1u) / 2u) {
            const u32 half = (count + 1u) / 2u;
            if (mine && subthread + half < count) {
                wg_best[lane] = best_of(wg_best[lane], wg_best[lane + half]);
            }
            barrier();
        }

        // Phase 3: store.
        if (mine && subthread == 0u) {
            keep(at, params, i, j, best_of(unsplit(at, params, i, j), wg_best[lane]));
        }
        barrier();
    }
}
