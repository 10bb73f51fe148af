// parenthesization/tiled_diagonal: fills the tiles on the diagonal of the table.
//
// Recurrence: C[i][j] = best over i < k < j of C[i][k] + C[k][j] + w(i, k, j), or C[i+1][j-1] +
//             e(i, j); C[i][i+1] is a leaf.
// Grid:     one workgroup per tile, one lane per row.
// Phases:   1 sweep the cells by length, 2 store.
// Padding:  cells after the last point hold unused costs; no in-range cell reads one.
// Parts:    value_*.wgsl, goal.wgsl, the problem, tiles_*.wgsl, tiles.wgsl.
// Host:     src/parenthesization/gpu/tiled.rs.
struct Params {
    points: u32,
    transposed: u32,    // offset in tiles from a finished tile to its transposed copy; 0 for none
    first_tile: u32,    // of the pass
}

var<workgroup> wg_cells: array<Value, TILE * (TILE + 1u)>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) row: u32) {
    let place = params.first_tile + group.x;
    let first = place * TILE;
    let last = params.points - 1u;
    let i = first + row;
    let stride = TILE + 1u;

    // Phase 1: sweep by length.
    for (var length = 1u; length < TILE; length++) {
        let column = row + length;
        let j = i + length;
        if column < TILE && j <= last {
            var best = worst();
            if length == 1u {
                best = leaf(i);
            } else {
                if encloses(i, j) {
                    var inside = value(0u);
                    if length > 2u {
                        inside = wg_cells[(row + 1u) * stride + column - 1u];
                    }
                    best = plus(inside, enclosure(i, j));
                }
                let outer = outer(i, j);
                for (var k = row + 1u; k < column; k++) {
                    let parts = plus(wg_cells[row * stride + k], wg_cells[k * stride + column]);
                    best = best_of(best, plus(parts, weight(outer, inner(first + k))));
                }
            }
            wg_cells[row * stride + column] = best;
        }
        workgroupBarrier();
    }

    // Phase 2: store row by row.
    let tile = tile_at(place, place);
    for (var y = 0u; y < TILE; y++) {
        if first + y <= last && row > y && first + row <= last {
            store(tile, y * TILE + row, wg_cells[y * stride + row]);
        }
    }
}
