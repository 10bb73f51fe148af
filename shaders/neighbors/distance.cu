// neighbors/distance: edit distance of two strings within a bound of at most 15.
//
// Method, rows: as in distance.wgsl.
// Parts:    strings.cu, keys.cu.
DEVICE u32 distance_within(const Arguments& at, u32 one, u32 other, u32 within) {
    const u32x4 a = records(at)[2u * one];
    const u32x4 b = records(at)[2u * other];
    const bool is_swapped = a.y < b.y;
    const u32 long_at = select(a.x, b.x, is_swapped);
    const u32 rows = select(a.y, b.y, is_swapped);
    const u32 short_at = select(b.x, a.x, is_swapped);
    const u32 columns = select(b.y, a.y, is_swapped);
    const u32 k = min(within, rows);
    u32 window[PLANES];
    u32 entering[PLANES];
    u32 symbols[PLANES];
#pragma unroll
    for (u32 plane = 0u; plane < PLANES; plane++) {
        const u32 word = planes(at)[long_at + plane];
        window[plane] = word << 1u << (31u - k);
        entering[plane] = word >> k;
        symbols[plane] = 0u;
    }
    u32 valid = 0xfffffffeu << (31u - k);
    u32 positive = 0xffffffffu << (31u - k);
    u32 negative = 0u;
    u32 distance = k;
    u32 last_row = 0x40000000u;
    // Beyond this it stays above the bound.
    const u32 most = 2u * k + columns - rows;
    for (u32 column = 0u; column < columns; column++) {
        const u32 row = column + k;
        if ((row & 31u) == 0u) {
#pragma unroll
            for (u32 plane = 0u; plane < PLANES; plane++) {
                entering[plane] = planes(at)[long_at + (row >> 5u) * PLANES + plane];
            }
        }
        if ((column & 31u) == 0u) {
#pragma unroll
            for (u32 plane = 0u; plane < PLANES; plane++) {
                symbols[plane] = planes(at)[short_at + (column >> 5u) * PLANES + plane];
            }
        }
        valid = valid >> 1u | 0x80000000u;
        u32 matching = valid;
#pragma unroll
        for (u32 plane = 0u; plane < PLANES; plane++) {
            window[plane] = __funnelshift_r(window[plane], entering[plane], 1u);
            entering[plane] >>= 1u;
            matching &= ~(window[plane] ^ (0u - (symbols[plane] & 1u)));
            symbols[plane] >>= 1u;
        }
        const u32 diagonal = (((matching & positive) + positive) ^ positive) | matching | negative;
        const u32 right_more = negative | ~(diagonal | positive);
        const u32 right_less = diagonal & positive;
        if (row < rows) {
            distance += diagonal >> 31u ^ 1u;
        } else {
            distance += u32((right_more & last_row) != 0u);
            distance -= u32((right_less & last_row) != 0u);
            last_row >>= 1u;
        }
        if (distance > most) {
            return within + 1u;
        }
        positive = right_less | ~(diagonal >> 1u | right_more);
        negative = diagonal >> 1u & right_more;
    }
    return distance;
}
