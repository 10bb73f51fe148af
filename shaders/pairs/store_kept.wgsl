// pairs/store_kept: stores the values below `most` in any order, with their places.
//
// Place:    row * row_words + position of the target.
// Full:     only KEPT values are stored, but all are counted.
// Part of:  pairs/lanes.wgsl.
// Number of values; then the place and the value of each.
@group(0) @binding(5) var<storage, read_write> kept: array<atomic<u32>>;

fn store(row: u32, tile: u32, lane: u32, value: u32) {
    if value >= params.most {
        return;
    }
    let entry = atomicAdd(&kept[0], 1u);
    if entry < KEPT {
        atomicStore(&kept[1u + 2u * entry], row * params.row_words + tile * LANES + lane);
        atomicStore(&kept[2u + 2u * entry], value);
    }
}
