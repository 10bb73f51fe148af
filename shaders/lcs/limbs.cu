// lcs/limbs: eight columns of the LCS table through all limbs of a lane.
//
// Recurrence, guard: as in limbs.wgsl.
// Part of:  bit_parallel/strip_sweep.cu.
constexpr u32 VERTICAL = 1u;
constexpr u32 HORIZONTAL = 1u;
constexpr bool SKIPS = false;
constexpr bool FLAT_ABOVE = false;
typedef Words<LIMBS> Differences;
typedef Words<HORIZONTAL> Carries;

struct Kept;
DEVICE void keep_limb(Kept& kept, u32 limb, Carries carries);

// Returns the all-ones word where no carry leaves the last limb, else 0.
DEVICE u32 sweep_column(Differences& v, const Rows& rows, const Block& block, u32 k, u32 none_in, Kept& kept) {
    const Column column = open_column(rows, block, k);
    u32 none = u32(i32(none_in << (31u - k)) >> 31u);
#pragma unroll
    for (u32 limb = 0u; limb < LIMBS; limb++) {
        const u32 w = ~matching(rows, column, limb, v[limb]);
        const u32 s = v[limb] - w + none;
        none = u32(i32(s) >> 31u);
        keep_limb(kept, limb, Carries{~s});
        v[limb] = s | (v[limb] & w);
    }
    return none;
}

// Bits 0 to 7 of the carries in belong to the columns, and so do those that come out.
DEVICE Carries sweep_eight(Differences& v, const Rows& rows, const Block& block, const Carries& carries, Kept& kept) {
    const u32 none = ~carries[0u];
    u32 out = 0u;
#pragma unroll
    for (u32 k = 0u; k < 8u; k++) {
        out |= sweep_column(v, rows, block, k, none, kept) & (1u << k);
    }
    return {~out & 255u};
}
