// parenthesization/tiles_one: table in one buffer.
//
// Twin:     tiles_many.wgsl.
@group(0) @binding(1) var<storage, read_write> table: array<Value>;   // [tile][row][column]

fn load(tile: u32, place: u32) -> Value {
    return table[tile * (TILE * TILE) + place];
}

fn store(tile: u32, place: u32, cost: Value) {
    table[tile * (TILE * TILE) + place] = cost;
}

