// common/hand_over_workgroup: passes a word from every lane to the next one through workgroup memory.
//
// Needs:    every lane of the workgroup calls it with the same step; steps alternate between even and odd.
// Result:   lane l gets what lane l-1 gave; lane 0 gets its own word.
// Barrier:  one a call: the two halves of wg_words alternate, so a slow reader of one step is never overtaken by the next.
// Twin:     hand_over_subgroup.wgsl, where a workgroup is one subgroup.
var<workgroup> wg_words: array<u32, 2u * LANES>;

fn hand_over(lane: u32, step: u32, word: u32) -> u32 {
    let half = (step & 1u) * LANES;
    wg_words[half + lane] = word;
    workgroupBarrier();
    return wg_words[half + max(lane, 1u) - 1u];
}
