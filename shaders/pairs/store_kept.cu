// pairs/store_kept: stores the values below `most` in any order, with their places.
//
// Place, full: as in store_kept.wgsl.
// Part of:  pairs/lanes.cu.
BINDING(5, u32, kept)    // number of values; then the place and the value of each

DEVICE void store(const Arguments& at, u32 row_words, u32 most, u32 row, u32 tile, u32 lane, u32 value) {
    if (value >= most) {
        return;
    }
    const u32 entry = atomicAdd(&kept(at)[0], 1u);
    if (entry < KEPT) {
        kept(at)[1u + 2u * entry] = row * row_words + tile * LANES + lane;
        kept(at)[2u + 2u * entry] = value;
    }
}
