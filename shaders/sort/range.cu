// sort/range: the keys of a workgroup: a run of whole tiles of a chunk.
//
// Grid, length: as in range.wgsl.
struct Params {
    u32 first;          // position of the chunk's first key
    u32 keys;           // capacity of the chunk
    u32 length_at;      // position of the number of keys in `length`
    u32 groups;         // workgroups of the chunk
    u32 column;         // column of the chunk's first workgroup in the counts
    u32 columns;        // workgroups of all chunks
    u32 shift;          // bit position of the digit
    u32 mask;           // bits of the digit
    u32 into_first;     // position of the destination chunk's first key
    u32 into_keys;      // capacity of the destination chunk
    u32 first_group;    // of this pass, within the chunk
};

struct Range {
    u32 first;
    u32 end;
};

BINDING(0, const u32, length)

DEVICE Range range_of(const Arguments& at, u32 group) {
    const Params& params = PARAMS(at);
    const u32 keys = min(max(length(at)[params.length_at], params.first) - params.first, params.keys);
    const u32 tiles = (keys + (TILE - 1u)) / TILE;
    const u32 share = tiles / params.groups;
    const u32 more = tiles % params.groups;
    const u32 first = group * share + min(group, more);
    const u32 end = first + share + select(0u, 1u, group < more);
    return {first * TILE, min(end * TILE, keys)};
}
