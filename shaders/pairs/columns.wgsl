// pairs/columns: sweeps all columns of one strip of a query in one lane, and counts the value.
//
// Recurrence: sweep_eight of <problem>/limbs.wgsl: all limbs of a strip by eight columns. The query
//             ends at the last row of its last strip. So the horizontal differences below that row
//             add up to the value, and their running minimum is that of the best prefix (ENDS = 1)
//             or piece (2) of the target.
// Padding, strips: strips.wgsl. Columns behind the end of a target are swept and not counted.
// Part of:    pairs/lanes.wgsl, pairs/entries.wgsl.
// Index of the second vector of horizontal differences, if there is one.
const SHRINKS = min(HORIZONTAL, 2u) - 1u;

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
            let shrinks = select(0u, below[SHRINKS] & inside, HORIZONTAL >= 2u);
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
