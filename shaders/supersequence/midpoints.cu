// supersequence/midpoints: finds the crossings of the canonical path with the stored layers, from
// last to first.
//
// Layers, grid, origins: as in midpoints.wgsl.
// Host:     src/papers/layers/midpoints.rs.
struct Params {
    u32 stored;     // layers
    u32 stride;     // words per stored layer
    u32 last;       // position of the last cell
};

BINDING(0, const u32, origins)      // [stored][stride]
BINDING(1, u32, midpoints)          // [stored] positions

KERNEL {
    const Params& params = PARAMS(at);
    u32 place = params.last;
    for (u32 layer = params.stored; layer > 0u; layer--) {
        // Clamped to the layer in case the passes that write it have not run.
        place = min(origins(at)[(layer - 1u) * params.stride + place], params.stride - 1u);
        midpoints(at)[layer - 1u] = place;
    }
}
