// supersequence/midpoints: where the canonical path crosses the stored layers, from the last one to the first.
//
// A layer is a row or an anti-diagonal with the one before; the origin of a place is the place on the stored layer before where the
// canonical path from it arrives there.
// Grid:     one lane: every load waits for the one before.
// Origins:  [s] are those of the end of segment s + 1, and lead to the end of segment s.
// Host: src/supersequence/midpoints.rs.
struct Params {
    stored: u32,        // layers
    stride: u32,        // words of the origins of one layer
    last: u32,          // place of the last cell
}

@group(0) @binding(0) var<storage, read> origins: array<u32>;           // [stored][stride]
@group(0) @binding(1) var<storage, read_write> midpoints: array<u32>;   // [stored] places

@compute @workgroup_size(LANES)
fn main() {
    var place = params.last;
    for (var layer = params.stored; layer > 0u; layer--) {
        // Within the layer even where a driver has dropped the passes that write it.
        place = min(origins[(layer - 1u) * params.stride + place], params.stride - 1u);
        midpoints[layer - 1u] = place;
    }
}
