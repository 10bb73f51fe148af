// diagonal_transition/wavefronts: some wavefronts of furthest-reaching points from both ends, of a range of diagonals.
//
// Recurrence, directions, indices, grid, points, padding: as in wavefronts.wgsl.
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
    u32 kept;           // wavefronts of a direction that are kept
    u32 distance;       // of the wavefront to start from
    u32 wavefronts;     // to compute, WAVEFRONTS at the most
    u32 first;          // the first index of the last of them
    u32 first_back;     // that of the other direction
    u32 before;         // which of those that are kept is the wavefront to start from
    u32 every;          // distances from one that is kept to the next, a power of two
    u32 slid;           // rows that the wavefront of the distance 0 reaches
    u32 slid_back;
};

struct Kept {
    u32 at;             // where the wavefront lies
    u32 first;          // its first index
    u32 count;
};

BINDING(0, const u32, symbols)      // [direction]: [rows * BITS / 32], padding, the same of columns
BINDING(1, const Kept, kept)        // [direction] by distance
BINDING(2, u32, points)             // those that are kept
BINDING(3, u32, met)                // [1]: a distance at which both directions overlap

// One direction, as if it were all.
struct Side {
    u32 rows;
    u32 columns;
    const u32* row_symbols;
    const u32* column_symbols;
    u32 kept_from;
};

// The wavefront before and the one that is made take turns; before the lanes' are BACK that no lane has.
constexpr u32 REACHES = BACK + LANES;

__shared__ u32 wg_met;
__shared__ i32 wg_reach[2u * REACHES];
__shared__ u32 wg_waiting;
__shared__ u32 wg_lane[LANES];
__shared__ u32 wg_equal;

// The symbol and those behind it that one window of a sequence holds.
DEVICE u32 window(const u32* symbols, u32 symbol) {
    const u32* words = symbols + symbol / SYMBOLS;
    const u32 shift = symbol % SYMBOLS * BITS;
    return __funnelshift_r(load_read_only(words), load_read_only(words + 1), shift);
}

// How many of the symbols of two windows are equal before the first that are not.
DEVICE u32 equal_symbols(const Side& side, u32 i, u32 j) {
    return countTrailingZeros(window(side.row_symbols, i) ^ window(side.column_symbols, j)) / BITS;
}

// Words of so many symbols, and of padding.
DEVICE u32 words_of(u32 count) { return (count + SYMBOLS - 1u) / SYMBOLS + 1u; }

// Kept in registers, since a wavefront waits for whatever it loads.
DEVICE Side side_of(const Arguments& at, u32 direction) {
    const Params& params = PARAMS(at);
    const bool back = direction == 1u;
    const u32 rows = kept_in_registers(select(params.rows, params.columns, back));
    const u32 columns = kept_in_registers(select(params.columns, params.rows, back));
    const u32 first = select(0u, words_of(params.rows) + words_of(params.columns), back);
    const u32* row_symbols = kept_in_registers(symbols(at).data + first);
    const u32* column_symbols = kept_in_registers(row_symbols + words_of(rows));
    return {rows, columns, row_symbols, column_symbols, select(0u, params.kept, back)};
}

// Where a wavefront that is kept has an index; NONE where it does not.
DEVICE u32 place_of(const Arguments& at, u32 index, u32 wavefront) {
    const Kept kept = ::kept(at)[wavefront];
    const u32 place = index - kept.first;
    return select(NONE, kept.at + place, place < kept.count);
}

// Whether the other direction has, at this distance too, a point of this index that is not before the column.
DEVICE bool meets(const Arguments& at, u32 column, u32 index) {
    const Params& params = PARAMS(at);
    const u32 place = place_of(at, index, params.kept + params.before);
    // A point is its row, which is a column here, and 1.
    return place != NONE && points(at)[place] > 0u && column + points(at)[place] > params.columns;
}

// Whether the point of an index overlaps one of the other direction; where diagonals of both are never the same, one of a neighbour.
DEVICE bool overlaps(const Arguments& at, u32 index, u32 point) {
    const Params& params = PARAMS(at);
    const i32 skew = i32(params.rows - params.columns);
    const u32 column = point - 1u - (SPACING * index - params.distance);
    const u32 other = index - u32(skew >> (SPACING - 1u));
    const bool apart = (u32(skew) & (SPACING - 1u)) != 0u;
    return meets(at, column, other) || (apart && meets(at, column + 1u, other - 1u));
}

// All lanes slide together from the point at `place` on, on the diagonal `along`, up to the row `end`.
DEVICE void slide_together(const Side& side, u32 lane, u32 place, u32 along, u32 end) {
    u32 equal = STRIDE;
    while (equal == STRIDE) {
        if (lane == 0u) {
            wg_equal = min(end + 1u - wg_reach[place], STRIDE);
        }
        barrier();
        const u32 first = wg_reach[place] - 1u;
        const u32 mine = first + lane * SYMBOLS;
        if (mine < end) {
            const u32 own = equal_symbols(side, mine, mine - along);
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
    const u32 direction = group().y;
    const Side side = side_of(at, direction);
    if (lane < BACK) {
        wg_reach[lane] = UNREACHED;
        wg_reach[REACHES + lane] = UNREACHED;
    }
    const u32 first = select(params.first, params.first_back, direction == 1u);
    const u32 index = first + group().x * (LANES - HALO) + lane - HALO;
    u32 point = 0u;
    if (params.distance == 0u) {
        const u32 slid = select(params.slid, params.slid_back, direction == 1u);
        point = select(0u, slid + 1u, index == 0u);
    } else {
        const u32 place = place_of(at, index, side.kept_from + params.before);
        if (place != NONE) {
            point = points(at)[place];
        }
    }
    u32 before = BACK + lane;
    u32 now = REACHES + before;
    wg_reach[before] = select(UNREACHED, static_cast<i32>(point), point > 0u);
    // Both were looked at in an earlier pass where they have met there. Where they do now, all that is needed has been kept.
    if (params.distance > 0u && direction == 0u && point > 0u && overlaps(at, index, point)) {
        atomicMin(met(at), params.distance);
    }
    if (lane == 0u) {
        wg_met = atomicLoad(met(at));
    }
    if (workgroupUniformLoad(&wg_met) <= params.distance) {
        return;
    }

    const u32 every_less = kept_in_registers(params.every - 1u);
    const u32 every_bits = countTrailingZeros(params.every);
    const u32 wavefronts = kept_in_registers(params.wavefronts);
    u32 diagonal = SPACING * index - params.distance;
    for (u32 wavefront = 1u; wavefront <= wavefronts; wavefront++) {
        diagonal -= 1u;
        const i32 begin = start(wg_reach + before);
        const bool inside = begin > 0 && diagonal + side.columns <= side.rows + side.columns;

        // Phase 1: what most slides end in. A step past the last row or column stays at the end of its diagonal.
        i32 reach = UNREACHED;
        u32 rest = 0u;
        if (inside) {
            const u32 last = min(side.rows, side.columns + diagonal);
            const u32 row = min(begin - 1u, last);
            u32 equal = 0u;
            rest = last - row;
            if (rest > 0u) {
                equal = min(equal_symbols(side, row, row - diagonal), rest);
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
                    own = min(equal_symbols(side, first + before_mine, first + before_mine - along), left - before_mine);
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
                slide_together(side, lane, now + other - lane, along, min(side.rows, side.columns + along));
            }
            // What lane 0 has found for another one of the last slide.
            barrier();
            reach = wg_reach[now];
        }
        // Lanes that overlap are those of the workgroup before, but for the first one's: there a wavefront may begin.
        if ((wavefront & every_less) == 0u && lane >= select(HALO, BACK * wavefront, group().x == 0u)) {
            const u32 place = place_of(at, index, side.kept_from + params.before + (wavefront >> every_bits));
            if (place != NONE) {
                points(at)[place] = max(reach, 0);
            }
        }
        const u32 made = now;
        now = before;
        before = made;
    }
}
