// sort/copy: copies a chunk's keys and payloads.
//
// Grid:     as range.wgsl.
// Host:     src/sort/plan.rs.
@group(0) @binding(1) var<storage, read> keys: array<Key>;                  // [keys of the chunk]
@group(0) @binding(2) var<storage, read_write> sorted_keys: array<Key>;     // [keys of the chunk]

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let range = range_of(params.first_group + workgroup.x);
    for (var at = range.first + lane; at < range.end; at += LANES) {
        sorted_keys[at] = keys[at];
        if PAYLOAD {
            store_payload(at, load_payload(at));
        }
    }
}
