// substring/prefix_stretches: hashes, within each block, of the symbols before each stretch of 32,
// and of the whole block.
//
// Grid:     one workgroup per block of LANES stretches, one lane per stretch.
// Phases:   1 hash of a stretch, 2 inclusive scan (Hillis and Steele 1986, doi:10.1145/7902.7903)
//           by hash(xy) = hash(x) * base^|y| + hash(y), 3 hash before each stretch.
// Parts:    modular.wgsl. Host: src/substring/gpu/prefixes.rs.
struct Params {
    first_block: u32,     // position of the chunk in the text, in blocks
    first_group: u32,     // first block of the pass, in the chunk
}

@group(0) @binding(0) var<storage, read> codes: array<u32>;                    // BITS bits per code
// [stretches of the chunk]
@group(0) @binding(1) var<storage, read_write> prefixes: array<vec2<u32>>;
// [blocks of the text]
@group(0) @binding(2) var<storage, read_write> blocks: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> settings: array<u32>;                // the hash base first

var<workgroup> wg_hashes: array<vec2<u32>, LANES>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    // Phase 1: a stretch.
    let base = vec2<u32>(settings[0], settings[1]);
    let block = params.first_group + group.x;
    let stretch = block * LANES + lane;
    var hash = vec2<u32>(0u);
    for (var place = 0u; place < 32u; place++) {
        let bit = place * BITS;
        let word = stretch * BITS + (bit >> 5u);
        let shift = bit & 31u;
        let code = (codes[word] >> shift) | ((codes[word + 1u] << 1u) << (31u - shift));
        let symbol = code & select((1u << (BITS & 31u)) - 1u, 0xffffffffu, BITS == 32u);
        hash = add(multiply(hash, base), vec2<u32>(symbol, 0u));
    }
    wg_hashes[lane] = hash;
    workgroupBarrier();

    // Phase 2: all stretches up to this one.
    var worth = power(base, 32u);
    for (var reach = 1u; reach < LANES; reach *= 2u) {
        var before = vec2<u32>(0u);
        if lane >= reach {
            before = wg_hashes[lane - reach];
        }
        workgroupBarrier();
        hash = add(multiply(before, worth), hash);
        wg_hashes[lane] = hash;
        worth = multiply(worth, worth);
        workgroupBarrier();
    }

    // Phase 3: those before it.
    var before = vec2<u32>(0u);
    if lane > 0u {
        before = wg_hashes[lane - 1u];
    }
    prefixes[stretch] = before;
    if lane == LANES - 1u {
        blocks[params.first_block + block] = hash;
    }
}
