// pairs/bands: edit distances of pairs within a band around the diagonal, one pair per lane.
//
// Recurrence: as in edit_distance/limbs.cu.
// Window, strings, padding, end, grid, phases: as in bands.wgsl.
// Host:       src/pairs/gpu/bands.rs.
struct Params {
    u32 first_group;
    u32 entries;
    u32 most;           // greater values are not of interest
};

// First word of the query, and of the target; length of the query, and of the target.
BINDING(1, const u32x4, entries)
BINDING(2, u32, values)    // [entry]

constexpr u32 BEYOND = ~0u;    // value of a pair that ended early
// Columns per iteration, which is unrolled.
constexpr u32 COLUMNS = 4u;

struct Window {
    Words<LIMBS> vp;    // rows where the distance grows downwards
    Words<LIMBS> vn;    // rows where it shrinks
    Words<PLANES * LIMBS> planes;
};

// Low `rows` bits of limb `limb`.
DEVICE u32 low_rows(i32 rows, u32 limb) {
    const i32 here = clamp(rows - i32(32u * limb), 0, 32);
    return here == 32 ? ~0u : (1u << here) - 1u;
}

// Sweeps columns; the highest bits of `entering` are the differences above the window.
DEVICE void sweep_columns(Window& window, Planes& text, u32& entering) {
#pragma unroll
    for (u32 k = 0u; k < COLUMNS; k++) {
        Planes column;
#pragma unroll
        for (u32 plane = 0u; plane < PLANES; plane++) {
            column[plane] = spread(text[plane], k);
        }
        Words<LIMBS> masks, sums;
#pragma unroll
        for (u32 limb = 0u; limb < LIMBS; limb++) {
            u32 mask = ~0u;
#pragma unroll
            for (u32 plane = 0u; plane < PLANES; plane++) {
                mask &= ~(window.planes[plane * LIMBS + limb] ^ column[plane]);
            }
            masks[limb] = mask;
        }
        sums[0u] = add_leaving(masks[0u] & window.vp[0u], window.vp[0u]);
#pragma unroll
        for (u32 limb = 1u; limb < LIMBS; limb++) {
            sums[limb] = add_passing(masks[limb] & window.vp[limb], window.vp[limb]);
        }
        entering = add_leaving(entering, entering);
#pragma unroll
        for (u32 limb = 0u; limb < LIMBS; limb++) {
            const u32 vp = window.vp[limb];
            const u32 vn = window.vn[limb];
            const u32 hn_above = sums[limb] ^ (masks[limb] & vp) ^ vp;
            const u32 d0 = logic<0xfe>(masks[limb], vn, hn_above);
            const u32 hp_here = logic<0xf1>(vn, d0, vp);               // vn | ~(d0 | vp)
            const u32 hp_above = add_passing(hp_here, hp_here);
            window.vp[limb] = logic<0xf1>(hn_above, d0, hp_above);
            window.vn[limb] = hp_above & d0;
        }
    }
#pragma unroll
    for (u32 plane = 0u; plane < PLANES; plane++) {
        text[plane] >>= COLUMNS;
    }
}

// Lower bound of the values of a column; `above` is the one above the window.
DEVICE u32 least(const Window& window, u32 above) {
    i32 value = i32(above);
    i32 bound = value;
#pragma unroll
    for (u32 limb = 0u; limb < LIMBS; limb++) {
        const i32 before = value;
        value += i32(countOneBits(window.vp[limb])) - i32(countOneBits(window.vn[limb]));
        // Values of consecutive rows differ by at most 1.
        bound = min(bound, (before + value - 32) / 2);
    }
    return u32(max(bound, 0));
}

KERNEL {
    const Params& params = PARAMS(at);
    const u32 entry = (params.first_group + group().x) * LANES + lane();
    if (entry >= params.entries) {
        return;
    }
    const u32x4 pair = entries(at)[entry];
    const i32 row_words = i32((pair.z + 31u) / 32u);
    const i32 blocks = i32((pair.w + 31u) / 32u);
    const i32 row_padding = 32 * row_words - i32(pair.z);
    const i32 column_padding = 32 * blocks - i32(pair.w);
    const i32 skew = i32(pair.w) - i32(pair.z);
    const i32 slack = (i32(32u * (LIMBS - 1u)) - max(skew, -skew)) / 2;
    const u32 proven = u32(2 * slack + max(skew, -skew) + 2);
    const u32 bound = min(proven, params.most - 1u);

    // Phase 1: rows of the window, the first of which is `padding` rows before the query.
    const i32 padding = slack + max(skew, 0) + column_padding;
    const i32 first_row = row_padding - padding;
    const u32 shift = u32(first_row) & 31u;
    i32 next_word = first_row >> 5;
    Planes low = load(at, pair.x, row_words, next_word);
    Window window;
#pragma unroll
    for (u32 limb = 0u; limb < LIMBS; limb++) {
        next_word++;
        const Planes high = load(at, pair.x, row_words, next_word);
#pragma unroll
        for (u32 plane = 0u; plane < PLANES; plane++) {
            window.planes[plane * LIMBS + limb] = joined(low[plane], high[plane], shift);
        }
        low = high;
        window.vp[limb] = ~low_rows(padding, limb);
        window.vn[limb] = 0u;
    }

    // Phase 2: sweep.
    u32 above = 0u;    // value above the window
    u32 entering = ~0u >> column_padding;
    i32 block = 0;
    for (;;) {
        keep_window(at, entry, u32(block), window);
        Planes text = load(at, pair.y, blocks, block);
        above += countOneBits(entering);
#pragma unroll 1
        for (u32 k = 0u; k < 32u; k += COLUMNS) {
            sweep_columns(window, text, entering);
        }
        entering = ~0u;
        block++;
        if (block == blocks) {
            break;
        }
        if (least(window, above) > bound) {
            values(at)[entry] = BEYOND;
            return;
        }
        above += countOneBits(window.vp[0u]) - countOneBits(window.vn[0u]);
        next_word++;
        const Planes high = load(at, pair.x, row_words, next_word);
#pragma unroll
        for (u32 limb = 0u; limb < LIMBS - 1u; limb++) {
            window.vp[limb] = window.vp[limb + 1u];
            window.vn[limb] = window.vn[limb + 1u];
#pragma unroll
            for (u32 plane = 0u; plane < PLANES; plane++) {
                window.planes[plane * LIMBS + limb] = window.planes[plane * LIMBS + limb + 1u];
            }
        }
        window.vp[LIMBS - 1u] = ~0u;
        window.vn[LIMBS - 1u] = 0u;
#pragma unroll
        for (u32 plane = 0u; plane < PLANES; plane++) {
            window.planes[plane * LIMBS + LIMBS - 1u] = joined(low[plane], high[plane], shift);
        }
        low = high;
    }

    // Phase 3: the value of the last row.
    const i32 rows = 32 + slack + max(-skew, 0);
#pragma unroll
    for (u32 limb = 0u; limb < LIMBS; limb++) {
        const u32 counted = low_rows(rows, limb);
        above += countOneBits(window.vp[limb] & counted) - countOneBits(window.vn[limb] & counted);
    }
    values(at)[entry] = above;
}
