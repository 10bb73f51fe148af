// parenthesization/tiled_wavefront: finishes one anti-diagonal of tiles and pushes the products of
// the previous one into all later tiles.
//
// Recurrence: C[i][j] = best over i < k < j of C[i][k] + C[k][j] + w(i, k, j), or C[i+1][j-1] +
//             e(i, j); C[i][i+1] is a leaf.
// Grid:     x: tile row, from params.row on. y: distance from the diagonal, from params.distance +
//           params.first on. A lane has 4 x 4 cells, SIDE apart; LANES = SIDE * SIDE.
// Phases:   1 load the partial tile, 2 add products of finished tiles whose longer factor is at
//           distance - 1, at most two per tile, 3 at params.distance close the tile, 4 store.
// Closure:  splits in the tile's own rows and columns. Cells are finished by anti-diagonals from
//           the lower left; each is pushed up its column and along its row at once, so a step is
//           two splits per cell.
// Memory:   wg_cells holds half a tile on the left and half on the right, or both tiles on the
//           diagonal, one of them transposed, or the tile during load and store. Lanes index their
//           own cells by constants only, so the cells stay in registers.
// Padding:  cells after the last point hold unused costs; no in-range cell reads one. Weights are
//           computed for points in range only.
// Parts:    value_*.wgsl, goal.wgsl, the problem, tiles_*.wgsl, tiles.wgsl.
// Host:     src/parenthesization/gpu/tiled.rs.
const SIDE = TILE / 4u;
const HALF = TILE / 2u;
const STRIDE = TILE + 1u;
// Start of the right half.
const RIGHT = TILE * (HALF + 1u);

struct Params {
    points: u32,
    tiles: u32,      // per row
    distance: u32,   // of the tiles finished in this pass, from the diagonal
    first: u32,      // distance of the first tiles beyond `distance`
    transposed: u32, // offset in tiles from a finished tile to its transposed copy; 0 for none
    row: u32,        // of the first tiles; always 0 in CUDA
}

var<workgroup> wg_cells: array<Value, TILE * STRIDE>;
var<workgroup> wg_inner: array<Inner, 2u * TILE>;
// Cells of the last four anti-diagonals, by row.
var<workgroup> wg_line: array<Value, 4u * TILE>;

alias Cells = array<Value, 16>;
alias Outers = array<Outer, 16>;

// The better of `best` and one split.
fn split(best: Value, outer: Outer, inner: Inner, left: Value, right: Value) -> Value {
    return best_of(best, plus(plus(left, right), weight(outer, inner)));
}

// Adds all splits at the points of tile `middle`, between the rows and the columns.
fn multiply(best: ptr<function, Cells>, outers: ptr<function, Outers>, row: u32, middle: u32, column: u32, lane: u32) {
    let left_tile = tile_at(row, middle);
    let right_tile = tile_at(middle, column);
    let y = lane / SIDE;
    let x = lane % SIDE;
    // Separate variables keep the cells in registers, whatever the closure does with the array.
    var best_0 = (*best)[0];
    var best_1 = (*best)[1];
    var best_2 = (*best)[2];
    var best_3 = (*best)[3];
    var best_4 = (*best)[4];
    var best_5 = (*best)[5];
    var best_6 = (*best)[6];
    var best_7 = (*best)[7];
    var best_8 = (*best)[8];
    var best_9 = (*best)[9];
    var best_10 = (*best)[10];
    var best_11 = (*best)[11];
    var best_12 = (*best)[12];
    var best_13 = (*best)[13];
    var best_14 = (*best)[14];
    var best_15 = (*best)[15];
    let outer_0 = (*outers)[0];
    let outer_1 = (*outers)[1];
    let outer_2 = (*outers)[2];
    let outer_3 = (*outers)[3];
    let outer_4 = (*outers)[4];
    let outer_5 = (*outers)[5];
    let outer_6 = (*outers)[6];
    let outer_7 = (*outers)[7];
    let outer_8 = (*outers)[8];
    let outer_9 = (*outers)[9];
    let outer_10 = (*outers)[10];
    let outer_11 = (*outers)[11];
    let outer_12 = (*outers)[12];
    let outer_13 = (*outers)[13];
    let outer_14 = (*outers)[14];
    let outer_15 = (*outers)[15];
    for (var half = 0u; half < 2u; half++) {
        workgroupBarrier();
        for (var at = lane; at < TILE * HALF; at += LANES) {
            wg_cells[at / HALF * (HALF + 1u) + at % HALF] = load(left_tile, at / HALF * TILE + half * HALF + at % HALF);
            wg_cells[RIGHT + at] = load(right_tile, half * (HALF * TILE) + at);
        }
        for (var at = lane; at < HALF; at += LANES) {
            wg_inner[at] = inner(middle * TILE + half * HALF + at);
        }
        workgroupBarrier();
        for (var k = 0u; k < HALF; k++) {
            let inner = wg_inner[k];
            let left = y * (HALF + 1u) + k;
            let right = RIGHT + k * TILE + x;
            let left_0 = wg_cells[left + 0u * SIDE * (HALF + 1u)];
            let left_1 = wg_cells[left + 1u * SIDE * (HALF + 1u)];
            let left_2 = wg_cells[left + 2u * SIDE * (HALF + 1u)];
            let left_3 = wg_cells[left + 3u * SIDE * (HALF + 1u)];
            let right_0 = wg_cells[right + 0u * SIDE];
            let right_1 = wg_cells[right + 1u * SIDE];
            let right_2 = wg_cells[right + 2u * SIDE];
            let right_3 = wg_cells[right + 3u * SIDE];
            best_0 = split(best_0, outer_0, inner, left_0, right_0);
            best_1 = split(best_1, outer_1, inner, left_0, right_1);
            best_2 = split(best_2, outer_2, inner, left_0, right_2);
            best_3 = split(best_3, outer_3, inner, left_0, right_3);
            best_4 = split(best_4, outer_4, inner, left_1, right_0);
            best_5 = split(best_5, outer_5, inner, left_1, right_1);
            best_6 = split(best_6, outer_6, inner, left_1, right_2);
            best_7 = split(best_7, outer_7, inner, left_1, right_3);
            best_8 = split(best_8, outer_8, inner, left_2, right_0);
            best_9 = split(best_9, outer_9, inner, left_2, right_1);
            best_10 = split(best_10, outer_10, inner, left_2, right_2);
            best_11 = split(best_11, outer_11, inner, left_2, right_3);
            best_12 = split(best_12, outer_12, inner, left_3, right_0);
            best_13 = split(best_13, outer_13, inner, left_3, right_1);
            best_14 = split(best_14, outer_14, inner, left_3, right_2);
            best_15 = split(best_15, outer_15, inner, left_3, right_3);
        }
    }
    (*best)[0] = best_0;
    (*best)[1] = best_1;
    (*best)[2] = best_2;
    (*best)[3] = best_3;
    (*best)[4] = best_4;
    (*best)[5] = best_5;
    (*best)[6] = best_6;
    (*best)[7] = best_7;
    (*best)[8] = best_8;
    (*best)[9] = best_9;
    (*best)[10] = best_10;
    (*best)[11] = best_11;
    (*best)[12] = best_12;
    (*best)[13] = best_13;
    (*best)[14] = best_14;
    (*best)[15] = best_15;
}

// Completes cell (r, c), which has all its splits, with its leaf or enclosure.
fn finished(best: Value, row: u32, column: u32, r: u32, c: u32, step: u32) -> Value {
    let i = row * TILE + r;
    let j = column * TILE + c;
    if j == i + 1u {
        return leaf(min(i, params.points - 2u));
    }
    if j >= params.points || !encloses(i, j) {
        return best;
    }
    var inside = value(0u);
    if j > i + 2u {
        if r + 1u < TILE && c > 0u {
            inside = wg_line[((step + 2u) % 4u) * TILE + r + 1u];
        } else {
            inside = cost(i + 1u, j - 1u);
        }
    }
    return best_of(plus(inside, enclosure(i, j)), best);
}

fn close(best: ptr<function, Cells>, outers: ptr<function, Outers>, row: u32, column: u32, lane: u32) {
    let y = lane / SIDE;
    let x = lane % SIDE;
    let last = params.points - 1u;
    workgroupBarrier();
    for (var at = lane; at < TILE * TILE; at += LANES) {
        let r = at / TILE;
        let c = at % TILE;
        if r < c {
            wg_cells[r * STRIDE + c] = load(tile_at(row, row), at);
            wg_cells[c * STRIDE + r] = load(tile_at(column, column), at);
        }
    }
    for (var at = lane; at < TILE; at += LANES) {
        wg_inner[at] = inner(min(row * TILE + at, last));
        wg_inner[TILE + at] = inner(min(column * TILE + at, last));
    }
    workgroupBarrier();
    for (var step = 0u; step < 2u * TILE - 1u; step++) {
        let line = (step % 4u) * TILE;
        for (var a = 0u; a < 4u; a++) {
            for (var b = 0u; b < 4u; b++) {
                let r = y + a * SIDE;
                let c = x + b * SIDE;
                if TILE - 1u - r + c == step {
                    wg_line[line + r] = (*best)[a * 4u + b];
                }
            }
        }
        workgroupBarrier();
        // Only the first step has a cell that may be a leaf.
        if ENCLOSES == 1u || step == 0u {
            for (var r = lane; r < TILE; r += LANES) {
                let c = step + r + 1u - TILE;
                if step + r + 1u >= TILE && c < TILE {
                    wg_line[line + r] = finished(wg_line[line + r], row, column, r, c, step);
                }
            }
            workgroupBarrier();
            for (var a = 0u; a < 4u; a++) {
                for (var b = 0u; b < 4u; b++) {
                    let r = y + a * SIDE;
                    let c = x + b * SIDE;
                    if TILE - 1u - r + c == step {
                        (*best)[a * 4u + b] = wg_line[line + r];
                    }
                }
            }
        }
        // Up the columns: the finished cell is the right part, a cell of the rows' own tile the
        //                 left one.
        for (var b = 0u; b < 4u; b++) {
            let c = x + b * SIDE;
            let k = TILE - 1u + c - step;
            if step >= c && step - c < TILE {
                let right = wg_line[line + k];
                let inner = wg_inner[k];
                for (var a = 0u; a < 4u; a++) {
                    let r = y + a * SIDE;
                    if r < k {
                        let cost = plus(plus(wg_cells[r * STRIDE + k], right), weight((*outers)[a * 4u + b], inner));
                        (*best)[a * 4u + b] = best_of((*best)[a * 4u + b], cost);
                    }
                }
            }
        }
        // Along the rows: the finished cell is the left part.
        for (var a = 0u; a < 4u; a++) {
            let r = y + a * SIDE;
            let k = step + r + 1u - TILE;
            if step + r + 1u >= TILE && k < TILE {
                let left = wg_line[line + r];
                let inner = wg_inner[TILE + k];
                for (var b = 0u; b < 4u; b++) {
                    let c = x + b * SIDE;
                    if c > k {
                        let cost = plus(plus(left, wg_cells[c * STRIDE + k]), weight((*outers)[a * 4u + b], inner));
                        (*best)[a * 4u + b] = best_of((*best)[a * 4u + b], cost);
                    }
                }
            }
        }
    }
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = params.row + group.x;
    let distance = params.distance + params.first + group.y;
    let column = row + distance;
    if column >= params.tiles {
        return;
    }
    let tile = tile_at(row, column);
    let last = params.points - 1u;
    let first_cell = lane / SIDE * STRIDE + lane % SIDE;
    let reach = params.distance - 1u;    // distance of the tiles finished by the previous pass

    // Phase 1: load. Tiles farther out than both shorter products together are still empty.
    var best: Cells;
    var outers: Outers;
    let begun = reach >= 1u && distance <= 2u * (reach - 1u);
    if begun {
        for (var at = lane; at < TILE * TILE; at += LANES) {
            wg_cells[at / TILE * STRIDE + at % TILE] = load(tile, at);
        }
    }
    workgroupBarrier();
    for (var n = 0u; n < 16u; n++) {
        let i = row * TILE + lane / SIDE + n / 4u * SIDE;
        let j = column * TILE + lane % SIDE + n % 4u * SIDE;
        outers[n] = outer(min(i, last), min(j, last));
        best[n] = worst();
        if begun {
            best[n] = wg_cells[first_cell + n / 4u * (SIDE * STRIDE) + n % 4u * SIDE];
        }
    }

    // Phase 2: products.
    if reach >= 1u {
        multiply(&best, &outers, row, row + reach, column, lane);
        if distance < 2u * reach {
            multiply(&best, &outers, row, column - reach, column, lane);
        }
    }

    // Phase 3: closure.
    if distance == params.distance {
        close(&best, &outers, row, column, lane);
    }

    // Phase 4: store.
    workgroupBarrier();
    for (var n = 0u; n < 16u; n++) {
        wg_cells[first_cell + n / 4u * (SIDE * STRIDE) + n % 4u * SIDE] = best[n];
    }
    workgroupBarrier();
    for (var at = lane; at < TILE * TILE; at += LANES) {
        store(tile, at, wg_cells[at / TILE * STRIDE + at % TILE]);
    }
}
