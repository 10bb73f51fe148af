// parenthesization/tiles: cell addresses of the tiled table. Tiles with row <= column are stored
// column by column.
DEVICE u32 tile_at(u32 row, u32 column) {
    return column * (column + 1u) / 2u + row;
}

// Best cost of i..j.
template <class P> DEVICE Value cost(const Arguments& at, const P& params, u32 i, u32 j) {
    return load(at, tile_at(i / TILE, j / TILE), (i % TILE) * TILE + j % TILE);
}

// As cost, from the transposed copies if there are any: right parts of neighbouring splits are
// contiguous there.
template <class P> DEVICE Value right_cost(const Arguments& at, const P& params, u32 i, u32 j) {
    if (params.transposed > 0u) {
        return load(at, params.transposed + tile_at(i / TILE, j / TILE), (j % TILE) * TILE + i % TILE);
    }
    return cost(at, params, i, j);
}
