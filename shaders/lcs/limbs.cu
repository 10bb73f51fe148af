// lcs/limbs: sweeps eight columns of the LCS table through all limbs of a lane.
//
// Recurrence: as in limbs.wgsl.
// Carry:      moves between limbs in the carry flag, which WGSL does not have, so no guard row is
//             needed.
// Columns:    the carry into a column is bit 31 of `entering`, the carry out is bit 0 of `leaving`.
//             Adding a word to itself shifts its highest bit into the flag, and shifts the flag
//             into its lowest bit.
// Part of:    bit_parallel/strip_sweep.cu.
constexpr u32 LIMB_ROWS = 32u;
constexpr u32 VERTICAL = 1u;
constexpr u32 HORIZONTAL = 1u;
constexpr bool SKIPS = false;
constexpr bool FLAT_ABOVE = false;
typedef Words<LIMBS> Differences;
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
        Words<LIMBS> matches;
#pragma unroll
        for (u32 limb = 0u; limb < LIMBS; limb++) {
            matches[limb] = matching(rows, column, limb, v[limb]);
        }
        entering[0u] = add_leaving(entering[0u], entering[0u]);
#pragma unroll
        for (u32 limb = 0u; limb < LIMBS; limb++) {
            const u32 s = add_passing(v[limb], matches[limb]);
            // matches | (v & ~s), as matches is a subset of v.
            keep_limb(kept, limb, Carries{logic<0xf4>(matches[limb], v[limb], s)});
            v[limb] = logic<0xf6>(s, v[limb], matches[limb]);    // s | (v & ~matches)
        }
        leaving[0u] = add_entering(leaving[0u], leaving[0u]);
    }
}
