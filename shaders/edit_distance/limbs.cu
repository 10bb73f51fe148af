// edit_distance/limbs: eight columns of the table of edit distances through all limbs of a lane.
//
// Recurrence, guard: as in limbs.wgsl.
// Part of:  bit_parallel/strip_sweep.cu.
constexpr u32 VERTICAL = 2u;
constexpr u32 HORIZONTAL = 2u;
constexpr bool SKIPS = true;
constexpr bool FLAT_ABOVE = true;
typedef Words<2u * LIMBS> Differences;
typedef Words<HORIZONTAL> Carries;

struct Kept;
DEVICE void keep_limb(Kept& kept, u32 limb, Carries carries);

// Returns HP and HN of the last row, 0 or 1.
DEVICE u32x2 sweep_column(
    Differences& v, const Rows& rows, const Block& block, u32 k, const Carries& carries, Kept& kept
) {
    const Column column = open_column(rows, block, k);
    u32 hp = (carries[0u] >> k) & 1u;
    u32 hn = (carries[1u] >> k) & 1u;
#pragma unroll
    for (u32 limb = 0u; limb < LIMBS; limb++) {
        const u32 vp = v[limb];
        const u32 vn = v[LIMBS + limb];
        const u32 mask = matching(rows, column, limb, ~0u);
        const u32 t = mask & vp;
        const u32 s = t + vp + hn;
        hn = s >> 31u;
        const u32 hn_above = s ^ t ^ vp;
        const u32 d0 = mask | vn | hn_above;
        const u32 hp_here = vn | ~(d0 | vp);
        const u32 hp_above = hp_here + hp_here + hp;
        hp = hp_above >> 31u;
        keep_limb(kept, limb, Carries{hp_above, s});
        v[limb] = hn_above | ~(d0 | hp_above);
        v[LIMBS + limb] = hp_above & d0;
    }
    return {hp, hn};
}

// Bits 0 to 7 of the carries in belong to the columns, and so do those that come out.
DEVICE Carries sweep_eight(Differences& v, const Rows& rows, const Block& block, const Carries& carries, Kept& kept) {
    Carries out = {};
#pragma unroll
    for (u32 k = 0u; k < 8u; k++) {
        const u32x2 bits = sweep_column(v, rows, block, k, carries, kept);
        out[0u] |= bits.x << k;
        out[1u] |= bits.y << k;
    }
    return out;
}
