// search/ends: all ends of patterns in a text within a bound.
//
// Recurrence: sweep_eight of edit_distance/limbs.wgsl, over a first row of zeros. The pattern ends at
//             the last row, so the horizontal differences below it add up to the distance.
// Grid:       `tiles` workgroups a pattern. A tile is LANES chunks of chunk_units units of 16
//             positions, one per lane; the units before a chunk that a place may reach are swept, too.
// Padding:    rows above the pattern match everything and have no vertical differences.
// Text:       classes, one byte each; class 0 matches nothing. A text for each direction.
// Result:     ends = position, pattern and distance; in any order, with copies. Those that do not fit
//             are counted.
// Parts:      pairs/masks.wgsl, edit_distance/limbs.wgsl. Host: src/search/gpu.rs.
struct Params {
    first_group: u32,
    tiles: u32,           // of each text
    chunk_units: u32,
    margin_units: u32,
    text_units: u32,      // of each text
    within: u32,
    capacity: u32,        // of the ends
    first_pattern: u32,   // in the ends
}

@group(0) @binding(0) var<storage, read> text: array<vec4<u32>>;
// [pattern]: length, first unit of its text
@group(0) @binding(1) var<storage, read> patterns: array<vec2<u32>>;
// [pattern][class][limb]: rows that match, with the guard bit
@group(0) @binding(2) var<storage, read> masks: array<u32>;
@group(0) @binding(3) var<storage, read_write> ends: array<vec2<u32>>;    // [capacity]
@group(0) @binding(4) var<storage, read_write> found: array<atomic<u32>>;

const LIMB_ROWS = 31u;
const MASKS = (SYMBOLS + 1u) * LIMBS;
// Bits of the distance of an end, below its pattern.
const DISTANCE_BITS = 8u;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = params.first_group + workgroup.x;
    let pattern = group / params.tiles;
    for (var entry = lane; entry < MASKS; entry += LANES) {
        wg_masks[(entry / LIMBS) * STRIDE + entry % LIMBS] = masks[pattern * MASKS + entry];
    }
    workgroupBarrier();
    let first = ((group % params.tiles) * LANES + lane) * params.chunk_units;
    if first >= params.text_units {
        return;
    }
    let start = max(first, params.margin_units) - params.margin_units;
    let end = min(first + params.chunk_units, params.text_units);
    let of_pattern = patterns[pattern];
    let padding = LIMBS * LIMB_ROWS - of_pattern.x;
    var v = Differences();
    for (var limb = 0u; limb < LIMBS; limb++) {
        let before = limb * LIMB_ROWS;
        v[limb] = ~0u << min(max(padding, before) - before, LIMB_ROWS);
    }
    var rows: Rows;
    var distance = of_pattern.x;
    for (var unit = start; unit < end; unit++) {
        let classes = text[of_pattern.y + unit];
        // No loop here: one that is not unrolled would keep the classes in memory.
        let one = sweep_eight(&v, &rows, classes.xy, Carries());
        let two = sweep_eight(&v, &rows, classes.zw, Carries());
        let grows = one[0] | (two[0] << 8u);
        let shrinks = one[1] | (two[1] << 8u);
        let least_possible = distance - min(distance, countOneBits(shrinks));
        if unit < first || least_possible > params.within {
            distance += countOneBits(grows) - countOneBits(shrinks);
            continue;
        }
        for (var k = 0u; k < 16u; k++) {
            distance += ((grows >> k) & 1u) - ((shrinks >> k) & 1u);
            if distance <= params.within {
                let place = atomicAdd(&found[0], 1u);
                if place < params.capacity {
                    ends[place] = vec2<u32>(16u * unit + k + 1u, ((params.first_pattern + pattern) << DISTANCE_BITS) | distance);
                }
            }
        }
    }
}
