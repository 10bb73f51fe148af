// edit_distance/tiled: fills one anti-diagonal of tiles of the Levenshtein table.
//
// Recurrence, grid, phases, boundary, padding: as in tiled.wgsl.
// Host:     src/papers/tiled/gpu.rs.
constexpr u32 TILE = LANES;

struct Params {
    u32 wavefront;      // anti-diagonal of tiles
    u32 first_tile;     // row of tiles of the first workgroup
    u32 tiles;          // of this pass
    u32 rows;           // of the table
    u32 columns;
};

BINDING(0, const u32, a)    // [rows]
BINDING(1, const u32, b)    // [columns]
BINDING(2, u32, above)      // [columns], the row above the tiles
BINDING(3, u32, left)       // [rows of tiles][TILE + 1], the column left of the tiles

__shared__ u32 wg_codes[TILE];          // codes of the tile's columns
__shared__ u32 wg_above[TILE];          // the row above the tile
__shared__ u32 wg_values[2u * TILE];    // values handed to the next lane, by parity of the step

KERNEL_IN_STEP {
    const Params& params = PARAMS_OF(at, pass);
    const u32 lane = ::lane();
    const u32 place = group().y * groups().x + group().x;
    if (place >= params.tiles) {
        return;
    }
    const u32 tile_row = params.first_tile + place;
    const u32 first_row = tile_row * TILE;
    const u32 first_column = (params.wavefront - tile_row) * TILE;
    const u32 rows = min(TILE, params.rows - first_row);
    const u32 columns = min(TILE, params.columns - first_column);
    const u32 edge = tile_row * (TILE + 1u);

    // Phase 1: load.
    if (lane < columns) {
        wg_codes[lane] = b(at)[first_column + lane];
        wg_above[lane] = above(at)[first_column + lane];
    }
    const u32 code = a(at)[first_row + min(lane, rows - 1u)];
    u32 corner = left(at)[edge + lane];
    u32 value = left(at)[edge + lane + 1u];
    barrier();

    // Phase 2: sweep.
    for (u32 step = 0u; step < rows + columns - 1u; step++) {
        const u32 half = (step & 1u) * TILE;
        const u32 column = step - lane;
        // Before its first column a lane's column wraps to a large number.
        if (column < columns && lane < rows) {
            u32 over = wg_above[column];
            if (lane > 0u) {
                over = wg_values[(TILE - half) + lane - 1u];
            }
            value = select(min(min(over, value), corner) + 1u, corner, code == wg_codes[column]);
            corner = over;
            wg_values[half + lane] = value;
            if (lane == rows - 1u) {
                above(at)[first_column + column] = value;
            }
        }
        barrier();
    }

    // Phase 3: store.
    left(at)[edge + lane + 1u] = value;
    if (lane == 0u) {
        left(at)[edge] = wg_above[columns - 1u];
    }
}
