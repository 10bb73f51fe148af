// pairs/entries: values of pairs that share nothing, one pair per lane.
//
// Recurrence, padding, strips: columns.cu.
// Grid, phases, codes, carries: as in entries.wgsl.
// Parts:    planes.cu, limbs.cu, columns.cu.
// Host:     src/pairs/gpu/entries.rs.
struct Params {
    u32 first_group;
    u32 entries;          // end of the entries of the class
    u32 first_entry;      // of the class
    u32 most;             // greater values are cut to this
    u32 strip;
    u32 carried_group;    // first workgroup of the carries
    u32 carried_units;    // of a workgroup
};

// First unit of the query, and of the target; length of the query, and of the target.
BINDING(2, const u32x4, entries)
BINDING(3, u32, values)    // [entry]

// Codes of four rows from `row` on; rows before the query have code 0.
DEVICE u32 codes_of_rows(const Arguments& at, u32 query, i32 row) {
    if (row <= -4) {
        return 0u;
    }
    const u32 place = u32(max(row, 0));
    const u32 word = target_codes(at)[query + place / 16u][place / 4u % 4u];
    if (row <= 0) {
        return word << u32(-8 * row);
    }
    const u32 shift = 8u * (place % 4u);
    if (shift == 0u) {
        return word;
    }
    const u32 next = place / 4u + 1u;
    return word >> shift | target_codes(at)[query + next / 4u][next % 4u] << (32u - shift);
}

// Planes of a strip of the query.
DEVICE Rows load_rows(const Arguments& at, u32 query, u32 padding, u32 strip) {
    Rows rows;
#pragma unroll
    for (u32 limb = 0u; limb < LIMBS; limb++) {
        const i32 first = i32(strip * STRIP_ROWS + limb * LIMB_ROWS) - i32(padding);
#pragma unroll
        for (u32 plane = 0u; plane < PLANES; plane++) {
            rows.planes[plane * LIMBS + limb] = 0u;
        }
#pragma unroll 1
        for (u32 row = 0u; row < LIMB_ROWS; row += 4u) {
            const u32 codes = codes_of_rows(at, query, first + i32(row));
#pragma unroll
            for (u32 plane = 0u; plane < PLANES; plane++) {
                // The lowest bits of four bytes as four bits.
                const u32 bits = (codes >> plane & 0x01010101u) * 0x10204080u >> 28u;
                rows.planes[plane * LIMBS + limb] |= bits << row;
            }
        }
        rows.wild[limb] = padded_bits(padding, strip, limb);
    }
    return rows;
}

KERNEL(LANES) {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const u32 place = params.first_group + group().x;
    const u32 entry = params.first_entry + place * LANES + lane;
    if (entry >= params.entries) {
        return;
    }
    const u32x4 pair = entries(at)[entry];
    const u32 strips = strips_of(pair.z);
    if (params.strip >= strips) {
        return;
    }
    // Phase 1: planes.
    const u32 padding = strips * STRIP_ROWS - pair.z;
    const Rows rows = load_rows(at, pair.x, padding, params.strip);

    // Phase 2: sweep.
    const u32 slab = (place - params.carried_group) * params.carried_units;
    const u32 carries = slab * HORIZONTAL * LANES + lane;
    const bool is_last = params.strip + 1u == strips;
    const Columns columns = {pair.y, 1u, pair.w, carries, params.strip, is_last, params.most};
    const u32 value = value_of(at, rows, columns, pair.z, padding);

    // Phase 3: store.
    if (is_last) {
        values(at)[entry] = value;
    }
}
