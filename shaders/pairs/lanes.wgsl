// pairs/lanes: values of one query with many targets, one target per lane.
//
// Recurrence: sweep_eight of <problem>/limbs.wgsl: all limbs of a strip of the query by eight
//             columns. The query ends at the last row of its last strip. So the horizontal
//             differences below that row add up to the value, and their running minimum is that of
//             the best prefix (ENDS = 1) or piece (2) of the target.
// Grid:       x: a query each, from first_query on; y: TILES of the range of tiles each. A tile is
//             LANES targets of similar lengths.
// Phases:     per tile: 1 masks of the query, 2 sweep the columns, strip by strip, 3 store.
// Padding:    rows above the query repeat the first row: their vertical differences are 0, and they
//             match nothing, or everything if the first row is 0 (ENDS = 2). Columns behind the end
//             of a target are swept and not counted.
// Strips:     with STRIPS = 1 a query may have several; carries holds the horizontal differences
//             below a strip, 16 columns per word and vector.
// Parts:      masks.wgsl, limbs.wgsl.
// Host:       src/pairs/gpu.rs.
const LIMB_ROWS = 31u;
const STRIP_ROWS = LIMBS * LIMB_ROWS;
const GUARD = 1u << 31u;
// Index of the second vector of horizontal differences, if there is one.
const SHRINKS = HORIZONTAL - 1u;

struct Params {
    first_query: u32,
    first_tile: u32,
    end_tile: u32,
    group_tiles: u32,    // per workgroup
    row_words: u32,      // of a row of the values
    tiles: u32,          // of all targets
    most: u32,           // greater values are cut to this
    units: u32,          // of carries per workgroup
}

@group(0) @binding(0) var<storage, read> query_codes: array<u32>;          // 4 per word
@group(0) @binding(1) var<storage, read> query_table: array<vec4<u32>>;    // row, first word, length
@group(0) @binding(2) var<storage, read> target_codes: array<vec4<u32>>;   // [tile][unit][lane]
// [tile]: first unit, units; then [tile][lane]: length
@group(0) @binding(3) var<storage, read> target_table: array<u32>;
@group(0) @binding(4) var<storage, read_write> values: array<u32>;         // [row][target], PACK per word
@group(0) @binding(5) var<storage, read_write> carries_between: array<u32>;    // [group][unit][vector][lane]

var<workgroup> wg_values: array<u32, LANES>;

fn code_of_row(query: vec4<u32>, row: u32) -> u32 {
    return (query_codes[query.y + row / 4u] >> (8u * (row % 4u))) & 255u;
}

// Rows above the query in its first strip.
fn padding_of(query: vec4<u32>, strips: u32) -> u32 {
    return strips * STRIP_ROWS - query.z;
}

// Bits of a limb that are padding.
fn padded_bits(padding: u32, strip: u32, limb: u32) -> u32 {
    let before = strip * STRIP_ROWS + limb * LIMB_ROWS;
    let rows = min(max(padding, before) - before, LIMB_ROWS);
    return (1u << rows) - 1u;
}

fn load_masks(query: vec4<u32>, strips: u32, strip: u32, lane: u32) {
    let padding = padding_of(query, strips);
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
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let query = query_table[params.first_query + group.x];
    let strips = select(1u, max(1u, (query.z + STRIP_ROWS - 1u) / STRIP_ROWS), STRIPS == 1u);
    let padding = padding_of(query, strips);
    let first_tile = params.first_tile + group.y * params.group_tiles;
    let end_tile = min(first_tile + params.group_tiles, params.end_tile);
    let slab = (group.y * groups.x + group.x) * params.units;
    var rows: Rows;
    for (var tile = first_tile; tile < end_tile; tile++) {
        let first_unit = target_table[2u * tile];
        let len = target_table[2u * params.tiles + tile * LANES + lane];
        var value = select(0u, query.z, VERTICAL == 2u);
        var least = value;
        for (var strip = 0u; strip < strips; strip++) {
            // Phase 1: masks.
            if strips > 1u || tile == first_tile {
                workgroupBarrier();
                load_masks(query, strips, strip, lane);
                workgroupBarrier();
            }
            var v = Differences();
            for (var limb = 0u; limb < LIMBS; limb++) {
                let padded = padded_bits(padding, strip, limb);
                v[limb] = select(~0u, ~padded, VERTICAL == 2u);
            }

            // Phase 2: sweep.
            let is_last = strip + 1u == strips;
            for (var unit = 0u; unit * 16u < len; unit++) {
                let codes = target_codes[(first_unit + unit) * LANES + lane];
                var above = Carries();
                above[0] = select(0u, 0xFFFFu, VERTICAL == 2u && ENDS != 2u);
                if STRIPS == 1u && strip > 0u {
                    for (var h = 0u; h < HORIZONTAL; h++) {
                        above[h] = carries_between[((slab + unit) * HORIZONTAL + h) * LANES + lane];
                    }
                }
                // No loop here: one that is not unrolled would keep the codes in memory.
                var below = sweep_eight(&v, &rows, codes.xy, above);
                for (var h = 0u; h < HORIZONTAL; h++) {
                    above[h] >>= 8u;
                }
                let second = sweep_eight(&v, &rows, codes.zw, above);
                for (var h = 0u; h < HORIZONTAL; h++) {
                    below[h] |= second[h] << 8u;
                    if STRIPS == 1u && !is_last {
                        carries_between[((slab + unit) * HORIZONTAL + h) * LANES + lane] = below[h];
                    }
                }
                if is_last {
                    let end = min(unit * 16u + 16u, len);
                    let inside = (1u << (end - unit * 16u)) - 1u;
                    let grows = below[0] & inside;
                    let shrinks = select(0u, below[SHRINKS] & inside, HORIZONTAL == 2u);
                    if ENDS == 0u {
                        value += countOneBits(grows) - countOneBits(shrinks);
                        // A value shrinks by at most 1 per column.
                        if LIMITED == 1u && value >= params.most + (len - end) {
                            break;
                        }
                    } else {
                        for (var k = 0u; k < 16u; k++) {
                            value += ((grows >> k) & 1u) - ((shrinks >> k) & 1u);
                            least = min(least, value);
                        }
                    }
                }
            }
        }

        // Phase 3: store.
        if ENDS != 0u {
            value = least;
        }
        if MEASURE == 1u {
            value = query.z + len - 2u * value;
        }
        wg_values[lane] = min(value, params.most);
        workgroupBarrier();
        if lane < LANES / PACK {
            var word = 0u;
            for (var i = 0u; i < PACK; i++) {
                word |= wg_values[lane * PACK + i] << (i * (32u / PACK));
            }
            values[query.x * params.row_words + tile * (LANES / PACK) + lane] = word;
        }
        workgroupBarrier();
    }
}
