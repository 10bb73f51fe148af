// parenthesization/tiles_many: table in up to six buffers of CHUNK_TILES tiles; unused buffers hold
// one value.
//
// Twin:     tiles_one.cu.
BINDING(1, Value, table_0)      // [tile][row][column]
BINDING(2, Value, table_1)
BINDING(3, Value, table_2)
BINDING(4, Value, table_3)
BINDING(5, Value, table_4)
BINDING(6, Value, table_5)

DEVICE Value& cell_of(const Arguments& at, u32 tile, u32 place) {
    const u32 cell = (tile % CHUNK_TILES) * (TILE * TILE) + place;
    switch (tile / CHUNK_TILES) {
        case 0u: return table_0(at)[cell];
        case 1u: return table_1(at)[cell];
        case 2u: return table_2(at)[cell];
        case 3u: return table_3(at)[cell];
        case 4u: return table_4(at)[cell];
        default: return table_5(at)[cell];
    }
}

DEVICE Value load(const Arguments& at, u32 tile, u32 place) {
    return cell_of(at, tile, place);
}

DEVICE void store(const Arguments& at, u32 tile, u32 place, Value cost) {
    cell_of(at, tile, place) = cost;
}
