// sort/rank_subgroup: ranks keys among those of the same digit in a subgroup, by ballots.
//
// Needs:    every lane of the workgroup calls it; subgroups in local order.
// Method:   the multisplit of a warp (Ashkiani, Davidson, Meyer and Owens 2016, doi:10.1145/2851141.2851169; in radix sorts Adinets
//           and Merrill 2022, arXiv:2206.01784). The first lane of a digit adds for all, and hands them what it has found.
// Twin:     rank_workgroup.cu, for any number of lanes.
static_assert(SUBGROUP == WARP, "a subgroup is a warp");

constexpr u32 RANK_WORDS = LANES / SUBGROUP * RADIX;
__shared__ u32 wg_counts[RANK_WORDS];   // [subgroup][digit], keys so far

// Before the first keys, and before those of every tile; a barrier has to follow.
DEVICE void clear_counts(u32 lane) {
#pragma unroll
    for (u32 place = 0u; place < RANK_WORDS; place += LANES) {
        wg_counts[place + lane] = 0u;
    }
}

// How many keys of the subgroup have this digit: those of earlier steps, and in this step those of lower lanes.
DEVICE u32 rank_of(u32 lane, u32 digit) {
    const u32 own = lane % SUBGROUP;
    u32 peers = ALL_LANES;
#pragma unroll
    for (u32 bit = 1u; bit < RADIX; bit *= 2u) {
        const bool is_set = (digit & bit) != 0u;
        const u32 ballot = subgroupBallot(is_set);
        peers &= is_set ? ballot : ~ballot;
    }
    const u32 first = countTrailingZeros(peers);
    const u32 lower = countOneBits(peers & ((1u << own) - 1u));
    u32 earlier = 0u;
    if (own == first) {
        earlier = atomicAdd(&wg_counts[lane / SUBGROUP * RADIX + digit], countOneBits(peers));
    }
    return subgroupShuffle(earlier, first) + lower;
}
