// anti_diagonal/sweep: fills one anti-diagonal of a table.
//
// Recurrence: `cell` of the part above, from the neighbours above, left and above left. The first
//             row and column count up from 0: T[0][j] = j, T[i][0] = i.
// Grid:     one lane per cell; lane k of the pass has row first + k, column diagonal - row.
// Diagonals: three rolling ones, indexed by row, in one buffer, so that all passes share one bind
//            group.
// Padding:  none; a pass has exactly the cells from row first to row last.
// Parts:    edit_distance.wgsl or supersequence.wgsl, origins.wgsl or no_origins.wgsl.
// Host:     src/papers/anti_diagonal/gpu.rs.
struct Params {
    diagonal: u32,      // row + column of the cells
    first: u32,         // row of the first cell
    last: u32,          // row of the last cell
    now: u32,           // start of this diagonal in its buffer
    before: u32,        // start of the previous diagonal
    before_2: u32,      // start of the diagonal before that
    behind: u32,        // diagonals since the last stored one
    stored: u32,        // start of this diagonal in the stored origins
}

@group(0) @binding(0) var<storage, read> a: array<u32>;                 // [rows]
@group(0) @binding(1) var<storage, read> b: array<u32>;                 // [columns]
@group(0) @binding(2) var<storage, read_write> diagonals: array<u32>;   // [3][rows + 1]

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = params.first + (group.y * groups.x + group.x) * LANES + lane;
    if row > params.last {
        return;
    }
    var value = params.diagonal;
    var up = row > 0u;
    var equal = false;
    if row > 0u && row < params.diagonal {
        let above = diagonals[params.before + row - 1u];
        let left = diagonals[params.before + row];
        let corner = diagonals[params.before_2 + row - 1u];
        equal = a[row - 1u] == b[params.diagonal - row - 1u];
        value = cell(corner, above, left, equal);
        up = value == above + 1u;
    }
    diagonals[params.now + row] = value;
    trace(row, up, equal);
}
