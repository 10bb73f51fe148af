// substring/prefix_spread: hashes of all symbols of a text before each stretch of 32, from those before its block and those in it.
//
// Grid:     one workgroup a block of LANES stretches.
// Parts:    modular.wgsl. Host: src/substring/gpu/prefixes.rs.
struct Params {
    first_block: u32,     // of the chunk, in the text
    first_group: u32,     // block of the chunk
}

@group(0) @binding(0) var<storage, read_write> prefixes: array<vec2<u32>>;    // [stretches of the chunk]
@group(0) @binding(1) var<storage, read> blocks: array<vec2<u32>>;            // [blocks of the text]
@group(0) @binding(2) var<storage, read> settings: array<u32>;                // the base first

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let block = params.first_group + group.x;
    let stretch = block * LANES + lane;
    let worth = power(vec2<u32>(settings[0], settings[1]), 32u * lane);
    prefixes[stretch] = add(multiply(blocks[params.first_block + block], worth), prefixes[stretch]);
}
