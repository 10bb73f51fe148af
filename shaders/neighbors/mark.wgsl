// neighbors/mark: marks the strings of frequent keys.
//
// Grid:     one lane per entry of the index.
// Parts:    strings.wgsl, index.wgsl, control.wgsl. Host: src/neighbors/gpu/plan.rs.
struct Params {
    first_group: u32,
    capacity: u32,
    part: u32,
    shift: u32,
}

@group(0) @binding(6) var<storage, read_write> marks: array<atomic<u32>>;    // a bit per record

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let entry = (params.first_group + workgroup.x) * LANES + lane;
    if entry >= min(atomicLoad(&control[ENTRIES]), params.capacity) {
        return;
    }
    if is_frequent(run_of(keys[entry], params.part, params.shift)) {
        let number = numbers[entry];
        atomicOr(&marks[number >> 5u], 1u << (number & 31u));
    }
}
