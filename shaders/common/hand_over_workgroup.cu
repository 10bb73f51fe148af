// common/hand_over_workgroup: passes a word from every lane to the next through workgroup memory.
//
// Needs, result, barrier: as in hand_over_workgroup.wgsl.
// Twin:     hand_over_subgroup.cu, for workgroups of one subgroup.
__shared__ u32 wg_words[2u * LANES];

DEVICE u32 hand_over(u32 lane, u32 step, u32 word) {
    const u32 half = (step & 1u) * LANES;
    wg_words[half + lane] = word;
    barrier();
    return wg_words[half + max(lane, 1u) - 1u];
}
