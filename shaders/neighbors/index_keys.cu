// neighbors/index_keys: writes the keys of a part of the strings' keys, in any order.
//
// Grid, result: as in index_keys.wgsl.
// Parts:    strings.cu, keys.cu, control.cu. Host: src/neighbors/gpu/plan.rs.
struct Params {
    u32 first_group;
    u32 slots;
    u32 strings_at;
    u32 tiles_at;
    u32 part;
    u32 capacity;
};

BINDING(3, u32, keys)       // [capacity]
BINDING(4, u32, numbers)    // [capacity]

__shared__ u32 wg_taken;
__shared__ u32 wg_first;

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const u32 group = params.first_group + ::group().x;
    const u32 slot = group * LANES + lane;
    if (lane == 0u) {
        wg_taken = 0u;
    }
    barrier();
    u32 record = 0u;
    Key key = {0u, false};
    if (slot < params.slots) {
        const u32 string = params.strings_at + STRING_WORDS * string_of(at, slot, params.tiles_at + group, params.strings_at);
        record = tables(at)[string];
        const u32 own = slot - tables(at)[string + 2u];
        key = key_of(at, record, section_of(at, own, records(at)[2u * record].y), own);
        key.is_valid = key.is_valid && is_of_part(key.hash, params.part);
    }
    u32 place = 0u;
    if (key.is_valid) {
        place = atomicAdd(&wg_taken, 1u);
    }
    barrier();
    if (lane == 0u) {
        wg_first = atomicAdd(&control(at)[ENTRIES], wg_taken);
    }
    place += workgroupUniformLoad(&wg_first);
    if (key.is_valid && place < params.capacity) {
        keys(at)[place] = key.hash;
        numbers(at)[place] = record;
    }
}
