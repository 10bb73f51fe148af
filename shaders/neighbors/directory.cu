// neighbors/directory: start of each bucket of sorted keys.
//
// Bucket, grid: as in directory.wgsl.
// Parts:    control.cu. Host: src/neighbors/gpu/plan.rs.
struct Params {
    u32 first_group;
    u32 capacity;
    u32 part;
    u32 shift;      // from a key to its bucket
};

BINDING(3, const u32, keys)
BINDING(5, u32, starts)    // [buckets + 1]

DEVICE u32 bucket_of(const Params& params, u32 key) { return key << (params.part >> 24u) >> params.shift; }

KERNEL {
    const Params& params = PARAMS(at);
    const u32 entries = min(control(at)[ENTRIES], params.capacity);
    const u32 entry = (params.first_group + group().x) * LANES + lane();
    if (entry > entries) {
        return;
    }
    u32 first = 0u;
    if (entry > 0u) {
        first = bucket_of(params, keys(at)[entry - 1u]) + 1u;
    }
    u32 last = 1u << (32u - params.shift);
    if (entry < entries) {
        last = bucket_of(params, keys(at)[entry]);
    }
    for (u32 bucket = first; bucket <= last; bucket++) {
        starts(at)[bucket] = entry;
    }
}
