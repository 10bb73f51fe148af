// edit_distance/tiled: fills one anti-diagonal of tiles of the Levenshtein table.
//
// Recurrence (Wagner and Fischer 1974, doi:10.1145/321796.321811), unit costs:
//   D[i][j] = D[i-1][j-1] where a_i = b_j, else 1 + min(D[i-1][j], D[i][j-1], D[i-1][j-1]).
// Grid:     one workgroup per tile; lane l owns row l and is one column behind lane l-1.
// Phases:   1 load boundary, 2 sweep the cell anti-diagonals, 3 store boundary.
// Boundary: overwritten in place; left has TILE + 1 values per row of tiles, with the corner in
//           [0].
// Padding:  lanes and columns outside the table compute no cells. The boundary of a tile ends with
//           its last row and column inside the table.
// Host:     src/papers/tiled/gpu.rs.
const TILE = LANES;

struct Params {
    wavefront: u32,           // anti-diagonal of tiles
    first_tile: u32,     // row of tiles of the first workgroup
    tiles: u32,          // of this pass
    rows: u32,           // of the table
    columns: u32,
}

@group(0) @binding(0) var<storage, read> a: array<u32>;             // [rows]
@group(0) @binding(1) var<storage, read> b: array<u32>;             // [columns]
@group(0) @binding(2) var<storage, read_write> above: array<u32>;   // [columns], the row above
// [rows of tiles][TILE + 1], the column left of the tiles
@group(0) @binding(3) var<storage, read_write> left: array<u32>;

var<workgroup> wg_codes: array<u32, TILE>;          // codes of the tile's columns
var<workgroup> wg_above: array<u32, TILE>;          // the row above the tile
// Values handed to the next lane, by parity of the step.
var<workgroup> wg_values: array<u32, 2u * TILE>;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let place = group.y * groups.x + group.x;
    if place >= params.tiles {
        return;
    }
    let tile_row = params.first_tile + place;
    let first_row = tile_row * TILE;
    let first_column = (params.wavefront - tile_row) * TILE;
    let rows = min(TILE, params.rows - first_row);
    let columns = min(TILE, params.columns - first_column);
    let edge = tile_row * (TILE + 1u);

    // Phase 1: load.
    if lane < columns {
        wg_codes[lane] = b[first_column + lane];
        wg_above[lane] = above[first_column + lane];
    }
    let code = a[first_row + min(lane, rows - 1u)];
    var corner = left[edge + lane];
    var value = left[edge + lane + 1u];
    workgroupBarrier();

    // Phase 2: sweep.
    for (var step = 0u; step < rows + columns - 1u; step++) {
        let half = (step & 1u) * TILE;
        let column = step - lane;
        // Before its first column a lane's column wraps to a large number.
        if column < columns && lane < rows {
            var over = wg_above[column];
            if lane > 0u {
                over = wg_values[(TILE - half) + lane - 1u];
            }
            value = select(min(min(over, value), corner) + 1u, corner, code == wg_codes[column]);
            corner = over;
            wg_values[half + lane] = value;
            if lane == rows - 1u {
                above[first_column + column] = value;
            }
        }
        workgroupBarrier();
    }

    // Phase 3: store.
    left[edge + lane + 1u] = value;
    if lane == 0u {
        left[edge] = wg_above[columns - 1u];
    }
}
