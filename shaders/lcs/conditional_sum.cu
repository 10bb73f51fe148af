// lcs/conditional_sum: advances every active block of the LCS table by one step, with carries by
// conditional-sum addition.
//
// Recurrence, source, grid, phases, carries, barrier: as in conditional_sum.wgsl.
// Host:     src/papers/conditional_sum/mod.rs.
constexpr u32 LIMBS = LANES;
constexpr u32 LEVELS = 5u;
constexpr u32 STEP = 1024u;

struct Params {
    u32 wavefront;           // anti-diagonal of blocks
    u32 first_block;
    u32 blocks;         // of the table
    u32 columns;        // of the table
};

BINDING(0, u32, v)                // [block][lane]
BINDING(1, const u32, masks)      // [code][block][lane]
BINDING(2, const u32, codes)      // [columns]
BINDING(3, u32, block_carries)    // [wavefront parity][blocks + 1][STEP / 32]

__shared__ u32 wg_carries_in[STEP / 32u];
__shared__ u32 wg_carries_out[STEP / 32u];
__shared__ u32 wg_pairs[2u * LIMBS];

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const u32 block = params.first_block + group().x;
    const u32 first_column = (params.wavefront - block) * STEP;
    const u32 count = min(STEP, params.columns - first_column);
    const u32 stride = (params.blocks + 1u) * (STEP / 32u);
    const u32 parity = params.wavefront & 1u;

    // Phase 1: load.
    const u32 limbs = params.blocks * LIMBS;
    const u32 index = block * LIMBS + lane;
    u32 limb = v(at)[index];
    wg_carries_in[lane] = block_carries(at)[(1u - parity) * stride + block * (STEP / 32u) + lane];
    wg_carries_out[lane] = 0u;
    barrier();

    // Phase 2: sweep. The next column's mask is loaded one column ahead; compilers move no loads
    //          across a barrier.
    const u32 last_column = params.columns - 1u;
    u32 next_mask = masks(at)[codes(at)[min(first_column, last_column)] * limbs + index];
    for (u32 j = 0u; j < count; j++) {
        const u32 mask = next_mask;
        next_mask = masks(at)[codes(at)[min(first_column + j + 1u, last_column)] * limbs + index];
        const u32 u = limb & mask;
        u32 sum_0 = limb + u;
        u32 carry_0 = sum_0 < u ? 1u : 0u;
        u32 sum_1 = sum_0 + 1u;
        u32 carry_1 = sum_1 == 0u ? 1u : carry_0;
#pragma unroll
        for (u32 level = 0u; level < LEVELS; level++) {
            const u32 half = ((j + level) & 1u) * LIMBS;
            wg_pairs[half + lane] = carry_0 | (carry_1 << 1u);
            barrier();
            const u32 width = 1u << level;
            // Every lane loads the pair, which avoids a branch.
            const u32 pair = wg_pairs[half + (lane & ~(2u * width - 1u)) + width - 1u];
            const bool is_upper = (lane & width) != 0u;
            const bool takes_one = is_upper && (pair & 1u) == 1u;
            const bool takes_zero = is_upper && (pair & 2u) == 0u;
            const u32 old_sum = sum_0;
            const u32 old_carry = carry_0;
            sum_0 = select(sum_0, sum_1, takes_one);
            carry_0 = select(carry_0, carry_1, takes_one);
            sum_1 = select(sum_1, old_sum, takes_zero);
            carry_1 = select(carry_1, old_carry, takes_zero);
        }
        const u32 carry_in = (wg_carries_in[j / 32u] >> (j % 32u)) & 1u;
        const u32 sum = carry_in == 1u ? sum_1 : sum_0;
        limb = sum | (limb & ~mask);
        if (lane == LIMBS - 1u) {
            wg_carries_out[j / 32u] |= (carry_in == 1u ? carry_1 : carry_0) << (j % 32u);
        }
    }
    barrier();

    // Phase 3: store.
    v(at)[index] = limb;
    block_carries(at)[parity * stride + (block + 1u) * (STEP / 32u) + lane] = wg_carries_out[lane];
}
