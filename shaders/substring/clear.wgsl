// substring/clear: clears a bitmap.
//
// Grid:     a few workgroups; each takes words in turn.
struct Params {
    first: u32,    // first word of the pass
    end: u32,
}

@group(0) @binding(0) var<storage, read_write> bitmap: array<u32>;

@compute @workgroup_size(LANES)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var word = params.first + id.x; word < params.end; word += groups.x * LANES) {
        bitmap[word] = 0u;
    }
}
