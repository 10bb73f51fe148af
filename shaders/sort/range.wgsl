// sort/range: the keys of a workgroup: a run of whole tiles of a chunk.
//
// Grid:     params.groups workgroups per chunk, in one pass or several. Their runs are consecutive
//           and differ by at most one tile.
// Length:   read on the device, so that the result of an earlier pass can be sorted; clamped to the
//           capacity.
struct Params {
    first: u32,         // position of the chunk's first key
    keys: u32,          // capacity of the chunk
    length_at: u32,     // position of the number of keys in `length`
    groups: u32,        // workgroups of the chunk
    column: u32,        // column of the chunk's first workgroup in the counts
    columns: u32,       // workgroups of all chunks
    shift: u32,         // bit position of the digit
    mask: u32,          // bits of the digit
    into_first: u32,    // position of the destination chunk's first key
    into_keys: u32,     // capacity of the destination chunk
    first_group: u32,   // of this pass, within the chunk
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
