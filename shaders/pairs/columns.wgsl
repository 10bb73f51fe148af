// pairs/columns: sweeps all columns of one strip of a query in one lane, and counts the value.
//
// Recurrence: sweep_eight of <problem>/limbs.wgsl: all limbs of a strip by eight columns. The query
//             ends at the last row of its last strip. So the horizontal differences below that row
//             add up to the value, and their running minimum is that of the best prefix (ENDS = 1)
//             or piece (2) of the target.
// Padding:    rows above the query repeat the first row: their vertical differences are 0, and they
//             match nothing, or everything if the first row is 0 (ENDS = 2). Columns behind the end
//             of a target are swept and not counted.
// Strips:     with STRIPS = 1 a query may have several, one per pass; carries_between holds the
//             horizontal differences below the strip before, 16 columns per word and vector.
// Part of:    pairs/lanes.wgsl, pairs/entries.wgsl.
const LIMB_ROWS = 31u;
const STRIP_ROWS = LIMBS * LIMB_ROWS;
const GUARD = 1u << 31u;
// Index of the second vector of horizontal differences, if there is one.
const SHRINKS = HORIZONTAL - 1u;

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

// Value of a query of `query_len` symbols in `padding` rows less; only of use after the last strip.
fn value_of(rows: ptr<function, Rows>, columns: Columns, query_len: u32, padding: u32) -> u32 {
    var v = Differences();
    for (var limb = 0u; limb < LIMBS; limb++) {
        let padded = padded_bits(padding, columns.strip, limb);
        v[limb] = select(~0u, ~padded, VERTICAL == 2u);
    }
    var value = select(0u, query_len, VERTICAL == 2u);
    var least = value;
    for (var unit = 0u; unit * 16u < columns.len; unit++) {
        let codes = target_codes[columns.first + unit * columns.step];
        let carry = columns.carries + unit * HORIZONTAL * LANES;
        var above = Carries();
        above[0] = select(0u, 0xFFFFu, VERTICAL == 2u && ENDS != 2u);
        if STRIPS == 1u && columns.strip > 0u {
            for (var h = 0u; h < HORIZONTAL; h++) {
                above[h] = carries_between[carry + h * LANES];
            }
        }
        // No loop here: one that is not unrolled would keep the codes in memory.
        var below = sweep_eight(&v, rows, codes.xy, above);
        for (var h = 0u; h < HORIZONTAL; h++) {
            above[h] >>= 8u;
        }
        let second = sweep_eight(&v, rows, codes.zw, above);
        for (var h = 0u; h < HORIZONTAL; h++) {
            below[h] |= second[h] << 8u;
            if STRIPS == 1u && !columns.is_last {
                carries_between[carry + h * LANES] = below[h];
            }
        }
        if columns.is_last {
            let end = min(unit * 16u + 16u, columns.len);
            let inside = (1u << (end - unit * 16u)) - 1u;
            let grows = below[0] & inside;
            let shrinks = select(0u, below[SHRINKS] & inside, HORIZONTAL == 2u);
            if ENDS == 0u {
                value += countOneBits(grows) - countOneBits(shrinks);
                // A value shrinks by at most 1 per column. No sum with the bound, which would wrap.
                let left = columns.len - end;
                if LIMITED == 1u && value >= left && value - left >= params.most {
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
    if ENDS != 0u {
        value = least;
    }
    if MEASURE == 1u {
        value = query_len + columns.len - 2u * value;
    }
    return min(value, params.most);
}
