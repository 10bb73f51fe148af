// sort/rank_workgroup: ranks keys among those with the same digit in a group of SUBGROUP lanes,
// through workgroup memory.
//
// Needs:    every lane of the workgroup calls it.
// Method:   lanes of a group with the same digit set their bits in one word: the ballot of
//           rank_subgroup.wgsl without subgroups.
// Twin:     rank_subgroup.wgsl.
// [group][digit], keys so far
var<workgroup> wg_counts: array<atomic<u32>, LANES / SUBGROUP * RADIX>;
// [group][digit], lanes of this step; zero between steps
var<workgroup> wg_peers: array<atomic<u32>, LANES / SUBGROUP * RADIX>;

// Call before the first keys and before each tile; a barrier must follow.
fn clear_counts(lane: u32) {
    for (var place = lane; place < LANES / SUBGROUP * RADIX; place += LANES) {
        atomicStore(&wg_counts[place], 0u);
        atomicStore(&wg_peers[place], 0u);
    }
}

// Number of earlier keys of the group with this digit: in earlier steps, and in lower lanes of this
// step.
fn rank_of(lane: u32, digit: u32) -> u32 {
    let place = lane / SUBGROUP * RADIX + digit;
    let bit = 1u << (lane % SUBGROUP);
    atomicOr(&wg_peers[place], bit);
    workgroupBarrier();
    let peers = atomicLoad(&wg_peers[place]);
    let earlier = atomicLoad(&wg_counts[place]);
    workgroupBarrier();
    let lower = countOneBits(peers & (bit - 1u));
    if lower == 0u {
        atomicStore(&wg_counts[place], earlier + countOneBits(peers));
        atomicStore(&wg_peers[place], 0u);
    }
    workgroupBarrier();
    return earlier + lower;
}
