// anti_diagonal/origins: the origin of a cell is the first cell of the canonical path of a supersequence from it, walked back,
// that lies on the last stored anti-diagonal or before: on the one before, where a diagonal step passes over the stored one.
//
// Recurrence: up where the value is one more than above, else diagonally where the symbols are equal, else left. On the first
//   row the path goes left, in the first column up.
// Place:    an origin is twice the column, and one more on the anti-diagonal before the stored one.
// Stored:   both anti-diagonals at the end of a segment; those of the first segment are not kept: all lead to the first cell.
@group(0) @binding(3) var<storage, read_write> origins: array<u32>;     // [3][rows + 1], as the diagonals
@group(0) @binding(4) var<storage, read_write> stored: array<u32>;      // [segments - 1][columns + 1][2]

const NOT_STORED = 0xffffffffu;

fn trace(row: u32, up: bool, equal: bool) {
    let across = !up && equal;
    let back = select(1u, 2u, across);
    let from_row = select(row, row - 1u, up || equal);
    var origin = 2u * (params.diagonal - back - from_row) + back - params.behind;
    if params.behind > back {
        origin = origins[select(params.before, params.before_2, across) + from_row];
    }
    origins[params.now + row] = origin;
    if params.stored != NOT_STORED {
        stored[params.stored + 2u * (params.diagonal - row)] = origin;
    }
}
