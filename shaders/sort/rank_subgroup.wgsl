// sort/rank_subgroup: ranks keys among those with the same digit in a subgroup, by ballots.
//
// Needs:    every lane of the workgroup calls it; subgroups of SUBGROUP lanes, 4 to 64, in local
//           order.
// Method:   warp-level multisplit (Ashkiani, Davidson, Meyer and Owens 2016,
//           doi:10.1145/2851141.2851169; in radix sorts: Adinets and Merrill 2022,
//           arXiv:2206.01784). The first lane of a digit adds for all and broadcasts the result.
// Twin:     rank_workgroup.wgsl, for any device.
// [subgroup][digit], keys so far
var<workgroup> wg_counts: array<atomic<u32>, LANES / SUBGROUP * RADIX>;

// Ballot words with all lanes set.
const LANES_LOW = select((1u << (SUBGROUP % 32u)) - 1u, 0xffffffffu, SUBGROUP >= 32u);
const LANES_HIGH = select(0u, 0xffffffffu, SUBGROUP == 64u);

// Call before the first keys and before each tile; a barrier must follow.
fn clear_counts(lane: u32) {
    for (var place = lane; place < LANES / SUBGROUP * RADIX; place += LANES) {
        atomicStore(&wg_counts[place], 0u);
    }
}

// Number of earlier keys of the subgroup with this digit: in earlier steps, and in lower lanes of
// this step.
fn rank_of(lane: u32, digit: u32) -> u32 {
    let own = lane % SUBGROUP;
    var low = LANES_LOW;
    var high = LANES_HIGH;
    for (var bit = 1u; bit < RADIX; bit *= 2u) {
        let is_set = (digit & bit) != 0u;
        let ballot = subgroupBallot(is_set);
        let others = select(0xffffffffu, 0u, is_set);
        low &= ballot.x ^ others;
        if SUBGROUP > 32u {
            high &= ballot.y ^ others;
        }
    }
    let first = select(32u + countTrailingZeros(high), countTrailingZeros(low), low != 0u);
    var lower = countOneBits(low & select((1u << (own % 32u)) - 1u, 0xffffffffu, own >= 32u));
    if SUBGROUP > 32u {
        lower += countOneBits(high & select(0u, (1u << (own % 32u)) - 1u, own >= 32u));
    }
    var earlier = 0u;
    if own == first {
        earlier = atomicAdd(&wg_counts[lane / SUBGROUP * RADIX + digit], countOneBits(low) + countOneBits(high));
    }
    return subgroupShuffle(earlier, first) + lower;
}
