// sort/rank_subgroup: ranks keys among those with the same digit in a subgroup, by ballots.
//
// Needs:    every lane of the workgroup calls it; subgroups in local order.
// Method:   warp-level multisplit (Ashkiani, Davidson, Meyer and Owens 2016,
//           doi:10.1145/2851141.2851169; in radix sorts: Adinets and Merrill 2022,
//           arXiv:2206.01784). The last lane of a digit adds for all and broadcasts the result.
// Twin:     rank_workgroup.wgsl, for any number of lanes.
static_assert(SUBGROUP == WARP && RADIX == 256u, "a subgroup is a warp, and a digit a byte");

constexpr u32 RANK_WORDS = LANES / SUBGROUP * RADIX;
__shared__ u32 wg_counts[RANK_WORDS];   // [subgroup][digit], keys so far

// Call before the first keys and before each tile; a barrier must follow.
DEVICE void clear_counts(u32 lane) {
#pragma unroll
    for (u32 place = 0u; place < RANK_WORDS; place += LANES) {
        wg_counts[place + lane] = 0u;
    }
}

// All ones if the highest bit of a byte is set, otherwise zero.
DEVICE u32 sign_of_byte(u32 word, u32 byte) {
    const u32 selector = 0x8888u | (0x1111u * byte);
    u32 signs;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(signs) : "r"(word), "r"(word), "r"(selector));
    return signs;
}

// Number of earlier keys of the subgroup with this digit: in earlier steps, and in lower lanes of
// this step.
DEVICE u32 rank_of(u32 lane, u32 digit) {
    const u32 own = lane % SUBGROUP;
    u32 peers = ALL_LANES;
#pragma unroll
    for (u32 half = 0u; half < 2u; half++) {
        // Spreads four bits of the digit to the highest bits of four bytes.
        const u32 spread = digit * (0x08040201u << (4u * half));
#pragma unroll
        for (u32 byte = 0u; byte < 4u; byte++) {
            const u32 signs = sign_of_byte(spread, byte);
            peers &= ~(subgroupBallot(signs != 0u) ^ signs);
        }
    }
    const u32 last = first_leading(peers);
    const u32 lower = count_ones(peers & ((1u << own) - 1u));
    u32 earlier = 0u;
    if (own == last) {
        earlier = atomicAdd(&wg_counts[lane / SUBGROUP * RADIX + digit], count_ones(peers));
    }
    return subgroupShuffle(earlier, last) + lower;
}
