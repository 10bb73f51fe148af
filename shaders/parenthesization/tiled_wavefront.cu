// parenthesization/tiled_wavefront: finishes one anti-diagonal of tiles and pushes the one before it into all later tiles.
//
// Recurrence, grid, phases, closure, memory, padding: as in tiled_wavefront.wgsl.
// Parts:    value_*.cu, goal.cu, the problem, tiles_*.cu, tiles.cu. Host: src/parenthesization/gpu/tiled.rs.
constexpr u32 SIDE = TILE / 4u;
constexpr u32 HALF = TILE / 2u;
constexpr u32 STRIDE = TILE + 1u;
// Where the right half starts.
constexpr u32 RIGHT = TILE * (HALF + 1u);

struct Params {
    u32 points;
    u32 tiles;      // in a row
    u32 distance;   // from the diagonal, of the tiles that are finished
};

__shared__ Value wg_cells[TILE * STRIDE];
__shared__ Inner wg_inner[2u * TILE];
__shared__ Value wg_line[4u * TILE];    // the cells of the last four anti-diagonals, by row

typedef Value Cells[4][4];
typedef Outer Outers[4][4];

// The better of a cell and of a split of it.
DEVICE Value split(Value best, Outer outer, Inner inner, Value left, Value right) {
    return best_of(best, plus(plus(left, right), weight(outer, inner)));
}

// All splits at the points of tile `middle`, which lies between the rows and the columns.
DEVICE void multiply(const Arguments& at, Cells& best, const Outers& outers, u32 row, u32 middle, u32 column) {
    const u32 lane = ::lane();
    const u32 left_tile = tile_at(row, middle);
    const u32 right_tile = tile_at(middle, column);
    const u32 y = lane / SIDE;
    const u32 x = lane % SIDE;
#pragma unroll 1
    for (u32 half = 0u; half < 2u; half++) {
        barrier();
#pragma unroll
        for (u32 first = 0u; first < TILE * HALF; first += LANES) {
            const u32 cell = first + lane;
            wg_cells[cell / HALF * (HALF + 1u) + cell % HALF] =
                load(at, left_tile, cell / HALF * TILE + half * HALF + cell % HALF);
            wg_cells[RIGHT + cell] = load(at, right_tile, half * (HALF * TILE) + cell);
        }
        for (u32 k = lane; k < HALF; k += LANES) {
            wg_inner[k] = inner(at, middle * TILE + half * HALF + k);
        }
        barrier();
#pragma unroll 2
        for (u32 k = 0u; k < HALF; k++) {
            const Inner inner = wg_inner[k];
            Value left[4];
            Value right[4];
#pragma unroll
            for (u32 n = 0u; n < 4u; n++) {
                left[n] = wg_cells[(y + n * SIDE) * (HALF + 1u) + k];
                right[n] = wg_cells[RIGHT + k * TILE + x + n * SIDE];
            }
#pragma unroll
            for (u32 a = 0u; a < 4u; a++) {
#pragma unroll
                for (u32 b = 0u; b < 4u; b++) {
                    best[a][b] = split(best[a][b], outers[a][b], inner, left[a], right[b]);
                }
            }
        }
    }
}

// What the cell (r, c), which all splits have been made for, comes to with its leaf or enclosure.
DEVICE Value finished(const Arguments& at, Value best, u32 row, u32 column, u32 r, u32 c, u32 step) {
    const Params& params = PARAMS(at);
    const u32 i = row * TILE + r;
    const u32 j = column * TILE + c;
    if (j == i + 1u) {
        return leaf(at, min(i, params.points - 2u));
    }
    if (j >= params.points || !encloses(at, i, j)) {
        return best;
    }
    Value inside = value(0u);
    if (j > i + 2u) {
        if (r + 1u < TILE && c > 0u) {
            inside = wg_line[((step + 2u) % 4u) * TILE + r + 1u];
        } else {
            inside = cost(at, params, i + 1u, j - 1u);
        }
    }
    return best_of(plus(inside, enclosure(i, j)), best);
}

DEVICE void close(const Arguments& at, Cells& best, const Outers& outers, u32 row, u32 column) {
    const u32 lane = ::lane();
    const u32 y = lane / SIDE;
    const u32 x = lane % SIDE;
    const u32 last = PARAMS(at).points - 1u;
    barrier();
#pragma unroll 4
    for (u32 cell = lane; cell < TILE * TILE; cell += LANES) {
        const u32 r = cell / TILE;
        const u32 c = cell % TILE;
        if (r < c) {
            wg_cells[r * STRIDE + c] = load(at, tile_at(row, row), cell);
            wg_cells[c * STRIDE + r] = load(at, tile_at(column, column), cell);
        }
    }
    for (u32 k = lane; k < TILE; k += LANES) {
        wg_inner[k] = inner(at, min(row * TILE + k, last));
        wg_inner[TILE + k] = inner(at, min(column * TILE + k, last));
    }
    barrier();
#pragma unroll 1
    for (u32 step = 0u; step < 2u * TILE - 1u; step++) {
        Value* const line = wg_line + (step % 4u) * TILE;
#pragma unroll
        for (u32 a = 0u; a < 4u; a++) {
#pragma unroll
            for (u32 b = 0u; b < 4u; b++) {
                const u32 r = y + a * SIDE;
                const u32 c = x + b * SIDE;
                if (TILE - 1u - r + c == step) {
                    line[r] = best[a][b];
                }
            }
        }
        barrier();
        // The first step has the one cell that may be a leaf.
        if (ENCLOSES == 1u || step == 0u) {
            for (u32 r = lane; r < TILE; r += LANES) {
                const u32 c = step + r + 1u - TILE;
                if (step + r + 1u >= TILE && c < TILE) {
                    line[r] = finished(at, line[r], row, column, r, c, step);
                }
            }
            barrier();
#pragma unroll
            for (u32 a = 0u; a < 4u; a++) {
#pragma unroll
                for (u32 b = 0u; b < 4u; b++) {
                    const u32 r = y + a * SIDE;
                    const u32 c = x + b * SIDE;
                    if (TILE - 1u - r + c == step) {
                        best[a][b] = line[r];
                    }
                }
            }
        }
        // Up the columns: the finished cell is the right part, and a cell of the rows' own tile the left one. Lanes without a
        // finished cell make the splits too, at a point that no cell of theirs takes: without branches all loads are made at once.
#pragma unroll
        for (u32 b = 0u; b < 4u; b++) {
            const u32 finished_row = TILE - 1u + x + b * SIDE - step;
            const u32 k = select(0u, finished_row, finished_row < TILE);
            const Value right = line[k];
            const Inner inner = wg_inner[k];
#pragma unroll
            for (u32 a = 0u; a < 4u; a++) {
                const u32 r = y + a * SIDE;
                const Value cost = split(best[a][b], outers[a][b], inner, wg_cells[r * STRIDE + k], right);
                best[a][b] = select(best[a][b], cost, r < k);
            }
        }
        // Along the rows: the finished cell is the left part.
#pragma unroll
        for (u32 a = 0u; a < 4u; a++) {
            const u32 r = y + a * SIDE;
            const u32 finished_column = step + r + 1u - TILE;
            const u32 k = select(TILE - 1u, finished_column, finished_column < TILE);
            const Value left = line[r];
            const Inner inner = wg_inner[TILE + k];
#pragma unroll
            for (u32 b = 0u; b < 4u; b++) {
                const u32 c = x + b * SIDE;
                const Value cost = split(best[a][b], outers[a][b], inner, left, wg_cells[c * STRIDE + k]);
                best[a][b] = select(best[a][b], cost, c > k);
            }
        }
    }
}

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const u32 row = group().x;
    const u32 distance = params.distance + group().y;
    const u32 column = row + distance;
    if (column >= params.tiles) {
        return;
    }
    const u32 tile = tile_at(row, column);
    const u32 last = params.points - 1u;
    const u32 first_cell = lane / SIDE * STRIDE + lane % SIDE;
    const u32 reach = params.distance - 1u;     // of the tiles that the last pass finished

    // Phase 1: load. A tile further out than both shorter products together has nothing yet.
    Cells best;
    Outers outers;
    const bool begun = reach >= 1u && distance <= 2u * (reach - 1u);
    if (begun) {
#pragma unroll
        for (u32 first = 0u; first < TILE * TILE; first += LANES) {
            const u32 cell = first + lane;
            wg_cells[cell / TILE * STRIDE + cell % TILE] = load(at, tile, cell);
        }
    }
    barrier();
#pragma unroll
    for (u32 a = 0u; a < 4u; a++) {
#pragma unroll
        for (u32 b = 0u; b < 4u; b++) {
            const u32 i = row * TILE + lane / SIDE + a * SIDE;
            const u32 j = column * TILE + lane % SIDE + b * SIDE;
            outers[a][b] = outer(at, min(i, last), min(j, last));
            best[a][b] = begun ? wg_cells[first_cell + a * (SIDE * STRIDE) + b * SIDE] : worst();
        }
    }

    // Phase 2: products.
    if (reach >= 1u) {
        multiply(at, best, outers, row, row + reach, column);
        if (distance < 2u * reach) {
            multiply(at, best, outers, row, column - reach, column);
        }
    }

    // Phase 3: closure.
    if (group().y == 0u) {
        close(at, best, outers, row, column);
    }

    // Phase 4: store.
    barrier();
#pragma unroll
    for (u32 a = 0u; a < 4u; a++) {
#pragma unroll
        for (u32 b = 0u; b < 4u; b++) {
            wg_cells[first_cell + a * (SIDE * STRIDE) + b * SIDE] = best[a][b];
        }
    }
    barrier();
#pragma unroll
    for (u32 first = 0u; first < TILE * TILE; first += LANES) {
        const u32 cell = first + lane;
        store(at, tile, cell, wg_cells[cell / TILE * STRIDE + cell % TILE]);
    }
}
