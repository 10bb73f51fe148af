// substring/hash_windows: writes the hashes and positions of all windows of a text, for sorting.
//
// Grid:     one lane per stretch of 32 windows.
// Result:   keys and positions, indexed by the window among all texts. For a single partition, the
//           windows whose hashes begin with its number, compacted in any order.
// Chunks:   windows that belong into another chunk than the bound one are left to that chunk's
//           pass.
// Parts:    hashed_windows.wgsl, modular.wgsl, groups.wgsl. Host: src/papers/sort_and_scan/plan.rs.
struct Params {
    first: u32,         // first stretch of the pass, in the chunk of codes
    end: u32,
    windows: u32,       // end of the windows that start in the chunk
    head: u32,
    position: u32,      // position of the chunk's first code among all texts
    place: u32,         // index of its window among all texts, modulo 2^32
    into_first: u32,    // start of the destination chunk
    into_keys: u32,     // capacity of the destination chunk, in windows
    part: u32,          // partition number; its bit count from bit 16 on
    power_low: u32,
    power_high: u32,
    rest: u32,
}

// [windows of the chunk]
@group(0) @binding(4) var<storage, read_write> keys: array<vec2<u32>>;
// [windows of the chunk]
@group(0) @binding(5) var<storage, read_write> positions: array<u32>;

fn is_of_partition(key: vec2<u32>, bits: u32) -> bool {
    // A hash has 61 bits.
    return (key.y >> (29u - bits)) == (params.part & 0xffffu);
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let stretch = params.first + group.x * LANES + lane;
    if stretch >= params.end {
        return;
    }
    let before = 32u * stretch;
    let windows = min(params.windows - before, 32u);
    let bits = params.part >> 16u;
    let first = first_window(stretch);
    var place = params.place + before - params.into_first;
    if bits > 0u {
        var taken = 0u;
        var window = first;
        for (var i = 0u; i < windows; i++) {
            move_to(&window, i);
            taken += u32(is_of_partition(key_of(&window), bits));
        }
        place = atomicAdd(&control[SORTED], taken);
    }
    var window = first;
    for (var i = 0u; i < windows; i++) {
        move_to(&window, i);
        let key = key_of(&window);
        if bits == 0u || is_of_partition(key, bits) {
            if place < params.into_keys {
                keys[place] = key;
                positions[place] = params.position + before + i;
            }
            place += 1u;
        }
    }
}
