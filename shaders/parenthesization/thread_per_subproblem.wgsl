// parenthesization/thread_per_subproblem: solves all ranges of one length, one lane each.
//
// Recurrence: C[i][j] = best over i < k < j of C[i][k] + C[k][j] + w(i, k, j), or C[i+1][j-1] +
//             e(i, j); C[i][i+1] is a leaf.
// Source:   Solomon and Thulasiraman 2010, "Performance study of mapping irregular computations on
//           GPUs", with the layout of Wu, Ke, Lin and Feng 2011.
// Grid:     one lane per range, by start.
// Parts:    value_*.wgsl, goal.wgsl, the problem, by_length.wgsl, range.wgsl.
// Host:     src/papers/by_length/thread_per_subproblem.rs.

struct Params {
    length: u32,
    leaves: u32,
    first: u32,           // start of the pass's first range
}

@compute @workgroup_size(LANES)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = params.first + id.x;
    let j = i + params.length;
    if j > params.leaves {
        return;
    }
    var best = unsplit(i, j);
    let ends = outer(i, j);
    for (var k = i + 1u; k < j; k++) {
        best = best_of(best, plus(plus(cost(i, k), cost(k, j)), weight(ends, inner(k))));
    }
    keep(i, j, best);
}
