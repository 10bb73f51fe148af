// supersequence/row_origins: cells with a value and an origin, the column where the canonical path
// from the cell, walked back, reaches the last stored row.
//
// Recurrence, stored: as in row_origins.wgsl.
typedef u32x2 Entry;    // value, origin
BINDING(4, u32, stored)     // [segments - 1][1 + tiles * COLUMNS]

DEVICE Entry first_column(u32 row) {
    return {row, 0u};
}

DEVICE Entry cell(Entry across, Entry above) {
    return select(across, Entry{above.x + 1u, above.y}, above.x < across.x);
}

template <class P> DEVICE Entry hand_down(const Arguments& at, const P& params, Entry entry, u32 block, u32 column) {
    const bool last = block + 1u == (params.rows + ROWS - 1u) / ROWS;
    if (!last && (block + 1u) % params.segment_blocks != 0u) {
        return entry;
    }
    const u32 segment = block / params.segment_blocks;
    if (segment > 0u) {
        stored(at)[(segment - 1u) * (1u + params.tiles * LANES) + 1u + column] = entry.y;
    }
    return {entry.x, 1u + column};
}
