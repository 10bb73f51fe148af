// pairs/lanes: values of one query with many targets, one target per lane.
//
// Recurrence, padding, strips: columns.wgsl.
// Grid:       x: a query each, from first_query on; y: group_tiles of the range of tiles each. A
//             tile is LANES targets of similar lengths.
// Phases:     1 masks of the query; then per tile: 2 sweep the columns, 3 store.
// Skipped:    tiles without a target from the query's first one on.
// Codes:      [tile][unit][lane].
// Carries:    [query of the pass][unit of the range of tiles][vector][lane].
// Parts:      masks.wgsl, limbs.wgsl, columns.wgsl, store_values.wgsl or store_kept.wgsl.
// Host:       src/pairs/gpu/cross.rs.
struct Params {
    first_query: u32,
    first_tile: u32,
    end_tile: u32,
    group_tiles: u32,      // per workgroup
    row_words: u32,        // of a row of the values
    tiles: u32,            // of all targets
    most: u32,             // greater values are cut to this
    strip: u32,
    carried_query: u32,    // first query of the carries
    carried_unit: u32,     // first unit of the carries
    carried_units: u32,    // of a query
}

@group(0) @binding(2) var<storage, read> query_codes: array<u32>;          // 4 per word
// Row, first word, length, first target.
@group(0) @binding(3) var<storage, read> query_table: array<vec4<u32>>;
// [tile]: first unit, units, last target; then [tile][lane]: length
@group(0) @binding(4) var<storage, read> target_table: array<u32>;

fn code_of_row(query: vec4<u32>, row: u32) -> u32 {
    return (query_codes[query.y + row / 4u] >> (8u * (row % 4u))) & 255u;
}

fn load_masks(query: vec4<u32>, padding: u32, strip: u32, lane: u32) {
    for (var entry = lane; entry < (SYMBOLS + 1u) * LIMBS; entry += LANES) {
        let code = entry / LIMBS;
        let limb = entry % LIMBS;
        let padded = padded_bits(padding, strip, limb);
        var mask = select(0u, GUARD, VERTICAL == 2u) | select(0u, padded, ENDS == 2u);
        if code > 0u {
            let first = strip * STRIP_ROWS + limb * LIMB_ROWS;
            for (var bit = max(padding, first) - first; bit < LIMB_ROWS; bit++) {
                let is_match = code_of_row(query, first + bit - padding) == code;
                mask |= select(0u, 1u << bit, is_match);
            }
        }
        wg_masks[code * STRIDE + limb] = mask;
    }
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let place = params.first_query + group.x;
    let query = query_table[place];
    let strips = strips_of(query.z);
    if params.strip >= strips {
        return;
    }
    let is_last = params.strip + 1u == strips;
    let padding = strips * STRIP_ROWS - query.z;
    let first_tile = params.first_tile + group.y * params.group_tiles;
    let end_tile = min(first_tile + params.group_tiles, params.end_tile);
    let slab = (place - params.carried_query) * params.carried_units;
    var rows: Rows;

    // Phase 1: masks.
    load_masks(query, padding, params.strip, lane);
    workgroupBarrier();
    for (var tile = first_tile; tile < end_tile; tile++) {
        // Phase 2: sweep.
        if target_table[3u * tile + 2u] < query.w {
            continue;
        }
        let first_unit = target_table[3u * tile];
        let len = target_table[3u * params.tiles + tile * LANES + lane];
        let carries = (slab + first_unit - params.carried_unit) * HORIZONTAL * LANES + lane;
        let columns = Columns(first_unit * LANES + lane, LANES, len, carries, params.strip, is_last);
        let value = value_of(&rows, columns, query.z, padding);

        // Phase 3: store.
        if is_last {
            store(query.x, tile, lane, value);
        }
    }
}
