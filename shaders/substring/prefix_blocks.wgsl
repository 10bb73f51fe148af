// substring/prefix_blocks: replaces the hash of each block by the hash of all symbols of the text
// before it.
//
// Grid:     one workgroup; each lane has a run of blocks.
// Phases:   1 hash of a run, 2 hashes before each run, by one lane, 3 hashes before each block.
// Parts:    modular.wgsl. Host: src/substring/gpu/prefixes.rs.
struct Params {
    blocks: u32,
    block_symbols: u32,
}

@group(0) @binding(0) var<storage, read_write> blocks: array<vec2<u32>>;    // [blocks]
@group(0) @binding(1) var<storage, read> settings: array<u32>;              // the hash base first

var<workgroup> wg_runs: array<vec2<u32>, LANES>;

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
    // Phase 1: the hash of a run.
    let run = (params.blocks + LANES - 1u) / LANES;
    let first = min(lane * run, params.blocks);
    let end = min(first + run, params.blocks);
    let worth = power(vec2<u32>(settings[0], settings[1]), params.block_symbols);
    var hash = vec2<u32>(0u);
    for (var block = first; block < end; block++) {
        hash = add(multiply(hash, worth), blocks[block]);
    }
    wg_runs[lane] = hash;
    workgroupBarrier();

    // Phase 2: before each run.
    if lane == 0u {
        let run_worth = power(worth, run);
        var before = vec2<u32>(0u);
        for (var other = 0u; other < LANES; other++) {
            let of_run = wg_runs[other];
            wg_runs[other] = before;
            before = add(multiply(before, run_worth), of_run);
        }
    }
    workgroupBarrier();

    // Phase 3: before each block.
    var before = wg_runs[lane];
    for (var block = first; block < end; block++) {
        let of_block = blocks[block];
        blocks[block] = before;
        before = add(multiply(before, worth), of_block);
    }
}
