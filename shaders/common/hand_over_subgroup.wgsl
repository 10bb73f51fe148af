// common/hand_over_subgroup: passes a word from every lane to the next one by a subgroup shuffle.
//
// Needs:    a workgroup that is exactly one subgroup, lanes in local order.
// Result:   lane l gets what lane l-1 gave; lane 0 gets an unspecified word.
// Twin:     hand_over_workgroup.wgsl, for any number of lanes.
fn hand_over(lane: u32, step: u32, word: u32) -> u32 {
    return subgroupShuffleUp(word, 1u);
}
