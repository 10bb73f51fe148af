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
    u32 first_group;    // of each direction in this pass
    u32 every;          // distances from one that is kept to the next, a power of two
    u32 slid;           // rows that the wavefront of the distance 0 reaches
    u32 slid_back;
    u32 end_group;      // of each direction behind those of this pass
};

struct Kept {
    u32 at;             // where the wavefront lies
    u32 first;          // its first index
    u32 count;
};

BINDING(0, const u32, symbols)      // [direction]: [rows * BITS / 32], two words of padding, the same of columns
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
__shared__ Kept wg_kept[WAVEFRONTS + 1u];
__shared__ u32 wg_prefetched[2u * LANES];
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
DEVICE u32 words_of(u32 count) { return (count + SYMBOLS - 1u) / SYMBOLS + 2u; }

// Kept in registers, since a wavefront waits for whatever it loads.
DEVICE Side side_of(const Arguments& at, const Params& params, bool back) {
    const u32 rows = kept_in_registers(select(params.rows, params.columns, back));
    const u32 columns = kept_in_registers(select(params.columns, params.rows, back));
    const u32 first = select(0u, words_of(params.rows) + words_of(params.columns), back);
    const u32* row_symbols = kept_in_registers(symbols(at).data + first);
    const u32* column_symbols = kept_in_registers(row_symbols + words_of(rows));
    return {rows, columns, row_symbols, column_symbols, select(0u, params.kept, back)};
}

// The point of an index in a wavefront that is kept; 0 where that does not have it.
DEVICE u32 point_of(const Arguments& at, const Kept& wavefront, u32 index) {
    const u32 place = index - wavefront.first;
    return place < wavefront.count ? points(at)[wavefront.at + place] : 0u;
}

// Whether a wavefront of the other direction has a point of this index that is not before the column.
DEVICE bool meets(const Arguments& at, const Params& params, const Kept& opposite, u32 column, u32 index) {
    // A point is its row, which is a column here, and 1.
    const u32 point = point_of(at, opposite, index);
    return point > 0u && column + point > params.columns;
}

// Whether the point of an index overlaps one of the other direction at the same distance; where diagonals of both are never the same, one
// of a neighbour.
DEVICE bool overlaps(const Arguments& at, const Params& params, const Kept& opposite, u32 index, u32 point) {
    const i32 skew = i32(params.rows - params.columns);
    const u32 column = point - 1u - (SPACING * index - params.distance);
    const u32 other = index - u32(skew >> (SPACING - 1u));
    const bool apart = (u32(skew) & (SPACING - 1u)) != 0u;
    return meets(at, params, opposite, column, other) ||
        (apart && meets(at, params, opposite, column + 1u, other - 1u));
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

KERNEL_IN_STEP_BESIDE(2u) {
    const Params& params = PARAMS_OF(at, pass);
    const u32 lane = kept_in_registers(::lane());
    const u32 in_warp = kept_in_registers(lane % WARP);
    const bool back = group().x % 2u == 1u;
    const u32 part = params.first_group + group().x / 2u;
    if (part >= params.end_group) {
        return;
    }
    const Side side = side_of(at, params, back);
    const u32 distance = params.distance;
    const u32 wavefronts = kept_in_registers(params.wavefronts);
    const u32 every_less = kept_in_registers(params.every - 1u);
    const u32 every_bits = kept_in_registers(countTrailingZeros(params.every));
    // Which of those that are kept is the wavefront to start from.
    const u32 kept_before = distance >> every_bits;
    // Loaded together, since each is waited for.
    const Kept own = kept(at)[side.kept_from + kept_before];
    const Kept opposite = kept(at)[params.kept + kept_before];
    if (lane < BACK) {
        wg_reach[lane] = UNREACHED;
        wg_reach[REACHES + lane] = UNREACHED;
    }
    if (lane <= wavefronts >> every_bits) {
        wg_kept[lane] = kept(at)[side.kept_from + kept_before + lane];
    }
    const u32 index = kept_in_registers(select(params.first, params.first_back, back) + part * (LANES - HALO) + lane - HALO);
    u32 point = 0u;
    if (distance > 0u) {
        point = point_of(at, own, index);
    } else if (index == 0u) {
        point = select(params.slid, params.slid_back, back) + 1u;
    }
    u32 before = BACK + lane;
    u32 now = REACHES + before;
    wg_reach[before] = select(UNREACHED, static_cast<i32>(point), point > 0u);
    // Both were looked at in an earlier pass where they have met there. Where they do now, all that is needed has been kept.
    if (distance > 0u && !back && point > 0u && overlaps(at, params, opposite, index, point)) {
        atomicMin(met(at), distance);
    }
    if (lane == 0u) {
        wg_met = atomicLoad(met(at));
    }
    if (workgroupUniformLoad(&wg_met) <= distance) {
        return;
    }

    const u32 reaches = kept_in_registers(workgroup_place(wg_reach));
    const u32 kept_place = kept_in_registers(workgroup_place(wg_kept));
    const u32 first_lane = kept_in_registers(select(HALO, 0u, part == 0u));
    u32 diagonal = SPACING * index - distance;
    for (u32 wavefront = 1u; wavefront <= wavefronts; wavefront++) {
        diagonal -= 1u;
        const i32 begin = start(at_workgroup_place<i32>(reaches + 4u * before));

        // Phase 1: what most slides end in. A step past the last row or column stays at the end of its diagonal. Lanes outside of the
        // table look at its beginning.
        const bool inside = begin > 0 && diagonal + side.columns <= side.rows + side.columns;
        const u32 last = select(0u, min(side.rows, side.columns + diagonal), inside);
        const u32 row = min(static_cast<u32>(begin) - 1u, last);
        const u32 equal = min(equal_symbols(side, row, row - select(0u, diagonal, inside)), last - row);
        i32 reach = select(UNREACHED, static_cast<i32>(row + equal + 1u), inside);
        u32 rest = select(0u, last - row - equal, equal == SYMBOLS);

        // Phase 2: one slide of the warp after the other, a window a lane.
        for (u32 sliding = subgroupBallot(rest > 0u); sliding != 0u;) {
            const u32 slider = firstLeadingBit(sliding);
            sliding ^= 1u << slider;
            const u32 along = diagonal + SPACING * (slider - in_warp);
            u32 first = subgroupShuffle(reach, slider) - 1u;
            u32 left = min(side.rows, side.columns + along) - first;
            const u32 before_mine = in_warp * SYMBOLS;
            for (u32 slide = 0u; slide < TOGETHER && left > 0u; slide++) {
                const u32 mine = first + before_mine;
                u32 own = 0u;
                if (before_mine < left) {
                    own = min(equal_symbols(side, mine, mine - along), left - before_mine);
                    // Mostly the next slide begins in the windows of this one.
                    if (before_mine + WARP_STRIDE < left) {
                        // What was brought for this slide has been loaded.
                        end_prefetching();
                        prefetch(wg_prefetched + lane, side.row_symbols + (mine + WARP_STRIDE) / SYMBOLS);
                        prefetch(wg_prefetched + LANES + lane, side.column_symbols + (mine + WARP_STRIDE - along) / SYMBOLS);
                    }
                }
                const u32 ends = subgroupBallot(own < SYMBOLS);
                const u32 end = countTrailingZeros(ends) % WARP;
                const u32 equal = select(WARP_STRIDE, end * SYMBOLS + subgroupShuffle(own, end), ends != 0u);
                first += equal;
                left = select(0u, left - equal, ends == 0u);
            }
            if (in_warp == slider) {
                reach = first + 1u;
                rest = left;
            }
        }
        *at_workgroup_place<i32>(reaches + 4u * now) = reach;

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
        if ((wavefront & every_less) == 0u && lane >= (first_lane > 0u ? first_lane : BACK * wavefront)) {
            const Kept kept = *at_workgroup_place<Kept>(kept_place + (wavefront >> every_bits) * u32(sizeof(Kept)));
            const u32 place = index - kept.first;
            if (place < kept.count) {
                points(at)[kept.at + place] = max(reach, 0);
            }
        }
        const u32 made = now;
        now = before;
        before = made;
    }
    end_prefetching();
}
