// supersequence/row_origins: beside its value a cell has its origin: the column where the canonical path from it, walked back,
// comes to the last stored row.
//
// Recurrence: the path goes up where W[i][j] = W[i-1][j] + 1, and takes the origin from there; else left to the last occurrence
//   and diagonally from it: W does not increase in a row, so that no cell on the way goes up. The first column leads to itself.
// Stored:   the last rows of segments; below them all origins start anew. Those of the first segment are not kept: all lead to row 0.
alias Entry = vec2<u32>;            // value, origin
@group(0) @binding(4) var<storage, read_write> stored: array<u32>;      // [segments - 1][1 + tiles * COLUMNS]

fn first_column(row: u32) -> Entry {
    return Entry(row, 0u);
}

fn cell(across: Entry, above: Entry) -> Entry {
    return select(across, Entry(above.x + 1u, above.y), above.x < across.x);
}

fn hand_down(entry: Entry, block: u32, column: u32) -> Entry {
    let last = block + 1u == (params.rows + ROWS - 1u) / ROWS;
    if !last && (block + 1u) % params.segment_blocks != 0u {
        return entry;
    }
    let segment = block / params.segment_blocks;
    if segment > 0u {
        stored[(segment - 1u) * (1u + params.tiles * COLUMNS) + 1u + column] = entry.y;
    }
    return Entry(entry.x, 1u + column);
}
