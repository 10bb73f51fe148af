// parenthesization/tiled_wavefront: finishes one anti-diagonal of tiles and pushes the products of
// the previous one into all later tiles.
//
// Recurrence, grid, phases, padding: as in tiled_wavefront.wgsl, but a lane has ROWS x 4 cells,
// HEIGHT and SIDE apart.
// Closure:  blocks of BLOCK rows and columns, by anti-diagonals from the lower left, one warp each:
//           first splits at points of finished blocks, then the block's own cells by
//           anti-diagonals, each pushed up its column and along its row at once. A warp
//           synchronises only itself between cells; the workgroup synchronises between
//           anti-diagonals of blocks.
// Memory:   wg_cells holds half a tile on the left and half on the right, or the tile during load,
//           closure and store.
// Lanes:    one warp per block that is closed concurrently, up to the longest anti-diagonal.
// Parts:    value_*.wgsl, goal.wgsl, the problem, tiles_*.wgsl, tiles.wgsl.
// Host:     src/parenthesization/gpu/tiled.rs.
constexpr u32 SIDE = TILE / 4u;
constexpr u32 HALF = TILE / 2u;
constexpr u32 HEIGHT = LANES / SIDE;
constexpr u32 ROWS = TILE / HEIGHT;
constexpr u32 STRIDE = TILE + 1u;
// Start of the right half.
constexpr u32 RIGHT = TILE * (HALF + 1u);
// Rows and columns of a block of the closure.
constexpr u32 BLOCK = TILE < 16u ? 4u : 8u;
constexpr u32 BLOCKS = TILE / BLOCK;
// Lanes that finish a block, one column each, and the rows that each has of it.
constexpr u32 GROUP = LANES < WARP ? LANES : WARP;
constexpr u32 GROUPS = LANES / GROUP;
constexpr u32 APART = GROUP / BLOCK;
constexpr u32 OWN = BLOCK / APART;
// True if workgroup memory holds three tiles: lanes then have few cells, and registers left for
// what they read there.
constexpr bool HELD = ROWS == 2u;
constexpr u32 PART_STRIDE = HELD ? STRIDE : BLOCK;

__shared__ Value wg_cells[TILE * STRIDE];
__shared__ Inner wg_inner[2u * TILE];
// Both tiles on the diagonal during closure, or the parts of them that a block's own points need.
__shared__ Value wg_rows[HELD ? TILE * STRIDE : GROUPS * BLOCK * BLOCK];
__shared__ Value wg_columns[HELD ? TILE * STRIDE : GROUPS * BLOCK * BLOCK];

typedef Value Cells[ROWS][4];
typedef Outer Outers[ROWS][4];

// Problems with a faster sum define it for their own types.
template <class V> DEVICE V plus_weight(V cost, const Outer& outer, const Inner& inner) {
    return plus(cost, weight(outer, inner));
}

// The better of `best` and one split.
DEVICE Value split(Value best, Outer outer, Inner inner, Value left, Value right) {
    return best_of(best, plus_weight(plus(left, right), outer, inner));
}

// Adds all splits at the points of tile `middle`, between the rows and the columns.
DEVICE void multiply(Context& in, Cells& best, const Outers& outers, u32 row, u32 middle, u32 column) {
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
                load(in, left_tile, cell / HALF * TILE + half * HALF + cell % HALF);
            wg_cells[RIGHT + cell] = load(in, right_tile, half * (HALF * TILE) + cell);
        }
        for (u32 k = lane; k < HALF; k += LANES) {
            wg_inner[k] = inner(in, middle * TILE + half * HALF + k);
        }
        barrier();
#pragma unroll 2
        for (u32 k = 0u; k < HALF; k++) {
            const Inner inner = wg_inner[k];
            Value left[ROWS];
            Value right[4];
#pragma unroll
            for (u32 n = 0u; n < ROWS; n++) {
                left[n] = wg_cells[(y + n * HEIGHT) * (HALF + 1u) + k];
            }
#pragma unroll
            for (u32 n = 0u; n < 4u; n++) {
                right[n] = wg_cells[RIGHT + k * TILE + x + n * SIDE];
            }
#pragma unroll
            for (u32 a = 0u; a < ROWS; a++) {
#pragma unroll
                for (u32 b = 0u; b < 4u; b++) {
                    best[a][b] = split(best[a][b], outers[a][b], inner, left[a], right[b]);
                }
            }
        }
    }
}

// Completes cell (r, c), which has all its splits, with its leaf or enclosure.
DEVICE Value finished(Context& in, Value best, u32 row, u32 column, u32 r, u32 c) {
    const Params& params = in.params;
    const u32 i = row * TILE + r;
    const u32 j = column * TILE + c;
    if (j == i + 1u) {
        return leaf(in, min(i, params.points - 2u));
    }
    if (j >= params.points || !encloses(in, i, j)) {
        return best;
    }
    Value inside = value(0u);
    if (j > i + 2u) {
        if (r + 1u < TILE && c > 0u) {
            inside = wg_cells[(r + 1u) * STRIDE + c - 1u];
        } else {
            inside = cost(in, i + 1u, j - 1u);
        }
    }
    return best_of(plus(inside, enclosure(i, j)), best);
}

// Synchronises the lanes of a group.
DEVICE void meet() {
    if (GROUP == WARP) {
        __syncwarp();
    } else {
        barrier();
    }
}

// Finishes the block with first cell (first_row, first_column), after the blocks on its left and
// below it.
DEVICE void close_block(Context& in, u32 row, u32 column, u32 first_row, u32 first_column) {
    const u32 last = in.params.points - 1u;
    const u32 rows_tile = tile_at(row, row);
    const u32 columns_tile = tile_at(column, column);
    const u32 x = lane() % BLOCK;
    const u32 y = lane() % GROUP / BLOCK;
    const u32 c = first_column + x;
    const u32 parts = lane() / GROUP * BLOCK * BLOCK;
    Value* left_parts = wg_rows + (HELD ? first_row * STRIDE + first_row : parts);
    Value* right_parts = wg_columns + (HELD ? first_column * STRIDE + first_column : parts);

    meet();
    Value best[OWN];
    Outer outers[OWN];
#pragma unroll
    for (u32 n = 0u; n < OWN; n++) {
        const u32 r = y + n * APART;
        // Cells on and below the diagonal of a tile are no ranges; no cell reads them.
        if (!HELD) {
            left_parts[r * BLOCK + x] = load(in, rows_tile, (first_row + r) * TILE + first_row + x);
            right_parts[r * BLOCK + x] = load(in, columns_tile, (first_column + r) * TILE + c);
        }
        outers[n] = outer(in, min(row * TILE + first_row + r, last), min(column * TILE + c, last));
        best[n] = wg_cells[(first_row + r) * STRIDE + c];
    }

    // Points after the block in the rows' tile, and before it in the columns' tile.
#pragma unroll 4
    for (u32 k = first_row + BLOCK; k < TILE; k++) {
        const Value right = wg_cells[k * STRIDE + c];
        const Inner inner = wg_inner[k];
#pragma unroll
        for (u32 n = 0u; n < OWN; n++) {
            const u32 r = first_row + y + n * APART;
            const Value left = HELD ? wg_rows[r * STRIDE + k] : load(in, rows_tile, r * TILE + k);
            best[n] = split(best[n], outers[n], inner, left, right);
        }
    }
#pragma unroll 4
    for (u32 k = 0u; k < first_column; k++) {
        const Value right = HELD ? wg_columns[k * STRIDE + c] : load(in, columns_tile, k * TILE + c);
        const Inner inner = wg_inner[TILE + k];
#pragma unroll
        for (u32 n = 0u; n < OWN; n++) {
            best[n] = split(best[n], outers[n], inner, wg_cells[(first_row + y + n * APART) * STRIDE + k], right);
        }
    }

    // Points of the block itself. A lane without a finished cell in its column or row computes the
    // split too, with a cell of its own, and discards it: without branches all loads are issued
    // together.
#pragma unroll 1
    for (u32 step = 0u; step < 2u * BLOCK - 1u; step++) {
#pragma unroll
        for (u32 n = 0u; n < OWN; n++) {
            const u32 r = y + n * APART;
            if (BLOCK - 1u - r + x == step) {
                wg_cells[(first_row + r) * STRIDE + c] = finished(in, best[n], row, column, first_row + r, c);
            }
        }
        meet();
        // Up the column: the finished cell is the right part.
        const u32 above = BLOCK - 1u + x - step;
        const u32 finished_row = select(y, above, above < BLOCK);
        const Value right = wg_cells[(first_row + finished_row) * STRIDE + c];
        const Inner of_row = wg_inner[first_row + finished_row];
#pragma unroll
        for (u32 n = 0u; n < OWN; n++) {
            const u32 r = y + n * APART;
            const Value cost = split(best[n], outers[n], of_row, left_parts[r * PART_STRIDE + finished_row], right);
            best[n] = select(best[n], cost, above < BLOCK && r < above);
        }
        // Along the row: the finished cell is the left part.
#pragma unroll
        for (u32 n = 0u; n < OWN; n++) {
            const u32 r = y + n * APART;
            const u32 before = step + r + 1u - BLOCK;
            const u32 finished_column = select(x, before, before < BLOCK);
            const Value left = wg_cells[(first_row + r) * STRIDE + first_column + finished_column];
            const Inner of_column = wg_inner[TILE + first_column + finished_column];
            const Value cost = split(best[n], outers[n], of_column, left, right_parts[finished_column * PART_STRIDE + x]);
            best[n] = select(best[n], cost, before < x);
        }
    }
}

// Finishes the tile in wg_cells, which has all splits except those at points of its own rows and
// columns.
DEVICE void close(Context& in, u32 row, u32 column) {
    const u32 last = in.params.points - 1u;
    for (u32 k = lane(); k < TILE; k += LANES) {
        wg_inner[k] = inner(in, min(row * TILE + k, last));
        wg_inner[TILE + k] = inner(in, min(column * TILE + k, last));
    }
    if (HELD) {
#pragma unroll
        for (u32 first = 0u; first < TILE * TILE; first += LANES) {
            const u32 cell = first + lane();
            wg_rows[cell / TILE * STRIDE + cell % TILE] = load(in, tile_at(row, row), cell);
            wg_columns[cell / TILE * STRIDE + cell % TILE] = load(in, tile_at(column, column), cell);
        }
    }
    barrier();
#pragma unroll 1
    for (u32 diagonal = 0u; diagonal < 2u * BLOCKS - 1u; diagonal++) {
        const u32 end = min(diagonal + 1u, BLOCKS);
#pragma unroll 1
        for (u32 block = diagonal + 1u - end + lane() / GROUP; block < end; block += GROUPS) {
            close_block(in, row, column, (BLOCKS - 1u - diagonal + block) * BLOCK, block * BLOCK);
        }
        barrier();
    }
}

KERNEL(LANES) {
    Context in = context_of(at, pass);
    const Params& params = in.params;
    const u32 lane = ::lane();
    const u32 row = group().x;
    const u32 distance = params.distance + params.first + group().y;
    const u32 column = row + distance;
    if (column >= params.tiles) {
        return;
    }
    const u32 tile = tile_at(row, column);
    const u32 last = params.points - 1u;
    const u32 first_cell = lane / SIDE * STRIDE + lane % SIDE;
    const u32 reach = params.distance - 1u;   // distance of the tiles finished by the previous pass

    // Phase 1: load. Tiles farther out than both shorter products together are still empty.
    Cells best;
    Outers outers;
    const bool begun = reach >= 1u && distance <= 2u * (reach - 1u);
    if (begun) {
#pragma unroll
        for (u32 first = 0u; first < TILE * TILE; first += LANES) {
            const u32 cell = first + lane;
            wg_cells[cell / TILE * STRIDE + cell % TILE] = load(in, tile, cell);
        }
    }
    barrier();
#pragma unroll
    for (u32 a = 0u; a < ROWS; a++) {
#pragma unroll
        for (u32 b = 0u; b < 4u; b++) {
            const u32 i = row * TILE + lane / SIDE + a * HEIGHT;
            const u32 j = column * TILE + lane % SIDE + b * SIDE;
            outers[a][b] = outer(in, min(i, last), min(j, last));
            best[a][b] = begun ? wg_cells[first_cell + a * (HEIGHT * STRIDE) + b * SIDE] : worst();
        }
    }

    // Phase 2: products.
    if (reach >= 1u) {
        multiply(in, best, outers, row, row + reach, column);
        if (distance < 2u * reach) {
            multiply(in, best, outers, row, column - reach, column);
        }
    }

    // Phase 3: closure.
    barrier();
#pragma unroll
    for (u32 a = 0u; a < ROWS; a++) {
#pragma unroll
        for (u32 b = 0u; b < 4u; b++) {
            wg_cells[first_cell + a * (HEIGHT * STRIDE) + b * SIDE] = best[a][b];
        }
    }
    barrier();
    if (distance == params.distance) {
        close(in, row, column);
    }

    // Phase 4: store.
#pragma unroll
    for (u32 first = 0u; first < TILE * TILE; first += LANES) {
        const u32 cell = first + lane;
        store(in, tile, cell, wg_cells[cell / TILE * STRIDE + cell % TILE]);
    }
    if (params.transposed > 0u && distance == params.distance) {
#pragma unroll 1
        for (u32 first = 0u; first < TILE * TILE; first += LANES) {
            const u32 cell = first + lane;
            store(in, params.transposed + tile, cell, wg_cells[cell % TILE * STRIDE + cell / TILE]);
        }
    }
}
