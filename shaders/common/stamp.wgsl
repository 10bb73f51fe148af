// common/stamp: proves that a slice and all slices before it ran to their end.
//
// Grid:     one lane.
// Result:   stamp[0] = value after all earlier dispatches of the submission, if the previous slice
//           left its stamp. In the first of a series of slices after == value, which writes the
//           stamp unconditionally.
struct Params {
    value: u32,
    after: u32,
}

@group(0) @binding(0) var<storage, read_write> stamp: array<u32>;   // [1]

@compute @workgroup_size(LANES)
fn main() {
    if params.after == params.value || stamp[0] == params.after {
        stamp[0] = params.value;
    }
}
