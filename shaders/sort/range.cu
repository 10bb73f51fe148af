// sort/range: the keys of a chunk that a workgroup has, a run of whole tiles.
//
// Grid, length: as in range.wgsl.
struct Params {
    u32 first;          // of the chunk's keys, among those of all chunks
    u32 keys;           // that the chunk holds at the most
    u32 length_at;      // where the number of keys lies
    u32 groups;         // workgroups of the chunk
    u32 column;         // of the chunk's first workgroup in the counts
    u32 columns;        // workgroups of all chunks
    u32 shift;          // the digit's place
    u32 mask;           // the digit's bits
    u32 into_first;     // of the keys of the chunk that is written
    u32 into_keys;      // that it holds
    u32 first_group;    // of the pass, which has some of the chunk's workgroups
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
