// substring/prefix_stretches: hashes, within each block, of the symbols before each stretch of 32,
// and of the whole block.
//
// Grid:     one workgroup per block of LANES stretches, one lane per stretch.
// Phases:   1 hash of a stretch, 2 inclusive scan (Hillis and Steele 1986, doi:10.1145/7902.7903)
//           by hash(xy) = hash(x) * base^|y| + hash(y), 3 hash before each stretch.
// Parts:    modular.cu. Host: src/substring/gpu/prefixes.rs.
struct Params {
    u32 first_block;    // position of the chunk in the text, in blocks
    u32 first_group;    // first block of the pass, in the chunk
};

BINDING(0, const u32, codes)        // BITS bits per code
BINDING(1, u64, prefixes)           // [stretches of the chunk]
BINDING(2, u64, blocks)             // [blocks of the text]
BINDING(3, const u32, settings)     // the hash base first

__shared__ u64 wg_hashes[LANES];

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();

    // Phase 1: a stretch.
    const u64 base = from_limbs(settings(at)[0], settings(at)[1]);
    const u32 block = params.first_group + group().x;
    const u32 stretch = block * LANES + lane;
    u64 hash = 0u;
#pragma unroll 8
    for (u32 place = 0u; place < 32u; place++) {
        const u32 bit = place * BITS;
        const u32 word = stretch * BITS + (bit >> 5u);
        const u32 code = __funnelshift_r(codes(at)[word], codes(at)[word + 1u], bit & 31u);
        const u32 symbol = code & select((1u << (BITS & 31u)) - 1u, 0xffffffffu, BITS == 32u);
        hash = add(multiply(hash, base), symbol);
    }
    wg_hashes[lane] = hash;
    barrier();

    // Phase 2: all stretches up to this one.
    u64 worth = power(base, 32u);
    for (u32 reach = 1u; reach < LANES; reach *= 2u) {
        u64 before = 0u;
        if (lane >= reach) {
            before = wg_hashes[lane - reach];
        }
        barrier();
        hash = add(multiply(before, worth), hash);
        wg_hashes[lane] = hash;
        worth = multiply(worth, worth);
        barrier();
    }

    // Phase 3: those before it.
    prefixes(at)[stretch] = select(u64{0u}, wg_hashes[max(lane, 1u) - 1u], lane > 0u);
    if (lane == LANES - 1u) {
        blocks(at)[params.first_block + block] = hash;
    }
}
