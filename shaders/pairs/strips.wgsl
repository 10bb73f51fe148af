// pairs/strips: rows of a query in strips, and the columns of a lane.
//
// Padding:    rows above the query repeat the first row: their vertical differences are 0, and they
//             match nothing, or everything if the first row is 0 (ENDS = 2).
// Strips:     with STRIPS = 1 a query may have several, one per pass; carries_between holds the
//             horizontal differences below the strip before, 16 columns per word and vector.
// Part of:    pairs/lanes.wgsl, pairs/entries.wgsl.
const LIMB_ROWS = 31u;
const STRIP_ROWS = LIMBS * LIMB_ROWS;
const GUARD = 1u << 31u;

@group(0) @binding(0) var<storage, read> target_codes: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> carries_between: array<u32>;

// Columns of a lane.
struct Columns {
    first: u32,      // unit of 16 codes
    step: u32,       // between units
    len: u32,
    carries: u32,    // first word
    strip: u32,
    is_last: bool,
}

// Bits of a limb that are padding.
fn padded_bits(padding: u32, strip: u32, limb: u32) -> u32 {
    let before = strip * STRIP_ROWS + limb * LIMB_ROWS;
    let rows = min(max(padding, before) - before, LIMB_ROWS);
    return (1u << rows) - 1u;
}

fn strips_of(len: u32) -> u32 {
    return select(1u, max(1u, (len + STRIP_ROWS - 1u) / STRIP_ROWS), STRIPS == 1u);
}
