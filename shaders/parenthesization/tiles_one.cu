// parenthesization/tiles_one: table in one buffer.
//
// Twin:     tiles_many.cu.
BINDING(1, Value, table)    // [tile][row][column]

DEVICE Value load(const Arguments& at, u32 tile, u32 place) {
    return table(at)[tile * (TILE * TILE) + place];
}

DEVICE void store(const Arguments& at, u32 tile, u32 place, Value cost) {
    table(at)[tile * (TILE * TILE) + place] = cost;
}
