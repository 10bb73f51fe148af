// substring/prefix_blocks: replaces the hash of each block by the hash of all symbols of the text
// before it.
//
// Grid:     one workgroup; each lane has a run of blocks.
// Phases:   1 hash of a run, 2 hashes before each run, by one lane, 3 hashes before each block.
// Parts:    modular.cu. Host: src/substring/gpu/prefixes.rs.
struct Params {
    u32 blocks;
    u32 block_symbols;
};

BINDING(0, u64, blocks)             // [blocks]
BINDING(1, const u32, settings)     // the hash base first

__shared__ u64 wg_runs[LANES];

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();

    // Phase 1: the hash of a run.
    const u32 run = (params.blocks + LANES - 1u) / LANES;
    const u32 first = min(lane * run, params.blocks);
    const u32 end = min(first + run, params.blocks);
    const u64 worth = power(from_limbs(settings(at)[0], settings(at)[1]), params.block_symbols);
    u64 hash = 0u;
    for (u32 block = first; block < end; block++) {
        hash = add(multiply(hash, worth), blocks(at)[block]);
    }
    wg_runs[lane] = hash;
    barrier();

    // Phase 2: before each run.
    if (lane == 0u) {
        const u64 run_worth = power(worth, run);
        u64 before = 0u;
        for (u32 other = 0u; other < LANES; other++) {
            const u64 of_run = wg_runs[other];
            wg_runs[other] = before;
            before = add(multiply(before, run_worth), of_run);
        }
    }
    barrier();

    // Phase 3: before each block.
    u64 before = wg_runs[lane];
    for (u32 block = first; block < end; block++) {
        const u64 of_block = blocks(at)[block];
        blocks(at)[block] = before;
        before = add(multiply(before, worth), of_block);
    }
}
