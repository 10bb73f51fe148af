// diagonal_transition/wavefronts: some wavefronts of furthest-reaching points, of a range of diagonals.
//
// Recurrence, indices, grid, points, padding: as in wavefronts.wgsl.
// Phases:     of a wavefront: 1 every lane slides over a few windows of symbols, 2 the lanes of a warp together over those of a slide
//             that goes on, 3 all lanes together over those of one that still goes on.
// Signs:      indices and diagonals are made in u32, which wraps, and are compared as i32.
// Parts:      levenshtein.cu or indel.cu. Host: src/pairwise/diagonal_transition/gpu/plan.rs.
constexpr u32 HALO = BACK * WAVEFRONTS;
// Symbols of a window of 32 bits.
constexpr u32 SYMBOLS = 32u / BITS;
// Windows that a lane slides over alone.
constexpr u32 ALONE = 2u;
// Times that a warp slides over the windows of its lanes.
constexpr u32 TOGETHER = 8u;
// Symbols of the windows of a warp, and of all lanes.
constexpr u32 WARP_STRIDE = WARP * SYMBOLS;
constexpr u32 STRIDE = LANES * SYMBOLS;
constexpr u32 NONE = 0xffffffffu;

struct Params {
    u32 rows;
    u32 columns;
    u32 columns_from;   // where their symbols begin
    u32 distance;       // of the wavefront to start from
    u32 wavefronts;     // to compute, WAVEFRONTS at the most
    u32 first;          // the first index of the last of them
    u32 before;         // which of those that are kept is the wavefront to start from
    u32 every;          // distances from one that is kept to the next
    u32 slid;           // rows that the wavefront of the distance 0 reaches
};

struct Kept {
    u32 at;             // where the wavefront lies
    u32 first;          // its first index
    u32 count;
};

BINDING(0, const u32, symbols)      // [rows * BITS / 32], padding, the same of columns
BINDING(1, const Kept, kept)        // by distance
BINDING(2, u32, points)             // those that are kept
BINDING(3, u32, distance)           // [1], all ones until it is found

__shared__ u32 wg_found;
__shared__ u32 wg_rows[2u * LANES];
__shared__ u32 wg_waiting[3];
__shared__ u32 wg_lane[LANES];
__shared__ u32 wg_equal;

// The symbol and those behind it that one window of a sequence holds, whose words begin at `first`.
DEVICE u32 window(const Arguments& at, u32 first, u32 symbol) {
    const u32 word = first + symbol / SYMBOLS;
    const u32 shift = symbol % SYMBOLS * BITS;
    return __funnelshift_r(symbols(at)[word], symbols(at)[word + 1u], shift);
}

// How many of the symbols of two windows are equal before the first that are not.
DEVICE u32 equal_symbols(const Arguments& at, u32 i, u32 j) {
    return countTrailingZeros(window(at, 0u, i) ^ window(at, PARAMS(at).columns_from, j)) / BITS;
}

// The row behind the point that lies so many indices back; 0 for none.
DEVICE u32 step_from(const u32* wg_rows, u32 before, u32 lane, u32 back) {
    if (lane < back) {
        return 0u;
    }
    const u32 reach = wg_rows[before + lane - back];
    return select(reach + 1u, 0u, reach == 0u);
}

// Where a wavefront that is kept has an index; NONE where it does not.
DEVICE u32 place_of(const Arguments& at, u32 index, u32 wavefront) {
    const Kept kept = ::kept(at)[wavefront];
    const u32 place = index - kept.first;
    return select(NONE, kept.at + place, place < kept.count);
}

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    if (lane == 0u) {
        wg_found = atomicLoad(distance(at));
    }
    if (lane < 3u) {
        wg_waiting[lane] = 0u;
    }
    const u32 index = params.first + group().x * (LANES - HALO) + lane - HALO;
    u32 reach = 0u;
    if (params.distance == 0u) {
        reach = select(0u, params.slid + 1u, index == 0u);
    } else {
        const u32 place = place_of(at, index, params.before);
        if (place != NONE) {
            reach = points(at)[place];
        }
    }
    wg_rows[lane] = reach;
    // What an earlier pass has found needs no more wavefronts; what this one finds needs all that it keeps.
    if (workgroupUniformLoad(&wg_found) <= params.distance) {
        return;
    }

    for (u32 wavefront = 1u; wavefront <= params.wavefronts; wavefront++) {
        const u32 before = (wavefront + 1u) % 2u * LANES;
        const u32 now = wavefront % 2u * LANES;
        const u32 reached = params.distance + wavefront;
        const u32 diagonal = SPACING * index - reached;
        const u32 begin = start(wg_rows, before, lane);
        const bool inside = begin > 0u && static_cast<i32>(diagonal) >= -static_cast<i32>(params.columns) &&
                            static_cast<i32>(diagonal) <= static_cast<i32>(params.rows);

        // Phase 1: what most slides end in. A step past the last row or column stays at the end of its diagonal.
        u32 row = 0u;
        u32 rest = 0u;
        if (inside) {
            const u32 last = min(params.rows, params.columns + diagonal);
            row = min(begin - 1u, last);
            rest = last - row;
            for (u32 slide = 0u; slide < ALONE && rest > 0u; slide++) {
                const u32 equal = min(equal_symbols(at, row, row - diagonal), rest);
                row += equal;
                rest = select(0u, rest - equal, equal == SYMBOLS);
            }
            row += 1u;
        }

        // Phase 2: one slide of the warp after the other, a window a lane.
        for (u32 sliding = subgroupBallot(rest > 0u); sliding != 0u; sliding &= sliding - 1u) {
            const u32 slider = firstTrailingBit(sliding);
            const u32 along = subgroupShuffle(diagonal, slider);
            u32 first = subgroupShuffle(row, slider) - 1u;
            u32 left = subgroupShuffle(rest, slider);
            for (u32 slide = 0u; slide < TOGETHER && left > 0u; slide++) {
                const u32 before_mine = lane % WARP * SYMBOLS;
                u32 own = 0u;
                if (before_mine < left) {
                    own = min(equal_symbols(at, first + before_mine, first + before_mine - along), left - before_mine);
                }
                const u32 ends = subgroupBallot(own < SYMBOLS);
                const u32 end = firstTrailingBit(ends) % WARP;
                const u32 equal = select(WARP_STRIDE, end * SYMBOLS + subgroupShuffle(own, end), ends != 0u);
                first += equal;
                left = select(0u, left - equal, ends == 0u);
            }
            if (lane % WARP == slider) {
                row = first + 1u;
                rest = left;
            }
        }
        wg_rows[now + lane] = row;
        if (rest > 0u) {
            wg_lane[atomicAdd(&wg_waiting[wavefront % 3u], 1u)] = lane;
        }
        if (lane == 0u) {
            wg_waiting[(wavefront + 1u) % 3u] = 0u;
        }

        // Phase 3: the same with all warps. A full stride goes on, and the next one finds where its end was met.
        barrier();
        const u32 waiting = wg_waiting[wavefront % 3u];
        for (u32 slide = 0u; slide < waiting; slide++) {
            const u32 other = wg_lane[slide];
            const u32 along = diagonal + SPACING * (other - lane);
            const u32 end = min(params.rows, params.columns + along);
            u32 equal = STRIDE;
            while (equal == STRIDE) {
                if (lane == 0u) {
                    wg_equal = min(end + 1u - wg_rows[now + other], STRIDE);
                }
                barrier();
                const u32 first = wg_rows[now + other] - 1u;
                const u32 mine = first + lane * SYMBOLS;
                if (mine < end) {
                    const u32 own = equal_symbols(at, mine, mine - along);
                    if (own < SYMBOLS) {
                        atomicMin(&wg_equal, lane * SYMBOLS + own);
                    }
                }
                equal = workgroupUniformLoad(&wg_equal);
                if (lane == 0u) {
                    wg_rows[now + other] = first + equal + 1u;
                }
            }
        }
        // What lane 0 has found for another one of the last slide.
        if (waiting > 0u) {
            barrier();
        }
        if (diagonal == params.rows - params.columns && wg_rows[now + lane] == params.rows + 1u) {
            atomicMin(distance(at), reached);
        }
        // Lanes that overlap are those of the workgroup before, but for the first one's: there a wavefront may begin.
        if (wavefront % params.every == 0u && lane >= select(HALO, BACK * wavefront, group().x == 0u)) {
            const u32 place = place_of(at, index, params.before + wavefront / params.every);
            if (place != NONE) {
                points(at)[place] = wg_rows[now + lane];
            }
        }
    }
}
