// parenthesization/tiles: where a cell of the tiled table lies. Tiles of row <= column are kept, column by column.
fn tile_at(row: u32, column: u32) -> u32 {
    return column * (column + 1u) / 2u + row;
}

// The best cost of i..j.
fn cost(i: u32, j: u32) -> Value {
    return load(tile_at(i / TILE, j / TILE), (i % TILE) * TILE + j % TILE);
}

// The same of a right part.
fn right_cost(i: u32, j: u32) -> Value {
    return cost(i, j);
}
