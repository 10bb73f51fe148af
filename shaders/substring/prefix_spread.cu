// substring/prefix_spread: combines the hashes before each block and within it into the hash before
// each stretch of 32.
//
// Grid:     one workgroup per block of LANES stretches.
// Parts:    modular.cu. Host: src/substring/gpu/prefixes.rs.
struct Params {
    u32 first_block;    // position of the chunk in the text, in blocks
    u32 first_group;    // first block of the pass, in the chunk
};

BINDING(0, u64, prefixes)           // [stretches of the chunk]
BINDING(1, const u64, blocks)       // [blocks of the text]
BINDING(2, const u32, settings)     // the hash base first

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const u32 block = params.first_group + group().x;
    const u32 stretch = block * LANES + lane;
    const u64 worth = power(from_limbs(settings(at)[0], settings(at)[1]), 32u * lane);
    const u64 before = multiply(blocks(at)[params.first_block + block], worth);
    prefixes(at)[stretch] = add(before, prefixes(at)[stretch]);
}
