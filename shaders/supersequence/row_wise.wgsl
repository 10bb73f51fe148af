// supersequence/row_wise: a block of rows for every tile of columns of one wavefront, each row from the row before alone.
//
// Recurrence (Zhao, "Parallel Computing the Shortest Common Supersequence Problem", equation 9, with j subtracted on both sides):
//   W[i][j] = M[i][j] - j = min(W[i-1][A-1], W[i-1][j] + 1), A the last column up to j that has the row's symbol;
//   with A before the tile W[i][first - 1] takes the place of W[i-1][A-1].
// Grid:     one workgroup a tile of COLUMNS columns, one lane a column; tile t is t blocks of ROWS rows behind tile 0.
// Phases:   1 load row, edge and symbols, 2 sweep the rows, 3 store the row.
// Boundary: edges[] holds the last column of every tile for a block of rows, with the row above it in front; the two halves
//           alternate, since a tile reads what the tile on its left wrote in the wavefront before.
// Padding:  columns past the table have no occurrences, and none reads one on its right; rows past the table change nothing.
// Barrier:  one a row: the two halves of wg_before alternate.
// Parts:    row_values.wgsl or row_origins.wgsl: what a cell has. Host: src/supersequence/row_wise/gpu.rs.
const COLUMNS = LANES;

struct Params {
    wavefront: u32,
    first_tile: u32,     // of this pass
    rows: u32,           // of the table
    tiles: u32,          // of a row
    segment_blocks: u32, // from one stored row to the next
}

@group(0) @binding(0) var<storage, read> codes: array<u32>;         // [rows] codes from 1
@group(0) @binding(1) var<storage, read> last: array<u32>;          // [codes][tiles][COLUMNS / 2], 16 bits a column
@group(0) @binding(2) var<storage, read_write> row: array<Entry>;   // [tiles][COLUMNS]
@group(0) @binding(3) var<storage, read_write> edges: array<Entry>; // [wavefront parity][tiles + 1][ROWS + 1]

const AHEAD = 8u;                                           // rows whose occurrences are loaded together
const HALF = COLUMNS + 2u;
var<workgroup> wg_before: array<Entry, 2u * HALF>;          // by A: [0] for none in the tile, then W[i-1] from first - 1 on
var<workgroup> wg_left: array<Entry, ROWS + 1u>;            // the column left of the tile
var<workgroup> wg_last: array<u32, ROWS>;                   // where the rows' symbols start in last[]

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
        // The first column of the table is the number of the row.
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
