// substring/hash_windows: the hashes of all windows of a text, and where each of them begins, to be sorted.
//
// Grid:     a lane has a stretch of 32 windows.
// Result:   keys and positions, a window's at its place among the windows of all texts; or, where only those of one partition are
//           taken, whose hashes begin with its number, one behind the other in any order.
// Chunks:   what belongs into another chunk than the one that is bound is left to that one's pass.
// Parts:    hashed_windows.wgsl, modular.wgsl, groups.wgsl. Host: src/substring/gpu/groups/plan.rs.
struct Params {
    first: u32,         // stretch of the chunk of codes
    end: u32,
    windows: u32,       // the first place of that chunk where none starts
    head: u32,
    position: u32,      // of the chunk's first code among those of all texts
    place: u32,         // of a window there among those of all texts, modulo 2^32
    into_first: u32,    // of the chunk that is written
    into_keys: u32,     // windows that it holds
    part: u32,          // its number, and from bit 16 on the bits of it
    power_low: u32,
    power_high: u32,
    rest: u32,
}

@group(0) @binding(4) var<storage, read_write> keys: array<vec2<u32>>;      // [windows of the chunk]
@group(0) @binding(5) var<storage, read_write> positions: array<u32>;       // [windows of the chunk]

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
