// pairs/traceback: best paths of pairs from the windows that pairs/bands has kept, one pair per lane.
//
// Tile, steps, runs, grid, phases: as in traceback.wgsl.
// Host: src/pairs/gpu/traceback.rs.
struct Params {
    u32 first_group;
    u32 entries;
};

// First word of the query, and of the target; length of the query, and of the target.
BINDING(1, const u32x4, entries)
// First word of the kept windows; first word of the runs, and the end of their words; limbs of a window.
BINDING(2, const u32x4, places)
BINDING(3, const u32, windows)
BINDING(4, const u32, values)    // [entry]
BINDING(5, u32, runs)

constexpr u32 NO_PATH = ~0u;    // first run of a pair with another distance

struct Tile {
    u32 up[32];          // rows where a step up is optimal, by column
    u32 diagonal[32];    // rows where a diagonal step is no worse than one to the left
};

KERNEL(LANES) {
    const Params& params = PARAMS(at);
    const u32 entry = (params.first_group + group().x) * LANES + lane();
    if (entry >= params.entries) {
        return;
    }
    const u32x4 pair = entries(at)[entry];
    const u32x4 place = places(at)[entry];
    if (values(at)[entry] != place.z - place.y - 1u) {
        runs(at)[place.y] = NO_PATH;
        return;
    }
    const i32 limbs = i32(place.w);
    const i32 row_words = i32((pair.z + 31u) / 32u);
    const i32 blocks = i32((pair.w + 31u) / 32u);
    const i32 column_padding = 32 * blocks - i32(pair.w);
    const i32 skew = i32(pair.w) - i32(pair.z);
    const i32 slack = (32 * (limbs - 1) - max(skew, -skew)) / 2;
    const i32 padding = slack + max(skew, 0) + column_padding;
    const i32 first_row = 32 * row_words - i32(pair.z) - padding;
    const u32 shift = u32(first_row) & 31u;

    Tile tile;
    i32 i = i32(pair.z);
    i32 j = i32(pair.w);
    u32 run = 0u;
    u32 next = place.y;
    while (i > 0 && j > 0) {
        const i32 column = column_padding + j - 1;
        const i32 block = column >> 5;
        const i32 row = i - 1 + padding - 32 * block;
        const i32 limb = row >> 5;

        // Phase 1: the columns of the tile.
        const Planes text = load(at, pair.y, blocks, block);
        u32 plus = block == 0 ? ~0u << column_padding : ~0u;
        u32 minus = 0u;
        i32 word = (first_row >> 5) + block;
        Planes low = load(at, pair.x, row_words, word);
        u32 kept = place.x + u32(block * limbs) * 2u * LANES;
        for (i32 above = 0; above <= limb; above++) {
            word++;
            const Planes high = load(at, pair.x, row_words, word);
            Planes rows;
#pragma unroll
            for (u32 plane = 0u; plane < PLANES; plane++) {
                rows[plane] = joined(low[plane], high[plane], shift);
            }
            low = high;
            u32 vp = windows(at)[kept];
            u32 vn = windows(at)[kept + LANES];
            kept += 2u * LANES;
            u32 plus_below = 0u;
            u32 minus_below = 0u;
#pragma unroll 4
            for (u32 k = 0u; k < 32u; k++) {
                u32 mask = ~0u;
#pragma unroll
                for (u32 plane = 0u; plane < PLANES; plane++) {
                    mask &= ~(rows[plane] ^ spread(text[plane], k));
                }
                const u32 t = mask & vp;
                const u32 s = t + vp + ((minus >> k) & 1u);
                const u32 hn_above = s ^ t ^ vp;
                const u32 d0 = mask | vn | hn_above;
                const u32 hp_here = vn | ~(d0 | vp);
                const u32 hp_above = hp_here << 1u | (plus >> k & 1u);
                plus_below |= hp_here >> 31u << k;
                minus_below |= (t | (vp & ~s)) >> 31u << k;
                if (above == limb) {
                    tile.diagonal[k] = mask | ~vn;
                }
                vp = hn_above | ~(d0 | hp_above);
                vn = hp_above & d0;
                if (above == limb) {
                    tile.up[k] = vp;
                }
            }
            plus = plus_below;
            minus = minus_below;
        }

        // Phase 2: steps in the tile.
        i32 k = column & 31;
        i32 bit = row & 31;
        while (k >= 0 && bit >= 0 && i > 0 && j > 0) {
            const bool is_up = (tile.up[k] >> bit & 1u) == 1u;
            if (!is_up && (tile.diagonal[k] >> bit & 1u) == 1u) {
                i--;
                j--;
                bit--;
                k--;
                run++;
                continue;
            }
            if (next < place.z) {
                runs(at)[next] = 2u * run + u32(is_up);
                next++;
            }
            run = 0u;
            if (is_up) {
                i--;
                bit--;
            } else {
                j--;
                k--;
            }
        }
    }
    if (run > 0u && next < place.z) {
        runs(at)[next] = 2u * run;
    }
}
