// pairs/planes: match masks of a lane's own query, from bit planes of its codes in registers.
//
// Planes, codes, wild: as in planes.wgsl; there is no guard row.
// Part of:  pairs/entries.cu.
struct Rows {
    Words<PLANES * LIMBS> planes;
    Words<LIMBS> wild;
};
typedef Words<PLANES> Column;
struct Block {
    u32 codes[2];
};

DEVICE Column open_column(const Rows& rows, const Block& block, u32 k) {
    Column splat;
#pragma unroll
    for (u32 plane = 0u; plane < PLANES; plane++) {
        splat[plane] = u32(i32(block.codes[k / 4u] << (31u - 8u * (k % 4u) - plane)) >> 31u);
    }
    return splat;
}

DEVICE u32 matching(const Rows& rows, const Column& column, u32 limb, u32 v) {
    u32 rest = v;
#pragma unroll
    for (u32 plane = 0u; plane < PLANES; plane++) {
        rest &= ~(rows.planes[plane * LIMBS + limb] ^ column[plane]);
    }
    return ENDS == 2u ? rest | (v & rows.wild[limb]) : rest;
}
