// edit_distance/limbs: eight columns of the table of edit distances through all limbs of a lane.
//
// Recurrence, guard: as in limbs.wgsl.
// Part of:  bit_parallel/strip_sweep.cu.
constexpr u32 LIMB_ROWS = 31u;
constexpr u32 VERTICAL = 2u;
constexpr u32 HORIZONTAL = 2u;
constexpr bool SKIPS = true;
constexpr bool FLAT_ABOVE = true;
typedef Words<2u * LIMBS> Differences;
typedef Words<HORIZONTAL> Carries;

struct Kept;
DEVICE void keep_limb(Kept& kept, u32 limb, Carries carries);

// Returns words whose bits 31 are HP and HN of the last row.
DEVICE u32x2 sweep_column(
    Differences& v, const Rows& rows, const Block& block, u32 k, const Carries& entering, Kept& kept
) {
    const Column column = open_column(rows, block, k);
    u32 hp = entering[0u] << k;
    u32 hn = entering[1u] << k;
#pragma unroll
    for (u32 limb = 0u; limb < LIMBS; limb++) {
        const u32 vp = v[limb];
        const u32 vn = v[LIMBS + limb];
        const u32 mask = matching(rows, column, limb, ~0u);
        const u32 t = mask & vp;
        const u32 s = t + vp + (hn >> 31u);
        const u32 hn_above = s ^ t ^ vp;
        const u32 d0 = logic<0xfe>(mask, vn, hn_above);
        const u32 hp_here = logic<0xf1>(vn, d0, vp);               // vn | ~(d0 | vp)
        const u32 hp_above = hp_here + hp_here + (hp >> 31u);
        keep_limb(kept, limb, Carries{hp_above, s});
        v[limb] = logic<0xf1>(hn_above, d0, hp_above);
        v[LIMBS + limb] = hp_above & d0;
        hn = s;
        hp = hp_above;
    }
    return {hp, hn};
}

// Bits 31 to 24 of `entering` belong to the columns, and give room to the next; what leaves comes into `leaving` from below.
DEVICE void sweep_eight(
    Differences& v, const Rows& rows, const Block& block, Carries& entering, Carries& leaving, Kept& kept
) {
#pragma unroll
    for (u32 k = 0u; k < 8u; k++) {
        const u32x2 last = sweep_column(v, rows, block, k, entering, kept);
#pragma unroll
        for (u32 h = 0u; h < HORIZONTAL; h++) {
            leaving[h] = __funnelshift_l(last[h], leaving[h], 1u);
        }
    }
#pragma unroll
    for (u32 h = 0u; h < HORIZONTAL; h++) {
        entering[h] <<= 8u;
    }
}
