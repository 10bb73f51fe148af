// parenthesization/by_length: a table by length, then by start, so that neighbouring starts are
// contiguous.
//
// Source:   type 1 of Wu, Ke, Lin and Feng 2011, section IV.C, without the unused cells.
@group(0) @binding(1) var<storage, read_write> table: array<Value>;   // [length - 1][start]

fn place_of(i: u32, j: u32) -> u32 {
    let longer = j - i - 1u;
    return longer * params.leaves - longer * (longer - 1u) / 2u + i;
}

fn cost(i: u32, j: u32) -> Value {
    return table[place_of(i, j)];
}

fn right_cost(i: u32, j: u32) -> Value {
    return cost(i, j);
}

fn keep(i: u32, j: u32, best: Value) {
    table[place_of(i, j)] = best;
}

