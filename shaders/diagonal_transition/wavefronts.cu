// diagonal_transition/wavefronts: some wavefronts of furthest-reaching points, of a range of diagonals.
//
// Recurrence, indices, grid, points, padding: as in wavefronts.wgsl.
// Phases:     of a wavefront: 1 every lane slides over a window of symbols, 2 the lanes of a warp together over those of a slide
//             that goes on, 3 all lanes together over those of one that still goes on.
// Signs:      indices and diagonals are made in u32, which wraps, and are compared as i32.
// Parts:      levenshtein.cu or indel.cu. Host: src/pairwise/diagonal_transition/gpu/plan.rs.
constexpr u32 HALO = BACK * WAVEFRONTS;
// Symbols of a window of 32 bits.
constexpr u32 SYMBOLS = 32u / BITS;
// Times that a warp slides over the windows of its lanes.
constexpr u32 TOGETHER = 8u;
// Symbols of the windows of a warp, and of all lanes.
constexpr u32 WARP_STRIDE = WARP * SYMBOLS;
constexpr u32 STRIDE = LANES * SYMBOLS;
constexpr u32 NONE = 0xffffffffu;
// Where there is no point: some wavefronts of steps from it are none, too.
constexpr i32 UNREACHED = -(1 << 30);

struct Params {
    u32 rows;
    u32 columns;
    u32 columns_from;   // where their symbols begin
    u32 distance;       // of the wavefront to start from
    u32 wavefronts;     // to compute, WAVEFRONTS at the most
    u32 first;          // the first index of the last of them
    u32 before;         // which of those that are kept is the wavefront to start from
    u32 every;          // distances from one that is kept to the next, a power of two
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

// The wavefront before and the one that is made take turns; before the lanes' are BACK that no lane has.
constexpr u32 REACHES = BACK + LANES;

__shared__ u32 wg_found;
__shared__ i32 wg_reach[2u * REACHES];
__shared__ u32 wg_waiting;
__shared__ u32 wg_lane[LANES];
__shared__ u32 wg_equal;

// The symbol and those behind it that one window of a sequence holds, whose words begin at `first`.
DEVICE u32 window(const Arguments& at, u32 first, u32 symbol) {
    const u32* words = symbols(at).data + (first + symbol / SYMBOLS);
    const u32 shift = symbol % SYMBOLS * BITS;
    return __funnelshift_r(load_read_only(words), load_read_only(words + 1), shift);
}

// How many of the symbols of two windows are equal before the first that are not.
DEVICE u32 equal_symbols(const Arguments& at, u32 i, u32 j) {
    return countTrailingZeros(window(at, 0u, i) ^ window(at, PARAMS(at).columns_from, j)) / BITS;
}

// Where a wavefront that is kept has an index; NONE where it does not.
DEVICE u32 place_of(const Arguments& at, u32 index, u32 wavefront) {
    const Kept kept = ::kept(at)[wavefront];
    const u32 place = index - kept.first;
    return select(NONE, kept.at + place, place < kept.count);
}

// All lanes slide together from the point at `place` on, on the diagonal `along`, up to the row `end`.
DEVICE void slide_together(const Arguments& at, u32 lane, u32 place, u32 along, u32 end) {
    u32 equal = STRIDE;
    while (equal == STRIDE) {
        if (lane == 0u) {
            wg_equal = min(end + 1u - wg_reach[place], STRIDE);
        }
        barrier();
        const u32 first = wg_reach[place] - 1u;
        const u32 mine = first + lane * SYMBOLS;
        if (mine < end) {
            const u32 own = equal_symbols(at, mine, mine - along);
            if (own < SYMBOLS) {
                atomicMin(&wg_equal, lane * SYMBOLS + own);
            }
        }
        // A full stride goes on, and the next one finds where its end was met.
        equal = workgroupUniformLoad(&wg_equal);
        if (lane == 0u) {
            wg_reach[place] = first + equal + 1u;
        }
    }
}

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    if (lane == 0u) {
        wg_found = atomicLoad(distance(at));
    }
    if (lane < BACK) {
        wg_reach[lane] = UNREACHED;
        wg_reach[REACHES + lane] = UNREACHED;
    }
    const u32 index = params.first + group().x * (LANES - HALO) + lane - HALO;
    u32 point = 0u;
    if (params.distance == 0u) {
        point = select(0u, params.slid + 1u, index == 0u);
    } else {
        const u32 place = place_of(at, index, params.before);
        if (place != NONE) {
            point = points(at)[place];
        }
    }
    u32 before = BACK + lane;
    u32 now = REACHES + before;
    wg_reach[before] = select(UNREACHED, static_cast<i32>(point), point > 0u);
    // What an earlier pass has found needs no more wavefronts; what this one finds needs all that it keeps.
    if (workgroupUniformLoad(&wg_found) <= params.distance) {
        return;
    }

    u32 diagonal = SPACING * index - params.distance;
    for (u32 wavefront = 1u; wavefront <= params.wavefronts; wavefront++) {
        diagonal -= 1u;
        const i32 begin = start(wg_reach + before);
        const bool inside = begin > 0 && diagonal + params.columns <= params.rows + params.columns;

        // Phase 1: what most slides end in. A step past the last row or column stays at the end of its diagonal.
        i32 reach = UNREACHED;
        u32 rest = 0u;
        if (inside) {
            const u32 last = min(params.rows, params.columns + diagonal);
            const u32 row = min(begin - 1u, last);
            u32 equal = 0u;
            rest = last - row;
            if (rest > 0u) {
                equal = min(equal_symbols(at, row, row - diagonal), rest);
                rest = select(0u, rest - equal, equal == SYMBOLS);
            }
            reach = row + equal + 1u;
        }

        // Phase 2: one slide of the warp after the other, a window a lane.
        for (u32 sliding = subgroupBallot(rest > 0u); sliding != 0u; sliding &= sliding - 1u) {
            const u32 slider = firstTrailingBit(sliding);
            const u32 along = subgroupShuffle(diagonal, slider);
            u32 first = subgroupShuffle(reach, slider) - 1u;
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
                reach = first + 1u;
                rest = left;
            }
        }
        wg_reach[now] = reach;

        // Phase 3: the same with all warps.
        if (barrier_any(rest > 0u)) {
            if (lane == 0u) {
                wg_waiting = 0u;
            }
            barrier();
            if (rest > 0u) {
                wg_lane[atomicAdd(&wg_waiting, 1u)] = lane;
            }
            const u32 waiting = workgroupUniformLoad(&wg_waiting);
            for (u32 slide = 0u; slide < waiting; slide++) {
                const u32 other = wg_lane[slide];
                const u32 along = diagonal + SPACING * (other - lane);
                slide_together(at, lane, now + other - lane, along, min(params.rows, params.columns + along));
            }
            // What lane 0 has found for another one of the last slide.
            barrier();
            reach = wg_reach[now];
        }
        if (diagonal == params.rows - params.columns && reach == static_cast<i32>(params.rows + 1u)) {
            atomicMin(distance(at), params.distance + wavefront);
        }
        // Lanes that overlap are those of the workgroup before, but for the first one's: there a wavefront may begin.
        if ((wavefront & (params.every - 1u)) == 0u && lane >= select(HALO, BACK * wavefront, group().x == 0u)) {
            const u32 place = place_of(at, index, params.before + wavefront / params.every);
            if (place != NONE) {
                points(at)[place] = max(reach, 0);
            }
        }
        const u32 made = now;
        now = before;
        before = made;
    }
}
