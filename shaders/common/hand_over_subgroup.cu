// common/hand_over_subgroup: passes a word from every lane to the next one by a subgroup shuffle.
//
// Needs:    a workgroup that is exactly one subgroup, lanes in local order.
// Result:   lane l gets what lane l-1 gave; lane 0 gets an unspecified word.
// Twin:     hand_over_workgroup.cu, for any number of lanes.
static_assert(LANES == WARP, "the workgroup is one subgroup");

DEVICE u32 hand_over(u32 lane, u32 step, u32 word) { return subgroupShuffleUp(word, 1u); }
