// lcs/whole_limbs: eight columns of the LCS table through all limbs of a lane, each of 32 rows.
//
// Recurrence: as in limbs.wgsl. The carry goes from limb to limb in the processor's flag, so that no row is spent on a guard.
// Columns:    the carries that enter a column and leave it are bit 31 of `entering` and bit 0 of `leaving`: a word added to itself
//             hands its highest bit on, and takes the flag as its lowest.
// Part of:    bit_parallel/strip_sweep.cu where only lengths are asked for. WGSL has no such additions; limbs.cu does the same.
constexpr u32 VERTICAL = 1u;
constexpr u32 HORIZONTAL = 1u;
constexpr bool SKIPS = false;
constexpr bool FLAT_ABOVE = false;
typedef Words<LIMBS> Differences;
typedef Words<HORIZONTAL> Carries;

struct Kept;

// Sums that leave their carry in the flag, add the flag, or both: they stay in the order in which they are written.
DEVICE u32 add_leaving(u32 a, u32 b) {
    u32 sum;
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}
DEVICE u32 add_passing(u32 a, u32 b) {
    u32 sum;
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}
DEVICE u32 add_entering(u32 a, u32 b) {
    u32 sum;
    asm volatile("addc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}

// Bits 0 to 7 of the carries in belong to the columns, and so do those that come out.
DEVICE Carries sweep_eight(Differences& v, const Rows& rows, const Block& block, const Carries& carries, Kept& kept) {
    u32 entering = __brev(carries[0u]);
    u32 leaving = 0u;
#pragma unroll
    for (u32 k = 0u; k < 8u; k++) {
        const Column column = open_column(rows, block, k);
        Words<LIMBS> matches;
#pragma unroll
        for (u32 limb = 0u; limb < LIMBS; limb++) {
            matches[limb] = matching(rows, column, limb, v[limb]);
        }
        entering = add_leaving(entering, entering);
#pragma unroll
        for (u32 limb = 0u; limb < LIMBS; limb++) {
            const u32 s = add_passing(v[limb], matches[limb]);
            v[limb] = logic<0xf6>(s, v[limb], matches[limb]);    // s | (v & ~matches): all of those are in v
        }
        leaving = add_entering(leaving, leaving);
    }
    return {__brev(leaving) >> 24u};
}
