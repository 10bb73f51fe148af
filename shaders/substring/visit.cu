// substring/visit: drops windows whose keys are missing in one bitmap, and marks the keys of the
// rest in the next.
//
// Filter, grid, phases, marking: as in visit.wgsl.
// Parts:    packed_windows.cu or hashed_windows.cu, modular.cu, mix.cu, control.cu.
// Host:     src/substring/gpu/plan.rs.
constexpr u32 TESTS = 1u;       // modes: there is a bitmap to test against
constexpr u32 CONTINUES = 2u;   // modes: the text was visited before
constexpr u32 PARTITION_SEED = 0x51ed270bu;

struct Params {
    u32 first;          // first stretch of the pass, in the chunk
    u32 end;
    u32 windows;        // windows that start in the chunk
    u32 head;
    u32 count;          // counter in `control` of the remaining windows
    // Flags, from bit 8 on the shift of hashes, from bit 16 on the bits of a partition number.
    u32 modes;
    u32 keys;           // partition of the keys that this pass handles
    u32 test_seed;
    u32 mark_seed;
    u32 power_low;
    u32 power_high;
    u32 rest;
};

BINDING(4, u32, survivors)      // [stretches]
BINDING(5, const u32, tested)
BINDING(6, u32, marked)

__shared__ u32 wg_left;

DEVICE bool is_of_partition(const Params& params, u64 key) {
    const u32 bits = params.modes >> 16u;
    return bits == 0u || (hash_of(key, PARTITION_SEED) >> (32u - bits)) == params.keys;
}

DEVICE u32 visit(const Arguments& at, u32 stretch) {
    const Params& params = PARAMS(at);
    const u32 before = min(32u * stretch, params.windows);
    const u32 windows = min(params.windows - before, 32u);
    u32 kept = select((1u << (windows & 31u)) - 1u, 0xffffffffu, windows == 32u);
    if ((params.modes & CONTINUES) != 0u) {
        kept = survivors(at)[stretch];
    }
    const u32 shift = (params.modes >> 8u) & 31u;
    u32 left = 0u;
    if (kept != 0u) {
        Window window = first_window(at, params, stretch);
        for (u32 rest = kept; rest != 0u; rest &= rest - 1u) {
            const u32 place = firstTrailingBit(rest);
            move_to(at, params, window, place);
            const u64 key = key_of(at, params, window);
            if (is_of_partition(params, key)) {
                const u32 test = hash_of(key, params.test_seed) >> shift;
                if ((params.modes & TESTS) != 0u && ((tested(at)[test >> 5u] >> (test & 31u)) & 1u) == 0u) {
                    kept &= ~(1u << place);
                } else {
                    left += 1u;
                    const u32 mark = hash_of(key, params.mark_seed) >> shift;
                    const u32 bit = 1u << (mark & 31u);
                    if ((atomicLoad(&marked(at)[mark >> 5u]) & bit) == 0u) {
                        atomicOr(&marked(at)[mark >> 5u], bit);
                    }
                }
            }
        }
    }
    survivors(at)[stretch] = kept;
    return left;
}

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    if (lane == 0u) {
        wg_left = 0u;
    }
    barrier();

    // Phase 1: the windows of a stretch.
    const u32 stretch = params.first + group().x * LANES + lane;
    if (stretch < params.end && atomicLoad(&control(at)[STOPPED]) == 0u) {
        atomicAdd(&wg_left, visit(at, stretch));
    }
    barrier();

    // Phase 2: what the workgroup has left.
    if (lane == 0u) {
        atomicAdd(&control(at)[params.count], wg_left);
    }
}
