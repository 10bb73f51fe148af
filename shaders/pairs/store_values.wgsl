// pairs/store_values: stores all values, PACK per word.
//
// Part of:  pairs/lanes.wgsl.
@group(0) @binding(5) var<storage, read_write> values: array<u32>;    // [row][target]

var<workgroup> wg_values: array<u32, LANES>;

fn store(row: u32, tile: u32, lane: u32, value: u32) {
    wg_values[lane] = value;
    workgroupBarrier();
    if lane < LANES / PACK {
        var word = 0u;
        for (var i = 0u; i < PACK; i++) {
            word |= wg_values[lane * PACK + i] << (i * (32u / PACK));
        }
        values[row * params.row_words + tile * (LANES / PACK) + lane] = word;
    }
    workgroupBarrier();
}
