// substring/list_groups: lists the sorted windows whose hashes are marked, for the host.
//
// Grid, result: as in list_groups.wgsl.
// Parts:    mix.cu, groups.cu. Host: src/papers/sort_and_scan/plan.rs.
struct Params {
    u32 first;          // position of the chunk among all windows
    u32 begin;          // range of windows of the chunk to list
    u32 end;
    u32 capacity;       // of `entries`
    u32 shift;          // from a hash to a bit of `marks`
    u32 is_run;
};

BINDING(0, const u64, keys)         // [windows of the chunk]
BINDING(1, const u32, positions)
BINDING(2, const u32, marks)
BINDING(3, u32x4, entries)          // [capacity]

KERNEL {
    const Params& params = PARAMS(at);
    const u32 sorted = atomicLoad(&control(at)[SORTED]);
    const u32 here = max(sorted, params.first) - params.first;
    for (u32 window = params.begin + group().x * LANES + lane(); window < params.end; window += groups().x * LANES) {
        bool is_one = window < here;
        u32x4 entry = {0u, 0u, 0u, 0u};
        if (is_one) {
            const u64 key = keys(at)[window];
            const u32 place = hash_of(key, 0u) >> params.shift;
            is_one = ((marks(at)[place >> 5u] >> (place & 31u)) & 1u) == 1u;
            entry = {positions(at)[window], static_cast<u32>(key), static_cast<u32>(key >> 32u), is_one};
        }
        if (params.is_run != 0u) {
            entries(at)[window - params.begin] = entry;
        } else if (is_one) {
            const u32 slot = atomicAdd(&control(at)[LISTED], 1u);
            if (slot < params.capacity) {
                entries(at)[slot] = entry;
            }
        }
    }
}
