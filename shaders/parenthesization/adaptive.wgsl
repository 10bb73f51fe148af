// parenthesization/adaptive: solves all ranges of one length, dividing the lanes among them.
//
// Recurrence: C[i][j] = best over i < k < j of C[i][k] + C[k][j] + w(i, k, j), or C[i+1][j-1] +
//             e(i, j); C[i][i+1] is a leaf.
// Source:   Wu, Ke, Lin and Feng 2011, "Optimizing Dynamic Programming on Graphics Processing Units
//           via Adaptive Thread-Level Parallelism", sections IV.A and IV.B.
// Grid:     a workgroup takes LANES / params.subthreads ranges at a time; the subthreads of a range
//           are adjacent lanes. If there are more ranges, it takes several in turn, and its lanes
//           act as superthreads.
// Phases:   1 every subthread finds the best of its splits, 2 parallel minimum over any number of
//           subthreads, 3 store.
// Parts:    value_*.wgsl, goal.wgsl, the problem, by_ends.wgsl, range.wgsl.
// Host:     src/papers/by_length/adaptive.rs.

struct Params {
    length: u32,
    leaves: u32,
    subthreads: u32,      // lanes per range
    first: u32,           // start of the pass's first range
    end: u32,             // end of the pass's ranges
}

var<workgroup> wg_best: array<Value, LANES>;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at_once = LANES / params.subthreads;
    let member = lane / params.subthreads;
    let subthread = lane % params.subthreads;
    for (var first = params.first + group.x * at_once; first < params.end; first += groups.x * at_once) {
        let i = first + member;
        let j = i + params.length;
        let mine = member < at_once && i < params.end;

        // Phase 1: own splits.
        var best = worst();
        if mine {
            let ends = outer(i, j);
            for (var k = i + 1u + subthread; k < j; k += params.subthreads) {
                best = best_of(best, plus(plus(cost(i, k), right_cost(k, j)), weight(ends, inner(k))));
            }
        }
        wg_best[lane] = best;
        workgroupBarrier();

        // Phase 2: the upper half, rounded down, is folded onto the lower.
        for (var count = params.subthreads; count > 1u; count = (count + 1u) / 2u) {
            let half = (count + 1u) / 2u;
            if mine && subthread + half < count {
                wg_best[lane] = best_of(wg_best[lane], wg_best[lane + half]);
            }
            workgroupBarrier();
        }

        // Phase 3: store.
        if mine && subthread == 0u {
            keep(i, j, best_of(unsplit(i, j), wg_best[lane]));
        }
        workgroupBarrier();
    }
}
