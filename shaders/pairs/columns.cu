// pairs/columns: sweeps all columns of one strip of a query in one lane, and counts the value.
//
// Recurrence, padding, strips: as in columns.wgsl.
// Carries:  in registers a word has its first column in the highest bit, as the additions need it;
//           also in carries_between.
// Part of:  pairs/lanes.cu, pairs/entries.cu.
struct Kept {};
DEVICE void keep_limb(Kept& kept, u32 limb, Carries carries) {}

// Value of a query of `query_len` symbols in `padding` rows less; only of use after the last strip.
DEVICE u32 value_of(const Arguments& at, const Rows& rows, const Columns& columns, u32 query_len, u32 padding) {
    Kept kept = {};
    Differences v;
#pragma unroll
    for (u32 limb = 0u; limb < LIMBS; limb++) {
        const u32 padded = padded_bits(padding, columns.strip, limb);
        v[limb] = VERTICAL == 2u ? ~padded : ~0u;
        if (VERTICAL == 2u) {
            v[(VERTICAL - 1u) * LIMBS + limb] = 0u;
        }
    }
    u32 value = VERTICAL == 2u ? query_len : 0u;
    u32 least = value;
#pragma unroll 1
    for (u32 unit = 0u; unit * 16u < columns.len; unit++) {
        const u32x4 codes = target_codes(at)[columns.first + unit * columns.step];
        const u32 carry = columns.carries + unit * HORIZONTAL * LANES;
        Carries above;
        Carries below;
#pragma unroll
        for (u32 h = 0u; h < HORIZONTAL; h++) {
            above[h] = h == 0u && VERTICAL == 2u && ENDS != 2u ? ~0u : 0u;
            if (STRIPS == 1u && columns.strip > 0u) {
                above[h] = carries_between(at)[carry + h * LANES] << 16u;
            }
            below[h] = 0u;
        }
#pragma unroll
        for (u32 half = 0u; half < 2u; half++) {
            const Block block = {{codes[2u * half], codes[2u * half + 1u]}};
            sweep_eight(v, rows, block, above, below, kept);
        }
        if (STRIPS == 1u && !columns.is_last) {
#pragma unroll
            for (u32 h = 0u; h < HORIZONTAL; h++) {
                carries_between(at)[carry + h * LANES] = below[h];
            }
        }
        if (columns.is_last) {
            const u32 end = min(unit * 16u + 16u, columns.len);
            const u32 inside = 0xFFFFu & ~0u << (16u - (end - unit * 16u));
            const u32 grows = below[0u] & inside;
            const u32 shrinks = HORIZONTAL == 2u ? below[HORIZONTAL - 1u] & inside : 0u;
            if (ENDS == 0u) {
                value += count_ones(grows) - count_ones(shrinks);
                // A value shrinks by at most 1 per column. No sum with the bound, which would wrap.
                const u32 left = columns.len - end;
                if (LIMITED == 1u && value >= left && value - left >= columns.most) {
                    break;
                }
            } else {
#pragma unroll
                for (u32 k = 0u; k < 16u; k++) {
                    value += (grows >> (15u - k) & 1u) - (shrinks >> (15u - k) & 1u);
                    least = min(least, value);
                }
            }
        }
    }
    if (ENDS != 0u) {
        value = least;
    }
    if (MEASURE == 1u) {
        value = query_len + columns.len - 2u * value;
    }
    return min(value, columns.most);
}
