// parenthesization/tiles: where a cell of the tiled table lies. Tiles of row <= column are kept, column by column.
fn tile_at(row: u32, column: u32) -> u32 {
    return column * (column + 1u) / 2u + row;
}

// The best cost of i..j.
fn cost(i: u32, j: u32) -> Value {
    return load(tile_at(i / TILE, j / TILE), (i % TILE) * TILE + j % TILE);
}

// The same of a right part: those of neighbouring splits lie side by side where finished tiles lie transposed, too.
fn right_cost(i: u32, j: u32) -> Value {
    if params.transposed > 0u {
        return load(params.transposed + tile_at(i / TILE, j / TILE), (j % TILE) * TILE + i % TILE);
    }
    return cost(i, j);
}
