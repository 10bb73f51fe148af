// lcs/pair_workgroup: reads the pair of carries of another lane through workgroup memory.
//
// Needs:    every lane of the workgroup calls it with the same step; steps alternate between even
//           and odd.
// Barrier:  one per call. The two halves of wg_pairs alternate, so the next step cannot overtake a
//           slow reader.
// Twin:     pair_subgroup.wgsl, for workgroups of one subgroup.
var<workgroup> wg_pairs: array<u32, 2u * LANES>;

fn pair_of(source: u32, lane: u32, step: u32, pair: u32) -> u32 {
    let half = (step & 1u) * LANES;
    wg_pairs[half + lane] = pair;
    workgroupBarrier();
    return wg_pairs[half + source];
}
