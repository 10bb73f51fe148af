// pairs/store_values: stores all values, PACK per word.
//
// Part of:  pairs/lanes.cu.
BINDING(5, u32, values)    // [row][target]

__shared__ u32 wg_values[LANES];

DEVICE void store(const Arguments& at, u32 row_words, u32 most, u32 row, u32 tile, u32 lane, u32 value) {
    wg_values[lane] = value;
    barrier();
    if (lane < LANES / PACK) {
        u32 word = 0u;
#pragma unroll
        for (u32 i = 0u; i < PACK; i++) {
            word |= wg_values[lane * PACK + i] << (i * (32u / PACK));
        }
        values(at)[row * row_words + tile * (LANES / PACK) + lane] = word;
    }
    barrier();
}
