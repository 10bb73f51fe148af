// sort/rank_workgroup: ranks keys among those with the same digit in a group of SUBGROUP lanes,
// through workgroup memory.
//
// Needs:    every lane of the workgroup calls it.
// Method:   lanes of a group with the same digit set their bits in one word: the ballot of
//           rank_subgroup.cu without subgroups.
// Twin:     rank_subgroup.cu.
constexpr u32 RANK_WORDS = 2u * (LANES / SUBGROUP * RADIX);
__shared__ u32 wg_counts[RANK_WORDS / 2u];  // [group][digit], keys so far
// [group][digit], lanes of this step; zero between steps
__shared__ u32 wg_peers[RANK_WORDS / 2u];

// Call before the first keys and before each tile; a barrier must follow.
DEVICE void clear_counts(u32 lane) {
    for (u32 place = lane; place < RANK_WORDS / 2u; place += LANES) {
        wg_counts[place] = 0u;
        wg_peers[place] = 0u;
    }
}

// Number of earlier keys of the group with this digit: in earlier steps, and in lower lanes of this
// step.
DEVICE u32 rank_of(u32 lane, u32 digit) {
    const u32 place = lane / SUBGROUP * RADIX + digit;
    const u32 bit = 1u << (lane % SUBGROUP);
    atomicOr(&wg_peers[place], bit);
    barrier();
    const u32 peers = wg_peers[place];
    const u32 earlier = wg_counts[place];
    barrier();
    const u32 lower = countOneBits(peers & (bit - 1u));
    if (lower == 0u) {
        wg_counts[place] = earlier + countOneBits(peers);
        wg_peers[place] = 0u;
    }
    barrier();
    return earlier + lower;
}
