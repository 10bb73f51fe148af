// supersequence/midpoints: finds the crossings of the canonical path with the stored layers, from
// last to first.
//
// Layers:   rows, or anti-diagonals with their predecessor. The origin of a position is the
//           position where the canonical path from it reaches the previous stored layer.
// Grid:     one lane, as every load depends on the one before.
// Origins:  [s] belongs to the end of segment s + 1 and leads to the end of segment s.
// Host:     src/papers/layers/midpoints.rs.
struct Params {
    stored: u32,        // layers
    stride: u32,        // words per stored layer
    last: u32,          // position of the last cell
}

@group(0) @binding(0) var<storage, read> origins: array<u32>;           // [stored][stride]
@group(0) @binding(1) var<storage, read_write> midpoints: array<u32>;   // [stored] positions

@compute @workgroup_size(LANES)
fn main() {
    var place = params.last;
    for (var layer = params.stored; layer > 0u; layer--) {
        // Clamped to the layer in case a driver has dropped the passes that write it.
        place = min(origins[(layer - 1u) * params.stride + place], params.stride - 1u);
        midpoints[layer - 1u] = place;
    }
}
