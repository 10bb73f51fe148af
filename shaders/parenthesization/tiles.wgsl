// parenthesization/tiles: cell addresses of the tiled table. Tiles with row <= column are stored
// column by column.
fn tile_at(row: u32, column: u32) -> u32 {
    return column * (column + 1u) / 2u + row;
}

// Best cost of i..j.
fn cost(i: u32, j: u32) -> Value {
    return load(tile_at(i / TILE, j / TILE), (i % TILE) * TILE + j % TILE);
}

fn right_cost(i: u32, j: u32) -> Value {
    return cost(i, j);
}
