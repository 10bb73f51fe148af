// sort/range: the keys of a chunk that a workgroup has, a run of whole tiles.
//
// Grid:     params.groups workgroups a chunk, in one pass or several; their runs differ by one tile at most, and each follows the one before.
// Length:   on the device, so that what a pass before has found can be sorted; never more than the chunks hold.
struct Params {
    first: u32,         // of the chunk's keys, among those of all chunks
    keys: u32,          // that the chunk holds at the most
    length_at: u32,     // where the number of keys lies
    groups: u32,        // workgroups of the chunk
    column: u32,        // of the chunk's first workgroup in the counts
    columns: u32,       // workgroups of all chunks
    shift: u32,         // the digit's place
    mask: u32,          // the digit's bits
    into_first: u32,    // of the keys of the chunk that is written
    into_keys: u32,     // that it holds
    first_group: u32,   // of the pass, which has some of the chunk's workgroups
}

struct Range {
    first: u32,
    end: u32,
}

@group(0) @binding(0) var<storage, read> length: array<u32>;

fn range_of(group: u32) -> Range {
    let keys = min(max(length[params.length_at], params.first) - params.first, params.keys);
    let tiles = (keys + (TILE - 1u)) / TILE;
    let share = tiles / params.groups;
    let more = tiles % params.groups;
    let first = group * share + min(group, more);
    let end = first + share + select(0u, 1u, group < more);
    return Range(first * TILE, min(end * TILE, keys));
}
