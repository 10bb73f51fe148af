// common/stamp: proves that a slice ran to its end, and so did every slice before it.
//
// Grid:     one lane.
// Result:   stamp[0] = value, after every earlier dispatch of the submission, where the slice before has left its own;
//           the first of a row of slices comes after its own value and leaves it whatever was there.
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
