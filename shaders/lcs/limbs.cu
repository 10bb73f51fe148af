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

// Returns a word whose bit 31 is set where no carry leaves the last limb.
DEVICE u32 sweep_column(Differences& v, const Rows& rows, const Block& block, u32 k, u32 none_in, Kept& kept) {
    const Column column = open_column(rows, block, k);
    u32 before = none_in << (31u - k);
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

// Bits 0 to 7 of the carries in belong to the columns, and so do those that come out.
DEVICE Carries sweep_eight(Differences& v, const Rows& rows, const Block& block, const Carries& carries, Kept& kept) {
    const u32 none = ~carries[0u];
    u32 out = 0u;
#pragma unroll
    for (u32 k = 0u; k < 8u; k++) {
        out = __funnelshift_l(sweep_column(v, rows, block, k, none, kept), out, 1u);
    }
    return {~__brev(out) >> 24u};
}
