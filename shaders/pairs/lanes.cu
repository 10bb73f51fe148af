// pairs/lanes: values of one query with many targets, one target per lane.
//
// Recurrence, padding, strips: columns.cu.
// Grid, phases, skipped, codes, carries: as in lanes.wgsl.
// Parts:    masks.cu, limbs.cu, columns.cu, store_values.cu or store_kept.cu.
// Host:     src/pairs/gpu/cross.rs.
struct Params {
    u32 first_query;
    u32 first_tile;
    u32 end_tile;
    u32 group_tiles;      // per workgroup
    u32 row_words;        // of a row of the values
    u32 tiles;            // of all targets
    u32 most;             // greater values are cut to this
    u32 strip;
    u32 carried_query;    // first query of the carries
    u32 carried_unit;     // first unit of the carries
    u32 carried_units;    // of a query
};

BINDING(2, const u32, query_codes)     // 4 per word
BINDING(3, const u32x4, query_table)   // row, first word, length, first target
// [tile]: first unit, units, last target; then [tile][lane]: length
BINDING(4, const u32, target_table)

DEVICE u32 code_of_row(const Arguments& at, const u32x4& query, u32 row) {
    return (query_codes(at)[query.y + row / 4u] >> (8u * (row % 4u))) & 255u;
}

DEVICE void load_masks(const Arguments& at, const u32x4& query, u32 padding, u32 strip, u32 lane) {
    for (u32 entry = lane; entry < (SYMBOLS + 1u) * LIMBS; entry += LANES) {
        const u32 code = entry / LIMBS;
        const u32 limb = entry % LIMBS;
        u32 mask = ENDS == 2u && VERTICAL == 2u ? padded_bits(padding, strip, limb) : 0u;
        if (code > 0u) {
            const u32 first = strip * STRIP_ROWS + limb * LIMB_ROWS;
            for (u32 bit = max(padding, first) - first; bit < LIMB_ROWS; bit++) {
                mask |= code_of_row(at, query, first + bit - padding) == code ? 1u << bit : 0u;
            }
        }
        wg_masks[code * STRIDE + limb] = mask;
    }
}

KERNEL(LANES) {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const u32 place = params.first_query + group().x;
    const u32x4 query = query_table(at)[place];
    const u32 strips = strips_of(query.z);
    if (params.strip >= strips) {
        return;
    }
    const bool is_last = params.strip + 1u == strips;
    const u32 padding = strips * STRIP_ROWS - query.z;
    const u32 first_tile = params.first_tile + group().y * params.group_tiles;
    const u32 end_tile = min(first_tile + params.group_tiles, params.end_tile);
    const u32 slab = (place - params.carried_query) * params.carried_units;
    const Rows rows = {};

    // Phase 1: masks.
    load_masks(at, query, padding, params.strip, lane);
    barrier();
    for (u32 tile = first_tile; tile < end_tile; tile++) {
        // Phase 2: sweep.
        if (target_table(at)[3u * tile + 2u] < query.w) {
            continue;
        }
        const u32 first_unit = target_table(at)[3u * tile];
        const u32 len = target_table(at)[3u * params.tiles + tile * LANES + lane];
        const u32 carries = (slab + first_unit - params.carried_unit) * HORIZONTAL * LANES + lane;
        const Columns columns = {first_unit * LANES + lane, LANES, len, carries, params.strip, is_last, params.most};
        const u32 value = value_of(at, rows, columns, query.z, padding);

        // Phase 3: store.
        if (is_last) {
            store(at, params.row_words, params.most, query.x, tile, lane, value);
        }
    }
}
