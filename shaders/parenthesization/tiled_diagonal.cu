// parenthesization/tiled_diagonal: fills the tiles on the diagonal of the table.
//
// Recurrence, grid, phases, padding: as in tiled_diagonal.wgsl.
// Parts:    value_*.wgsl, goal.wgsl, the problem, tiles_*.wgsl, tiles.wgsl.
// Host:     src/parenthesization/gpu/tiled.rs.

constexpr u32 STRIDE = TILE + 1u;

__shared__ Value wg_cells[TILE * STRIDE];

KERNEL(LANES) {
    Context in = context_of(at, pass);
    const Params& params = in.params;
    const u32 row = lane();
    const u32 place = params.first_tile + group().x;
    const u32 first = place * TILE;
    const u32 last = params.points - 1u;
    const u32 i = first + row;

    // Phase 1: sweep by length.
    for (u32 length = 1u; length < TILE; length++) {
        const u32 column = row + length;
        const u32 j = i + length;
        if (column < TILE && j <= last) {
            Value best = worst();
            if (length == 1u) {
                best = leaf(in, i);
            } else {
                if (encloses(in, i, j)) {
                    Value inside = value(0u);
                    if (length > 2u) {
                        inside = wg_cells[(row + 1u) * STRIDE + column - 1u];
                    }
                    best = plus(inside, enclosure(i, j));
                }
                const Outer ends = outer(in, i, j);
                for (u32 k = row + 1u; k < column; k++) {
                    const Value parts = plus(wg_cells[row * STRIDE + k], wg_cells[k * STRIDE + column]);
                    best = best_of(best, plus(parts, weight(ends, inner(in, first + k))));
                }
            }
            wg_cells[row * STRIDE + column] = best;
        }
        barrier();
    }

    // Phase 2: store row by row, and the transposed copy column by column.
    const u32 tile = tile_at(place, place);
    for (u32 y = 0u; y < TILE; y++) {
        if (first + y <= last && row > y && first + row <= last) {
            store(in, tile, y * TILE + row, wg_cells[y * STRIDE + row]);
        }
        if (params.transposed > 0u && first + y <= last && row < y) {
            store(in, params.transposed + tile, y * TILE + row, wg_cells[row * STRIDE + y]);
        }
    }
}
