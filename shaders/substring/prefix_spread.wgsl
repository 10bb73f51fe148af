// substring/prefix_spread: combines the hashes before each block and within it into the hash before
// each stretch of 32.
//
// Grid:     one workgroup per block of LANES stretches.
// Parts:    modular.wgsl. Host: src/substring/gpu/prefixes.rs.
struct Params {
    first_block: u32,     // position of the chunk in the text, in blocks
    first_group: u32,     // first block of the pass, in the chunk
}

// [stretches of the chunk]
@group(0) @binding(0) var<storage, read_write> prefixes: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> blocks: array<vec2<u32>>;           // [blocks of the text]
@group(0) @binding(2) var<storage, read> settings: array<u32>;                // the hash base first

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let block = params.first_group + group.x;
    let stretch = block * LANES + lane;
    let worth = power(vec2<u32>(settings[0], settings[1]), 32u * lane);
    prefixes[stretch] = add(multiply(blocks[params.first_block + block], worth), prefixes[stretch]);
}
