// anti_diagonal/origins: tracks the origin of each cell on the canonical path of a supersequence.
//
// Origin:   the first cell of the path from here, walked back, on the last stored anti-diagonal or
//           on the one before it, which a diagonal step over the stored one reaches.
// Recurrence: up if the value is one more than above, otherwise diagonally if the symbols are
//             equal, otherwise left. The path goes left on the first row and up in the first
//             column.
// Position: twice the column of the origin, plus one on the anti-diagonal before the stored one.
// Stored:   both anti-diagonals at the end of a segment. Those of the first segment are not stored,
//           since all of them lead to the first cell.
// [3][rows + 1], like the diagonals
@group(0) @binding(3) var<storage, read_write> origins: array<u32>;
// [segments - 1][columns + 1][2]
@group(0) @binding(4) var<storage, read_write> stored: array<u32>;

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
