// supersequence/row_origins: cells with a value and an origin, the column where the canonical path
// from the cell, walked back, reaches the last stored row.
//
// Recurrence: the path goes up where W[i][j] = W[i-1][j] + 1, and takes the origin from there;
//             otherwise left to the last occurrence and diagonally from it. W does not increase
//             along a row, so no cell in between goes up. The first column is its own origin.
// Stored:   the last row of each segment, below which origins restart. The first segment's is not
//           stored, as all its origins lead to row 0.
alias Entry = vec2<u32>;            // value, origin
// [segments - 1][1 + tiles * COLUMNS]
@group(0) @binding(4) var<storage, read_write> stored: array<u32>;

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
