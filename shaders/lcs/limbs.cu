// lcs/limbs: eight columns of the LCS table through all limbs of a lane.
//
// Recurrence, guard: as in limbs.wgsl.
// Part of:  bit_parallel/strip_sweep.cu.
constexpr u32 LIMB_ROWS = 31u;
constexpr u32 VERTICAL = 1u;
constexpr u32 HORIZONTAL = 1u;
constexpr bool SKIPS = false;
constexpr bool FLAT_ABOVE = false;
typedef Words<LIMBS> Differences;
typedef Words<HORIZONTAL> Carries;

struct Kept;
DEVICE void keep_limb(Kept& kept, u32 limb, Carries carries);

// Returns a word whose bit 31 is set where no carry leaves the last limb.
DEVICE u32 sweep_column(Differences& v, const Rows& rows, const Block& block, u32 before, u32 k, Kept& kept) {
    const Column column = open_column(rows, block, k);
#pragma unroll
    for (u32 limb = 0u; limb < LIMBS; limb++) {
        const u32 w = not_matching(rows, column, limb, v[limb]);
        // The shift and this sum are one instruction, the difference is one of the other pipe.
        const u32 s = v[limb] - w + u32(i32(before) >> 31u);
        keep_limb(kept, limb, Carries{~s});
        v[limb] = logic<0xf8>(s, v[limb], w);    // s | (v & w)
        before = s;
    }
    return before;
}

// Bits 31 to 24 of `entering` belong to the columns, and give room to the next; what leaves comes into `leaving` from below.
DEVICE void sweep_eight(
    Differences& v, const Rows& rows, const Block& block, Carries& entering, Carries& leaving, Kept& kept
) {
    const u32 none = ~entering[0u];
    u32 none_leaving = ~leaving[0u];
#pragma unroll
    for (u32 k = 0u; k < 8u; k++) {
        none_leaving = __funnelshift_l(sweep_column(v, rows, block, none << k, k, kept), none_leaving, 1u);
    }
    entering[0u] <<= 8u;
    leaving[0u] = ~none_leaving;
}
