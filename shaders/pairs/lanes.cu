// pairs/lanes: values of one query with many targets, one target per lane.
//
// Recurrence, grid, phases, padding, strips: as in lanes.wgsl.
// Carries:  in registers a word has its first column in the highest bit, as the additions need it;
//           also in carries_between.
// Parts:    masks.cu, limbs.cu.
// Host:     src/pairs/gpu.rs.
constexpr u32 STRIP_ROWS = LIMBS * LIMB_ROWS;

struct Params {
    u32 first_query;
    u32 first_tile;
    u32 end_tile;
    u32 group_tiles;    // per workgroup
    u32 row_words;      // of a row of the values
    u32 tiles;          // of all targets
    u32 most;           // greater values are cut to this
    u32 units;          // of carries per workgroup
};

BINDING(0, const u32, query_codes)        // 4 per word
BINDING(1, const u32x4, query_table)      // row, first word, length
BINDING(2, const u32x4, target_codes)     // [tile][unit][lane]
BINDING(3, const u32, target_table)       // [tile]: first unit, units; then [tile][lane]: length
BINDING(4, u32, values)                   // [row][target], PACK per word
BINDING(5, u32, carries_between)          // [group][unit][vector][lane]

__shared__ u32 wg_values[LANES];

struct Kept {};
DEVICE void keep_limb(Kept& kept, u32 limb, Carries carries) {}

DEVICE u32 code_of_row(const Arguments& at, const u32x4& query, u32 row) {
    return (query_codes(at)[query.y + row / 4u] >> (8u * (row % 4u))) & 255u;
}

// Bits of a limb that are padding.
DEVICE u32 padded_bits(u32 padding, u32 strip, u32 limb) {
    const u32 before = strip * STRIP_ROWS + limb * LIMB_ROWS;
    const u32 rows = min(max(padding, before) - before, LIMB_ROWS);
    return rows < 32u ? (1u << rows) - 1u : ~0u;
}

DEVICE void load_masks(const Arguments& at, const u32x4& query, u32 padding, u32 strip, u32 lane) {
    for (u32 entry = lane; entry < (SYMBOLS + 1u) * LIMBS; entry += LANES) {
        const u32 code = entry / LIMBS;
        const u32 limb = entry % LIMBS;
        u32 mask = ENDS == 2u && VERTICAL == 2u ? padded_bits(padding, strip, limb) : 0u;
        if (code > 0u) {
            const u32 first = strip * STRIP_ROWS + limb * LIMB_ROWS;
            for (u32 bit = max(padding, first) - first; bit < LIMB_ROWS; bit++) {
                mask |= code_of_row(at, query, first + bit - padding) == code ? 1u << bit : 0u;
            }
        }
        wg_masks[code * STRIDE + limb] = mask;
    }
}

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const u32x4 query = query_table(at)[params.first_query + group().x];
    const u32 strips = STRIPS == 1u ? max(1u, (query.z + STRIP_ROWS - 1u) / STRIP_ROWS) : 1u;
    const u32 padding = strips * STRIP_ROWS - query.z;
    const u32 first_tile = params.first_tile + group().y * params.group_tiles;
    const u32 end_tile = min(first_tile + params.group_tiles, params.end_tile);
    const u32 slab = (group().y * groups().x + group().x) * params.units;
    const Rows rows = {};
    Kept kept = {};
    for (u32 tile = first_tile; tile < end_tile; tile++) {
        const u32 first_unit = target_table(at)[2u * tile];
        const u32 len = target_table(at)[2u * params.tiles + tile * LANES + lane];
        u32 value = VERTICAL == 2u ? query.z : 0u;
        u32 least = value;
        for (u32 strip = 0u; strip < strips; strip++) {
            // Phase 1: masks.
            if (strips > 1u || tile == first_tile) {
                barrier();
                load_masks(at, query, padding, strip, lane);
                barrier();
            }
            Differences v;
#pragma unroll
            for (u32 limb = 0u; limb < LIMBS; limb++) {
                const u32 padded = padded_bits(padding, strip, limb);
                v[limb] = VERTICAL == 2u ? ~padded : ~0u;
                if (VERTICAL == 2u) {
                    v[(VERTICAL - 1u) * LIMBS + limb] = 0u;
                }
            }

            // Phase 2: sweep.
            const bool is_last = strip + 1u == strips;
#pragma unroll 1
            for (u32 unit = 0u; unit * 16u < len; unit++) {
                const u32x4 codes = target_codes(at)[(first_unit + unit) * LANES + lane];
                Carries above;
                Carries below;
#pragma unroll
                for (u32 h = 0u; h < HORIZONTAL; h++) {
                    above[h] = h == 0u && VERTICAL == 2u && ENDS != 2u ? ~0u : 0u;
                    if (STRIPS == 1u && strip > 0u) {
                        above[h] = carries_between(at)[((slab + unit) * HORIZONTAL + h) * LANES + lane] << 16u;
                    }
                    below[h] = 0u;
                }
#pragma unroll
                for (u32 half = 0u; half < 2u; half++) {
                    const Block block = {{codes[2u * half], codes[2u * half + 1u]}};
                    sweep_eight(v, rows, block, above, below, kept);
                }
                if (STRIPS == 1u && !is_last) {
#pragma unroll
                    for (u32 h = 0u; h < HORIZONTAL; h++) {
                        carries_between(at)[((slab + unit) * HORIZONTAL + h) * LANES + lane] = below[h];
                    }
                }
                if (is_last) {
                    const u32 end = min(unit * 16u + 16u, len);
                    const u32 inside = 0xFFFFu & ~0u << (16u - (end - unit * 16u));
                    const u32 grows = below[0u] & inside;
                    const u32 shrinks = HORIZONTAL == 2u ? below[HORIZONTAL - 1u] & inside : 0u;
                    if (ENDS == 0u) {
                        value += countOneBits(grows) - countOneBits(shrinks);
                        // A value shrinks by at most 1 per column.
                        if (LIMITED == 1u && value >= params.most + (len - end)) {
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
        }

        // Phase 3: store.
        if (ENDS != 0u) {
            value = least;
        }
        if (MEASURE == 1u) {
            value = query.z + len - 2u * value;
        }
        wg_values[lane] = min(value, params.most);
        barrier();
        if (lane < LANES / PACK) {
            u32 word = 0u;
#pragma unroll
            for (u32 i = 0u; i < PACK; i++) {
                word |= wg_values[lane * PACK + i] << (i * (32u / PACK));
            }
            values(at)[query.x * params.row_words + tile * (LANES / PACK) + lane] = word;
        }
        barrier();
    }
}
