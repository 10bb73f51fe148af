// substring/hash_windows: writes the hashes and positions of all windows of a text, for sorting.
//
// Grid, result, chunks: as in hash_windows.wgsl.
// Parts:    hashed_windows.cu, modular.cu, groups.cu. Host: src/papers/sort_and_scan/plan.rs.
struct Params {
    u32 first;          // first stretch of the pass, in the chunk of codes
    u32 end;
    u32 windows;        // end of the windows that start in the chunk
    u32 head;
    u32 position;       // position of the chunk's first code among all texts
    u32 place;          // index of its window among all texts, modulo 2^32
    u32 into_first;     // start of the destination chunk
    u32 into_keys;      // capacity of the destination chunk, in windows
    u32 part;           // partition number; its bit count from bit 16 on
    u32 power_low;
    u32 power_high;
    u32 rest;
};

BINDING(4, u64, keys)           // [windows of the chunk]
BINDING(5, u32, positions)      // [windows of the chunk]

DEVICE bool is_of_partition(const Params& params, u64 key, u32 bits) {
    // A hash has 61 bits.
    return static_cast<u32>(key >> (61u - bits)) == (params.part & 0xffffu);
}

KERNEL {
    const Params& params = PARAMS(at);
    const u32 stretch = params.first + group().x * LANES + lane();
    if (stretch >= params.end) {
        return;
    }
    const u32 before = 32u * stretch;
    const u32 windows = min(params.windows - before, 32u);
    const u32 bits = params.part >> 16u;
    const Window first = first_window(at, params, stretch);
    u32 place = params.place + before - params.into_first;
    if (bits > 0u) {
        u32 taken = 0u;
        Window window = first;
        for (u32 i = 0u; i < windows; i++) {
            move_to(at, params, window, i);
            taken += is_of_partition(params, key_of(at, params, window), bits);
        }
        place = atomicAdd(&control(at)[SORTED], taken);
    }
    Window window = first;
    for (u32 i = 0u; i < windows; i++) {
        move_to(at, params, window, i);
        const u64 key = key_of(at, params, window);
        if (bits == 0u || is_of_partition(params, key, bits)) {
            if (place < params.into_keys) {
                keys(at)[place] = key;
                positions(at)[place] = params.position + before + i;
            }
            place += 1u;
        }
    }
}
