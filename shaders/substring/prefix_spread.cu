// substring/prefix_spread: hashes of all symbols of a text before each stretch of 32, from those before its block and those in it.
//
// Grid:     one workgroup a block of LANES stretches.
// Parts:    modular.cu. Host: src/substring/gpu/prefixes.rs.
struct Params {
    u32 first_block;    // of the chunk, in the text
    u32 first_group;    // block of the chunk
};

BINDING(0, u64, prefixes)           // [stretches of the chunk]
BINDING(1, const u64, blocks)       // [blocks of the text]
BINDING(2, const u32, settings)     // the base first

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const u32 block = params.first_group + group().x;
    const u32 stretch = block * LANES + lane;
    const u64 worth = power(from_limbs(settings(at)[0], settings(at)[1]), 32u * lane);
    const u64 before = multiply(blocks(at)[params.first_block + block], worth);
    prefixes(at)[stretch] = add(before, prefixes(at)[stretch]);
}
