// substring/compare_pairs: compares pairs of windows that are too long for one lane of
// neighbours.wgsl.
//
// Grid:     a few workgroups; each takes pieces of pairs in turn, and its lanes take words in turn.
// Result:   the number of pieces that differ, in `control`.
// Parts:    codes.wgsl, groups.wgsl. Host: src/papers/sort_and_scan/plan.rs.
// Words per piece.
const PIECE = 64u * LANES;

struct Params {
    symbols: u32,       // of a window
    pairs: u32,         // capacity of `pairs`
    first: u32,         // first piece of the pass, among those of all pairs
    end: u32,
}

@group(0) @binding(5) var<storage, read> pairs: array<vec2<u32>>;           // [positions of both]

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let end = place_of(params.symbols);
    let words = end.x + u32(end.y > 0u);
    let pieces = (words + (PIECE - 1u)) / PIECE;
    let there = min(atomicLoad(&control[PAIRS]), params.pairs);
    let pass_end = min(there * pieces, params.end);
    for (var task = params.first + group.x; task < pass_end; task += groups.x) {
        let pair = pairs[task / pieces];
        let one = place_of(pair.x);
        let other = place_of(pair.y);
        let first = task % pieces * PIECE;
        var different = false;
        for (var word = first + lane; word < min(first + PIECE, words); word += LANES) {
            different |= differ(one, other, word, end);
        }
        if different {
            atomicAdd(&control[UNEQUAL], 1u);
        }
    }
}
