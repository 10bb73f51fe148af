// parenthesization/tiles_many: table in up to six buffers of CHUNK_TILES tiles; unused buffers hold
// one value.
//
// Twin:     tiles_one.wgsl.
@group(0) @binding(1) var<storage, read_write> table_0: array<Value>;   // [tile][row][column]
@group(0) @binding(2) var<storage, read_write> table_1: array<Value>;
@group(0) @binding(3) var<storage, read_write> table_2: array<Value>;
@group(0) @binding(4) var<storage, read_write> table_3: array<Value>;
@group(0) @binding(5) var<storage, read_write> table_4: array<Value>;
@group(0) @binding(6) var<storage, read_write> table_5: array<Value>;

fn load(tile: u32, place: u32) -> Value {
    let at = (tile % CHUNK_TILES) * (TILE * TILE) + place;
    switch tile / CHUNK_TILES {
        case 0u: {
            return table_0[at];
        }
        case 1u: {
            return table_1[at];
        }
        case 2u: {
            return table_2[at];
        }
        case 3u: {
            return table_3[at];
        }
        case 4u: {
            return table_4[at];
        }
        default: {
            return table_5[at];
        }
    }
}

fn store(tile: u32, place: u32, cost: Value) {
    let at = (tile % CHUNK_TILES) * (TILE * TILE) + place;
    switch tile / CHUNK_TILES {
        case 0u: {
            table_0[at] = cost;
        }
        case 1u: {
            table_1[at] = cost;
        }
        case 2u: {
            table_2[at] = cost;
        }
        case 3u: {
            table_3[at] = cost;
        }
        case 4u: {
            table_4[at] = cost;
        }
        default: {
            table_5[at] = cost;
        }
    }
}

