// bit_parallel/match_table: match masks of a column from a table in workgroup memory.
//
// Table, columns, sets, wild, needs: as in match_table.wgsl.
// Twin:     match_planes.cu, for alphabets of any size.
constexpr u32 VECTORS = LIMBS / LIMB_WIDTH;

BINDING(1, const u32, row_planes)             // [plane][direction, strip][limb][lane]
BINDING(2, const CodeVector, column_codes)    // [direction][columns / UNIT]

__shared__ LimbVector wg_masks[(SYMBOLS + 1u) * VECTORS * LANES];

struct Rows {
    u32 place;    // of the lane's masks of code 0, in workgroup memory
};
typedef CodeVector Codes;
struct Column {
    LimbVector vector[VECTORS];
};
typedef Column Opened;
struct Block {
    u32 codes[2];
    bool is_opened;
    Opened first;    // the opened first column, if is_opened
};

DEVICE Rows load_rows(const Arguments& at, u32 strip, u32 lane, u32 strips) {
#pragma unroll
    for (u32 vector = 0u; vector < VECTORS; vector++) {
        LimbVector planes[PLANES];
#pragma unroll
        for (u32 plane = 0u; plane < PLANES; plane++) {
            const u32 first = ((plane * strips + strip) * LIMBS + vector * LIMB_WIDTH) * LANES + lane;
#pragma unroll
            for (u32 i = 0u; i < LIMB_WIDTH; i++) {
                planes[plane][i] = row_planes(at)[first + i * LANES];
            }
        }
        LimbVector wild = splat<LimbVector>(0u);
        if (WILD != 0u) {
            wild = splat<LimbVector>(~0u);
#pragma unroll
            for (u32 plane = 0u; plane < PLANES; plane++) {
                wild &= planes[plane] ^ (((WILD >> plane) & 1u) == 1u ? 0u : ~0u);
            }
        }
        wg_masks[vector * LANES + lane] = wild;
        for (u32 symbol = 1u; symbol <= SYMBOLS; symbol++) {
            LimbVector mask = splat<LimbVector>(SETS != 0u ? 0u : ~0u);
#pragma unroll
            for (u32 plane = 0u; plane < PLANES; plane++) {
                const bool has_plane = ((symbol >> plane) & 1u) == 1u;
                if (SETS != 0u) {
                    mask |= planes[plane] & (has_plane ? ~0u : 0u);
                } else {
                    mask &= planes[plane] ^ (has_plane ? 0u : ~0u);
                }
            }
            wg_masks[(symbol * VECTORS + vector) * LANES + lane] = mask | wild;
        }
    }
    return {workgroup_place(wg_masks + lane)};
}

template <class Params> DEVICE Codes load_codes(const Arguments& at, const Params& params, u32 unit) {
    return column_codes(at)[unit];
}

DEVICE Column open(const Rows& rows, const u32 codes, u32 k) {
    const u32 code = byte_of(codes, k);
    const LimbVector* masks = at_workgroup_place<LimbVector>(code * u32(VECTORS * LANES * sizeof(LimbVector)) + rows.place);
    Column column;
#pragma unroll
    for (u32 vector = 0u; vector < VECTORS; vector++) {
        column.vector[vector] = masks[vector * LANES];
    }
    return column;
}

// Opens the first column of a unit early, since the load takes as long as sweeping several columns.
DEVICE Opened open_first(const Rows& rows, const Codes& codes) { return open(rows, codes[0u], 0u); }

// Codes of the eight columns from column k on.
DEVICE Block block_of(const Codes& codes, u32 k) { return {{codes[k / 4u], codes[k / 4u + 1u]}, false}; }
DEVICE Block first_block_of(const Codes& codes, const Opened& first) { return {{codes[0u], codes[1u]}, true, first}; }

DEVICE Column open_column(const Rows& rows, const Block& block, u32 k) {
    return k == 0u && block.is_opened ? block.first : open(rows, block.codes[k / 4u], k % 4u);
}

DEVICE u32 matching(const Rows& rows, const Column& column, u32 limb, u32 v) {
    return v & column.vector[limb / LIMB_WIDTH][limb % LIMB_WIDTH];
}

// ~matching(...).
DEVICE u32 not_matching(const Rows& rows, const Column& column, u32 limb, u32 v) {
    // ~(v & mask)
    return logic<0x3f>(v, column.vector[limb / LIMB_WIDTH][limb % LIMB_WIDTH], 0u);
}
