// bit_parallel/match_planes: match masks of a column from bit planes in registers.
//
// Planes, columns, sets, wild, needs: as in match_planes.wgsl.
// Twin:     match_table.cu, for small alphabets.
BINDING(1, const u32, row_planes)       // [plane][direction, strip][limb][lane]
BINDING(2, const u32, column_planes)    // [plane][direction][columns / 32]

struct Rows {
    Words<PLANES * LIMBS> planes;
    Words<LIMBS> wild;
};
typedef Words<PLANES> Codes;
typedef Words<PLANES> Block;
typedef Words<PLANES> Column;
struct Opened {};

DEVICE Rows load_rows(const Arguments& at, u32 strip, u32 lane, u32 strips) {
    Rows rows;
#pragma unroll
    for (u32 plane = 0u; plane < PLANES; plane++) {
#pragma unroll
        for (u32 limb = 0u; limb < LIMBS; limb++) {
            rows.planes[plane * LIMBS + limb] = row_planes(at)[((plane * strips + strip) * LIMBS + limb) * LANES + lane];
        }
    }
#pragma unroll
    for (u32 limb = 0u; limb < LIMBS; limb++) {
        rows.wild[limb] = WILD != 0u ? ~0u : 0u;
#pragma unroll
        for (u32 plane = 0u; plane < PLANES; plane++) {
            rows.wild[limb] &= rows.planes[plane * LIMBS + limb] ^ (((WILD >> plane) & 1u) == 1u ? 0u : ~0u);
        }
    }
    return rows;
}

template <class Params> DEVICE Codes load_codes(const Arguments& at, const Params& params, u32 unit) {
    const u32 stride = params.direction_words / (32u / COLUMNS) * params.directions;
    const u32 column = unit * UNIT;
    Codes codes;
#pragma unroll
    for (u32 plane = 0u; plane < PLANES; plane++) {
        codes[plane] = column_planes(at)[plane * stride + column / 32u] >> (column % 32u);
    }
    return codes;
}

// Code bits of the eight columns from column k on.
DEVICE Block block_of(const Codes& codes, u32 k) {
    Block block;
#pragma unroll
    for (u32 plane = 0u; plane < PLANES; plane++) {
        block[plane] = codes[plane] >> k;
    }
    return block;
}

// Opening a column costs one instruction per plane, so none is opened early.
DEVICE Opened open_first(const Rows& rows, const Codes& codes) { return {}; }
DEVICE Block first_block_of(const Codes& codes, const Opened& first) { return block_of(codes, 0u); }

DEVICE Column open_column(const Rows& rows, const Block& block, u32 k) {
    Column splat;
#pragma unroll
    for (u32 plane = 0u; plane < PLANES; plane++) {
        splat[plane] = u32(i32(block[plane] << (31u - k)) >> 31u);
    }
    return splat;
}

// Rows of v that agree in planes 0 to `end` - 1.
DEVICE u32 agreeing(const Rows& rows, const Column& column, u32 limb, u32 v, u32 end) {
    u32 rest = v;
#pragma unroll
    for (u32 plane = 0u; plane < PLANES; plane++) {
        if (plane < end) {
            rest &= ~(rows.planes[plane * LIMBS + limb] ^ column[plane]);
        }
    }
    return rest;
}

// Rows that have a plane in common with the column.
DEVICE u32 common(const Rows& rows, const Column& column, u32 limb) {
    u32 found = 0u;
#pragma unroll
    for (u32 plane = 0u; plane < PLANES; plane++) {
        found |= rows.planes[plane * LIMBS + limb] & column[plane];
    }
    return found;
}

DEVICE u32 matching(const Rows& rows, const Column& column, u32 limb, u32 v) {
    const u32 rest = SETS != 0u ? v & common(rows, column, limb) : agreeing(rows, column, limb, v, PLANES);
    return WILD != 0u ? rest | (v & rows.wild[limb]) : rest;
}

// ~matching(...); without wildcard rows and sets the last plane's operation inverts for free.
DEVICE u32 not_matching(const Rows& rows, const Column& column, u32 limb, u32 v) {
    if (WILD != 0u || SETS != 0u) {
        return ~matching(rows, column, limb, v);
    }
    constexpr u32 LAST = PLANES - 1u;
    const u32 before = agreeing(rows, column, limb, v, LAST);
    // ~(before & ~(plane ^ column))
    return logic<0x6f>(before, rows.planes[LAST * LIMBS + limb], column[LAST]);
}
