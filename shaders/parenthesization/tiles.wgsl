// parenthesization/tiles: cell addresses of the tiled table. Tiles with row <= column are stored
// column by column.
fn tile_at(row: u32, column: u32) -> u32 {
    return column * (column + 1u) / 2u + row;
}

// Best cost of i..j.
fn cost(i: u32, j: u32) -> Value {
    return load(tile_at(i / TILE, j / TILE), (i % TILE) * TILE + j % TILE);
}

// As cost, from the transposed copies if there are any: right parts of neighbouring splits are
// contiguous there.
fn right_cost(i: u32, j: u32) -> Value {
    if params.transposed > 0u {
        return load(params.transposed + tile_at(i / TILE, j / TILE), (j % TILE) * TILE + i % TILE);
    }
    return cost(i, j);
}
