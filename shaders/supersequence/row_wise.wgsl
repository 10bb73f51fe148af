// supersequence/row_wise: fills a block of rows in each tile of a wavefront, each row from the row
// above alone.
//
// Recurrence (Zhao, "Parallel Computing the Shortest Common Supersequence Problem", equation 9,
// with j subtracted on both sides):
//   W[i][j] = M[i][j] - j = min(W[i-1][A-1], W[i-1][j] + 1), A the last column up to j with the
//   row's symbol;
//   if A lies before the tile, W[i][first - 1] replaces W[i-1][A-1].
// Grid:     one workgroup per tile of COLUMNS columns, one lane per column; tile t is t blocks of
//           ROWS rows behind tile 0.
// Phases:   1 load row, boundary and symbols, 2 sweep the rows, 3 store the row.
// Boundary: edges[] holds the last column of each tile for a block of rows, preceded by the row
//           above. The two halves alternate, as a tile reads what the tile on its left wrote in the
//           previous wavefront.
// Padding:  columns outside of the table have no occurrences, and no column reads one to its right;
//           rows outside change nothing.
// Barrier:  one per row. The two halves of wg_before alternate.
// Parts:    row_values.wgsl or row_origins.wgsl. Host: src/papers/row_wise/gpu.rs.
const COLUMNS = LANES;

struct Params {
    wavefront: u32,
    first_tile: u32,     // of this pass
    rows: u32,           // of the table
    tiles: u32,          // per row of tiles
    segment_blocks: u32, // blocks between stored rows
}

@group(0) @binding(0) var<storage, read> codes: array<u32>;         // [rows] codes from 1
// [codes][tiles][COLUMNS / 2], 16 bits per column
@group(0) @binding(1) var<storage, read> last: array<u32>;
@group(0) @binding(2) var<storage, read_write> row: array<Entry>;   // [tiles][COLUMNS]
// [wavefront parity][tiles + 1][ROWS + 1]
@group(0) @binding(3) var<storage, read_write> edges: array<Entry>;

// Rows whose occurrences are loaded together.
const AHEAD = 8u;
const HALF = COLUMNS + 2u;
// By A: [0] for none in the tile, then W[i-1] from first - 1 on.
var<workgroup> wg_before: array<Entry, 2u * HALF>;
var<workgroup> wg_left: array<Entry, ROWS + 1u>;            // the column left of the tile
// Start of each row's symbol in last[].
var<workgroup> wg_last: array<u32, ROWS>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tile = params.first_tile + group.x;
    let block = params.wavefront - tile;
    let first_row = block * ROWS;
    let rows = min(ROWS, params.rows - first_row);
    let stride = (params.tiles + 1u) * (ROWS + 1u);
    let parity = params.wavefront & 1u;
    let edge_in = (1u - parity) * stride + tile * (ROWS + 1u);
    let edge_out = parity * stride + (tile + 1u) * (ROWS + 1u);
    let column = tile * COLUMNS + lane;

    // Phase 1: load.
    var entry = row[column];
    wg_before[lane + 2u] = entry;
    if lane <= ROWS {
        // Column 0 of the table is the row number.
        wg_left[lane] = first_column(first_row + lane);
        if tile > 0u {
            wg_left[lane] = edges[edge_in + lane];
        }
        if lane < 2u {
            wg_before[1u - lane] = wg_left[lane];
        }
    }
    if lane < ROWS {
        wg_last[lane] = (codes[first_row + min(lane, rows - 1u)] - 1u) * params.tiles * (COLUMNS / 2u);
    }
    if lane == COLUMNS - 1u {
        edges[edge_out] = entry;
    }
    workgroupBarrier();

    // Phase 2: sweep.
    let shift = (lane & 1u) * 16u;
    for (var chunk = 0u; chunk < ROWS; chunk += AHEAD) {
        var places: array<u32, AHEAD>;
        for (var k = 0u; k < AHEAD; k++) {
            places[k] = (last[wg_last[chunk + k] + column / 2u] >> shift) & 0xffffu;
        }
        for (var k = 0u; k < AHEAD; k++) {
            let r = chunk + k;
            let half = (r & 1u) * HALF;
            let across = wg_before[half + places[k]];
            if r < rows {
                entry = cell(across, entry);
            }
            let other = HALF - half;
            wg_before[other + lane + 2u] = entry;
            if lane == 0u {
                wg_before[other] = wg_left[min(r + 2u, ROWS)];
                wg_before[other + 1u] = wg_left[r + 1u];
            }
            if lane == COLUMNS - 1u {
                edges[edge_out + r + 1u] = entry;
            }
            workgroupBarrier();
        }
    }

    // Phase 3: store.
    row[column] = hand_down(entry, block, column);
}
