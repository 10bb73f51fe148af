// substring/list_groups: lists the sorted windows whose hashes are marked, for the host.
//
// Grid:     a few workgroups; each takes windows in turn.
// Result:   entries = [position, two limbs of the hash, whether it is marked], in any order, with
//           their count in `control`. For a run of windows, each at its position in the run,
//           without a count.
// Parts:    mix.wgsl, groups.wgsl. Host: src/papers/sort_and_scan/plan.rs.
struct Params {
    first: u32,         // position of the chunk among all windows
    begin: u32,         // range of windows of the chunk to list
    end: u32,
    capacity: u32,      // of `entries`
    shift: u32,         // from a hash to a bit of `marks`
    is_run: u32,
}

// [windows of the chunk]
@group(0) @binding(0) var<storage, read> keys: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> positions: array<u32>;
@group(0) @binding(2) var<storage, read> marks: array<u32>;
@group(0) @binding(3) var<storage, read_write> entries: array<vec4<u32>>;   // [capacity]

@compute @workgroup_size(LANES)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let sorted = atomicLoad(&control[SORTED]);
    let here = max(sorted, params.first) - params.first;
    for (var at = params.begin + id.x; at < params.end; at += groups.x * LANES) {
        var is_one = at < here;
        var entry = vec4<u32>(0u);
        if is_one {
            let key = keys[at];
            let place = hash_of(key, 0u) >> params.shift;
            is_one = ((marks[place >> 5u] >> (place & 31u)) & 1u) == 1u;
            entry = vec4<u32>(positions[at], key, u32(is_one));
        }
        if params.is_run != 0u {
            entries[at - params.begin] = entry;
        } else if is_one {
            let slot = atomicAdd(&control[LISTED], 1u);
            if slot < params.capacity {
                entries[slot] = entry;
            }
        }
    }
}
