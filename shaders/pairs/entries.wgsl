// pairs/entries: values of pairs that share nothing, one pair per lane.
//
// Recurrence, padding, strips: columns.wgsl.
// Grid:       x: LANES entries each, from first_group on. Entries of a workgroup have similar
//             lengths.
// Phases:     1 planes of the query, 2 sweep the columns, 3 store.
// Codes:      of all strings, 16 per element; a string begins at an element.
// Carries:    [workgroup of the pass][unit][vector][lane].
// Parts:      planes.wgsl, limbs.wgsl, columns.wgsl.
// Host:       src/pairs/gpu/entries.rs.
struct Params {
    first_group: u32,
    entries: u32,          // end of the entries of the class
    first_entry: u32,      // of the class
    most: u32,             // greater values are cut to this
    strip: u32,
    carried_group: u32,    // first workgroup of the carries
    carried_units: u32,    // of a workgroup
}

// First unit of the query, and of the target; length of the query, and of the target.
@group(0) @binding(2) var<storage, read> entries: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> values: array<u32>;    // [entry]

// Codes of four rows from `row` on; rows before the query have code 0.
fn codes_of_rows(query: u32, row: i32) -> u32 {
    if row <= -4 {
        return 0u;
    }
    let place = u32(max(row, 0));
    let word = target_codes[query + place / 16u][(place / 4u) % 4u];
    if row <= 0 {
        return word << u32(-8 * row);
    }
    let shift = 8u * (place % 4u);
    if shift == 0u {
        return word;
    }
    let next = place / 4u + 1u;
    return (word >> shift) | (target_codes[query + next / 4u][next % 4u] << (32u - shift));
}

// Planes of the rows of a limb from `first` on.
fn planes_of_limb(query: u32, first: i32) -> array<u32, PLANES> {
    var planes: array<u32, PLANES>;
    for (var row = 0u; row < 32u; row += 4u) {
        var codes = codes_of_rows(query, first + i32(row));
        if row == 28u {
            codes &= 0xFFFFFFu;    // 31 rows
        }
        for (var plane = 0u; plane < PLANES; plane++) {
            // The lowest bits of four bytes as four bits.
            let bits = (((codes >> plane) & 0x01010101u) * 0x10204080u) >> 28u;
            planes[plane] |= bits << row;
        }
    }
    return planes;
}

fn load_rows(query: u32, padding: u32, strip: u32) -> Rows {
    var rows: Rows;
    for (var limb = 0u; limb < LIMBS; limb++) {
        let first = i32(strip * STRIP_ROWS + limb * LIMB_ROWS) - i32(padding);
        let planes = planes_of_limb(query, first);
        for (var plane = 0u; plane < PLANES; plane++) {
            rows.planes[plane * LIMBS + limb] = planes[plane];
        }
        rows.wild[limb] = GUARD | padded_bits(padding, strip, limb);
    }
    return rows;
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let place = params.first_group + group.x;
    let entry = params.first_entry + place * LANES + lane;
    if entry >= params.entries {
        return;
    }
    let pair = entries[entry];
    let strips = strips_of(pair.z);
    if params.strip >= strips {
        return;
    }
    // Phase 1: planes.
    let padding = strips * STRIP_ROWS - pair.z;
    var rows = load_rows(pair.x, padding, params.strip);

    // Phase 2: sweep.
    let slab = (place - params.carried_group) * params.carried_units;
    let carries = slab * HORIZONTAL * LANES + lane;
    let is_last = params.strip + 1u == strips;
    let columns = Columns(pair.y, 1u, pair.w, carries, params.strip, is_last);
    let value = value_of(&rows, columns, pair.z, padding);

    // Phase 3: store.
    if is_last {
        values[entry] = value;
    }
}
