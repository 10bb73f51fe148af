// neighbors/distance: edit distance of two strings within a bound of at most 15.
//
// Method:   a limb of 32 rows around the diagonal (Hyyro 2003, "A bit-vector algorithm for computing
//           Levenshtein and Damerau edit distances", of the band from bit 31 - 2k to bit 31). Its
//           lowest row is followed down to the last row of the table, then along it.
// Rows:     of the longer string; a row enters at bit 31 with every column. Rows before the first
//           are not valid; those behind the last hold unused values.
// Parts:    strings.wgsl, keys.wgsl.
fn distance_within(one: u32, other: u32, within: u32) -> u32 {
    let a = records[2u * one];
    let b = records[2u * other];
    let is_swapped = a.y < b.y;
    let long = select(a, b, is_swapped);
    let short = select(b, a, is_swapped);
    let k = min(within, long.y);
    var window: array<u32, PLANES>;
    var entering: array<u32, PLANES>;
    var symbols: array<u32, PLANES>;
    for (var plane = 0u; plane < PLANES; plane++) {
        let word = planes[long.x + plane];
        window[plane] = (word << 1u) << (31u - k);
        entering[plane] = word >> k;
    }
    var valid = 0xfffffffeu << (31u - k);
    var positive = 0xffffffffu << (31u - k);
    var negative = 0u;
    var distance = k;
    var last_row = 0x40000000u;
    // Beyond this it stays above the bound.
    let most = 2u * k + short.y - long.y;
    for (var column = 0u; column < short.y; column++) {
        let row = column + k;
        if (row & 31u) == 0u {
            for (var plane = 0u; plane < PLANES; plane++) {
                entering[plane] = planes[long.x + (row >> 5u) * PLANES + plane];
            }
        }
        if (column & 31u) == 0u {
            for (var plane = 0u; plane < PLANES; plane++) {
                symbols[plane] = planes[short.x + (column >> 5u) * PLANES + plane];
            }
        }
        valid = (valid >> 1u) | 0x80000000u;
        var matching = valid;
        for (var plane = 0u; plane < PLANES; plane++) {
            window[plane] = (window[plane] >> 1u) | (entering[plane] << 31u);
            entering[plane] >>= 1u;
            matching &= ~(window[plane] ^ (0u - (symbols[plane] & 1u)));
            symbols[plane] >>= 1u;
        }
        let diagonal = (((matching & positive) + positive) ^ positive) | matching | negative;
        let right_more = negative | ~(diagonal | positive);
        let right_less = diagonal & positive;
        if row < long.y {
            distance += (diagonal >> 31u) ^ 1u;
        } else {
            distance += u32((right_more & last_row) != 0u);
            distance -= u32((right_less & last_row) != 0u);
            last_row >>= 1u;
        }
        if distance > most {
            return within + 1u;
        }
        positive = right_less | ~((diagonal >> 1u) | right_more);
        negative = (diagonal >> 1u) & right_more;
    }
    return distance;
}
