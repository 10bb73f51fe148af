// common/hand_over_subgroup: passes a word from every lane to the next by a subgroup shuffle.
//
// Needs:    a workgroup of exactly one subgroup, with lanes in local order.
// Result:   lane l receives the word of lane l-1; lane 0 receives an unspecified word.
// Twin:     hand_over_workgroup.wgsl, for any number of lanes.
fn hand_over(lane: u32, step: u32, word: u32) -> u32 {
    return subgroupShuffleUp(word, 1u);
}
