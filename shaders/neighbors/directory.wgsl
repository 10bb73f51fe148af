// neighbors/directory: start of each bucket of sorted keys.
//
// Bucket:   highest bits of a key behind those of its part.
// Grid:     one lane per key, and one behind the last key. A lane writes the starts of the buckets
//           behind the previous key's, up to its own.
// Parts:    control.wgsl. Host: src/neighbors/gpu/plan.rs.
struct Params {
    first_group: u32,
    capacity: u32,
    part: u32,
    shift: u32,      // from a key to its bucket
}

@group(0) @binding(3) var<storage, read> keys: array<u32>;
@group(0) @binding(5) var<storage, read_write> starts: array<u32>;    // [buckets + 1]

fn bucket_of(key: u32) -> u32 {
    return (key << (params.part >> 24u)) >> params.shift;
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let entries = min(atomicLoad(&control[ENTRIES]), params.capacity);
    let entry = (params.first_group + workgroup.x) * LANES + lane;
    if entry > entries {
        return;
    }
    var first = 0u;
    if entry > 0u {
        first = bucket_of(keys[entry - 1u]) + 1u;
    }
    var last = 1u << (32u - params.shift);
    if entry < entries {
        last = bucket_of(keys[entry]);
    }
    for (var bucket = first; bucket <= last; bucket++) {
        starts[bucket] = entry;
    }
}
