// supersequence/row_wise: fills a block of rows in each tile of a wavefront, each row from the row
// above alone.
//
// Recurrence, grid, phases, boundary, padding, barrier: as in row_wise.wgsl.
// Parts:    row_values.cu or row_origins.cu. Host: src/papers/row_wise/gpu.rs.
constexpr u32 COLUMNS = LANES;

struct Params {
    u32 wavefront;
    u32 first_tile;         // of this pass
    u32 rows;               // of the table
    u32 tiles;              // per row of tiles
    u32 segment_blocks;     // blocks between stored rows
};

BINDING(0, const u32, codes)    // [rows] codes from 1
BINDING(1, const u32, last)     // [codes][tiles][COLUMNS / 2], 16 bits per column
BINDING(2, Entry, row)          // [tiles][COLUMNS]
BINDING(3, Entry, edges)        // [wavefront parity][tiles + 1][ROWS + 1]

constexpr u32 HALF = COLUMNS + 2u;
// By A: [0] for none in the tile, then W[i-1] from first - 1 on.
__shared__ Entry wg_before[2u * HALF];
__shared__ Entry wg_left[ROWS + 1u];    // the column left of the tile
__shared__ u32 wg_last[ROWS];           // start of each row's symbol in last[]

KERNEL_IN_STEP {
    const Params& params = PARAMS_OF(at, pass);
    const u32 lane = ::lane();
    const u32 tile = params.first_tile + group().x;
    const u32 block = params.wavefront - tile;
    const u32 first_row = block * ROWS;
    const u32 rows = min(ROWS, params.rows - first_row);
    const u32 stride = (params.tiles + 1u) * (ROWS + 1u);
    const u32 parity = params.wavefront & 1u;
    const u32 edge_in = (1u - parity) * stride + tile * (ROWS + 1u);
    const u32 edge_out = parity * stride + (tile + 1u) * (ROWS + 1u);
    const u32 column = tile * COLUMNS + lane;

    // Phase 1: load.
    Entry entry = row(at)[column];
    wg_before[lane + 2u] = entry;
    if (lane <= ROWS) {
        // Column 0 of the table is the row number.
        Entry left = first_column(first_row + lane);
        if (tile > 0u) {
            left = edges(at)[edge_in + lane];
        }
        wg_left[lane] = left;
        if (lane < 2u) {
            wg_before[1u - lane] = left;
        }
    }
    if (lane < ROWS) {
        wg_last[lane] = (codes(at)[first_row + min(lane, rows - 1u)] - 1u) * params.tiles * (COLUMNS / 2u);
    }
    if (lane == COLUMNS - 1u) {
        edges(at)[edge_out] = entry;
    }
    barrier();

    // Phase 2: sweep. The occurrences of all rows are loaded together: a pass waits for memory
    //          twice.
    const u32 shift = (lane & 1u) * 16u;
    u32 places[ROWS];
#pragma unroll
    for (u32 r = 0u; r < ROWS; r++) {
        places[r] = (last(at)[wg_last[r] + column / 2u] >> shift) & 0xffffu;
    }
#pragma unroll
    for (u32 r = 0u; r < ROWS; r++) {
        const u32 half = (r & 1u) * HALF;
        const Entry across = wg_before[half + places[r]];
        if (r < rows) {
            entry = cell(across, entry);
        }
        const u32 other = HALF - half;
        wg_before[other + lane + 2u] = entry;
        if (lane == 0u) {
            wg_before[other] = wg_left[min(r + 2u, ROWS)];
            wg_before[other + 1u] = wg_left[r + 1u];
        }
        if (lane == COLUMNS - 1u) {
            edges(at)[edge_out + r + 1u] = entry;
        }
        barrier();
    }

    // Phase 3: store.
    row(at)[column] = hand_down(at, params, entry, block, column);
}
