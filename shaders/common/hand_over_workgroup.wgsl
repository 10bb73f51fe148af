// common/hand_over_workgroup: passes a word from every lane to the next through workgroup memory.
//
// Needs:    every lane of the workgroup calls it with the same step; steps alternate between even
//           and odd.
// Result:   lane l receives the word of lane l-1; lane 0 receives its own word.
// Barrier:  one per call. The two halves of wg_words alternate, so the next step cannot overtake a
//           slow reader.
// Twin:     hand_over_subgroup.wgsl, for workgroups of one subgroup.
var<workgroup> wg_words: array<u32, 2u * LANES>;

fn hand_over(lane: u32, step: u32, word: u32) -> u32 {
    let half = (step & 1u) * LANES;
    wg_words[half + lane] = word;
    workgroupBarrier();
    return wg_words[half + max(lane, 1u) - 1u];
}
