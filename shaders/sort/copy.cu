// sort/copy: copies a chunk's keys and payloads.
//
// Grid:     as range.cu.
// Host:     src/sort/plan.rs.
BINDING(1, const Key, keys)     // [keys of the chunk]
BINDING(2, Key, sorted_keys)    // [keys of the chunk]

KERNEL {
    const Range range = range_of(at, PARAMS(at).first_group + group().x);
    for (u32 place = range.first + lane(); place < range.end; place += LANES) {
        sorted_keys(at)[place] = keys(at)[place];
        if (PAYLOAD) {
            store_payload(at, place, load_payload(at, place));
        }
    }
}
