// common/stamp: proves that a slice and all slices before it ran to their end.
//
// Grid, result: as in stamp.wgsl.
struct Params {
    u32 value;
    u32 after;
};

BINDING(0, u32, stamp)   // [1]

KERNEL {
    const Params& params = PARAMS(at);
    if (params.after == params.value || stamp(at)[0u] == params.after) {
        stamp(at)[0u] = params.value;
    }
}
