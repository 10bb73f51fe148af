// edit_distance/limbs: sweeps eight columns of the edit distance table through all limbs of a lane.
//
// Recurrence: as in limbs.wgsl.
// Carries:    HN and HP both move between limbs in the carry flag, one after the other, so no guard
//             row is needed: the carry of the sum into a row is HN above it, and HP is shifted by
//             adding it to itself.
// Columns:    as in lcs/limbs.cu.
// Part of:    bit_parallel/strip_sweep.cu.
constexpr u32 LIMB_ROWS = 32u;
constexpr u32 VERTICAL = 2u;
constexpr u32 HORIZONTAL = 2u;
constexpr bool SKIPS = true;
constexpr bool FLAT_ABOVE = true;
typedef Words<2u * LIMBS> Differences;
typedef Words<HORIZONTAL> Carries;

struct Kept;
DEVICE void keep_limb(Kept& kept, u32 limb, Carries carries);

// Bits 31 to 24 of `entering` are the carries of the columns and are shifted out; carries out are
// shifted into `leaving` from below.
DEVICE void sweep_eight(
    Differences& v, const Rows& rows, const Block& block, Carries& entering, Carries& leaving, Kept& kept
) {
#pragma unroll
    for (u32 k = 0u; k < 8u; k++) {
        const Column column = open_column(rows, block, k);
        Words<LIMBS> masks, sums;
#pragma unroll
        for (u32 limb = 0u; limb < LIMBS; limb++) {
            masks[limb] = matching(rows, column, limb, ~0u);
        }
        entering[1u] = add_leaving(entering[1u], entering[1u]);
#pragma unroll
        for (u32 limb = 0u; limb < LIMBS; limb++) {
            sums[limb] = add_passing(masks[limb] & v[limb], v[limb]);
        }
        leaving[1u] = add_entering(leaving[1u], leaving[1u]);
        entering[0u] = add_leaving(entering[0u], entering[0u]);
#pragma unroll
        for (u32 limb = 0u; limb < LIMBS; limb++) {
            const u32 vp = v[limb];
            const u32 vn = v[LIMBS + limb];
            const u32 t = masks[limb] & vp;
            const u32 hn_above = sums[limb] ^ t ^ vp;
            const u32 d0 = logic<0xfe>(masks[limb], vn, hn_above);
            const u32 hp_here = logic<0xf1>(vn, d0, vp);               // vn | ~(d0 | vp)
            const u32 hp_above = add_passing(hp_here, hp_here);
            // t | (vp & ~s), as t is a subset of vp.
            keep_limb(kept, limb, Carries{hp_here, logic<0xf4>(t, vp, sums[limb])});
            v[limb] = logic<0xf1>(hn_above, d0, hp_above);
            v[LIMBS + limb] = hp_above & d0;
        }
        leaving[0u] = add_entering(leaving[0u], leaving[0u]);
    }
}
