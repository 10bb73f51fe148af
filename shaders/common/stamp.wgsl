// common/stamp: proves that a slice ran to its end.
//
// Grid:     one lane.
// Result:   stamp[0] = value, after every earlier dispatch of the submission.
struct Params {
    value: u32,
}

@group(0) @binding(0) var<storage, read_write> stamp: array<u32>;   // [1]

@compute @workgroup_size(LANES)
fn main() {
    stamp[0] = params.value;
}
