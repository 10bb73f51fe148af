// anti_diagonal/sweep: fills one anti-diagonal of a table.
//
// Recurrence, grid, diagonals, padding: as in sweep.wgsl.
// Parts:    edit_distance.cu or supersequence.cu, origins.cu or no_origins.cu.
// Host:     src/papers/anti_diagonal/gpu.rs.
struct Params {
    u32 diagonal;   // row + column of the cells
    u32 first;      // row of the first cell
    u32 last;       // row of the last cell
    u32 now;        // start of this diagonal in its buffer
    u32 before;     // start of the previous diagonal
    u32 before_2;   // start of the diagonal before that
    u32 behind;     // diagonals since the last stored one
    u32 stored;     // start of this diagonal in the stored origins
};

BINDING(0, const u32, a)        // [rows]
BINDING(1, const u32, b)        // [columns]
BINDING(2, u32, diagonals)      // [3][rows + 1]

KERNEL_IN_STEP {
    const Params& params = PARAMS_OF(at, pass);
    const u32 row = params.first + (group().y * groups().x + group().x) * LANES + lane();
    if (row > params.last) {
        return;
    }
    u32 value = params.diagonal;
    bool up = row > 0u;
    bool equal = false;
    if (row > 0u && row < params.diagonal) {
        const u32 above = diagonals(at)[params.before + row - 1u];
        const u32 left = diagonals(at)[params.before + row];
        const u32 corner = diagonals(at)[params.before_2 + row - 1u];
        equal = a(at)[row - 1u] == b(at)[params.diagonal - row - 1u];
        value = cell(corner, above, left, equal);
        up = value == above + 1u;
    }
    diagonals(at)[params.now + row] = value;
    trace(at, params, row, up, equal);
}
