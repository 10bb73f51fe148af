// neighbors/mark: marks the strings of frequent keys.
//
// Grid:     as in mark.wgsl.
// Parts:    strings.cu, index.cu, control.cu. Host: src/neighbors/gpu/plan.rs.
struct Params {
    u32 first_group;
    u32 capacity;
    u32 part;
    u32 shift;
};

BINDING(6, u32, marks)    // a bit per record

KERNEL {
    const Params& params = PARAMS(at);
    const u32 entry = (params.first_group + group().x) * LANES + lane();
    if (entry >= min(control(at)[ENTRIES], params.capacity)) {
        return;
    }
    if (is_frequent(at, run_of(at, keys(at)[entry], params.part, params.shift))) {
        const u32 number = numbers(at)[entry];
        atomicOr(&marks(at)[number >> 5u], 1u << (number & 31u));
    }
}
