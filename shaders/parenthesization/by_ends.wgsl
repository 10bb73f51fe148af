// parenthesization/by_ends: two tables, by start and by end, so that both parts of neighbouring
// splits are contiguous.
//
// Source:   type 2 of Wu, Ke, Lin and Feng 2011, section IV.C, for the left parts; the second table
//           does the same for the right ones.
@group(0) @binding(1) var<storage, read_write> by_start: array<Value>;   // [start][length - 1]
@group(0) @binding(2) var<storage, read_write> by_end: array<Value>;     // [end - 1][length - 1]

fn place_by_start(i: u32, j: u32) -> u32 {
    return i * params.leaves - i * (i - 1u) / 2u + j - i - 1u;
}

fn place_by_end(i: u32, j: u32) -> u32 {
    return j * (j - 1u) / 2u + j - i - 1u;
}

fn cost(i: u32, j: u32) -> Value {
    return by_start[place_by_start(i, j)];
}

fn right_cost(i: u32, j: u32) -> Value {
    return by_end[place_by_end(i, j)];
}

fn keep(i: u32, j: u32, best: Value) {
    by_start[place_by_start(i, j)] = best;
    by_end[place_by_end(i, j)] = best;
}

