// diagonal_transition/wavefronts: computes several wavefronts of furthest-reaching points from both
// ends, over a range of diagonals.
//
// Recurrence, directions, indices, grid, points, padding: as in wavefronts.wgsl.
// Phases:     per wavefront: 1 every lane slides over one window of symbols, 2 the lanes of a warp
//             jointly continue unfinished slides, 3 all lanes jointly continue those still
//             unfinished.
// Signs:      indices and diagonals are computed in u32, which wraps, and compared as i32.
// Parts:      levenshtein.cu or indel.cu. Host: src/sequences/diagonal_transition/gpu/plan.rs.
constexpr u32 HALO = BACK * WAVEFRONTS;
// Symbols of a 32-bit window.
constexpr u32 SYMBOLS = 32u / BITS;
// Maximum joint steps of a warp per slide.
constexpr u32 TOGETHER = 8u;
// Symbols per joint step of a warp, and of all lanes.
constexpr u32 WARP_STRIDE = WARP * SYMBOLS;
constexpr u32 STRIDE = LANES * SYMBOLS;
constexpr u32 NONE = 0xffffffffu;
// Marks a missing point; stays far below 0 after WAVEFRONTS increments.
constexpr i32 UNREACHED = -(1 << 30);

struct Params {
    u32 rows;
    u32 columns;
    u32 kept;           // stored wavefronts per direction
    u32 distance;       // of the wavefront to start from
    u32 wavefronts;     // number to compute, at most WAVEFRONTS
    u32 first;          // first index of the last wavefront
    u32 first_back;     // the same in the other direction
    u32 first_group;    // of each direction in this pass
    u32 every;          // distances between stored wavefronts, a power of two
    u32 slid;           // rows reached at distance 0
    u32 slid_back;
    u32 end_group;      // end of each direction's workgroups in this pass
};

struct Kept {
    u32 at;             // start of the wavefront in `points`
    u32 first;          // its first index
    u32 count;
};

// [direction]: [rows * BITS / 32], two words of padding, the same of columns
BINDING(0, const u32, symbols)
BINDING(1, const Kept, kept)        // [direction] by distance
BINDING(2, u32, points)             // stored wavefronts
BINDING(3, u32, met)                // [1]: distance at which both directions overlap

// One direction of the table.
struct Side {
    u32 rows;
    u32 columns;
    const u32* row_symbols;
    const u32* column_symbols;
    u32 kept_from;
};

// Length of a wavefront in the double buffer: BACK entries that no lane owns, then one per lane.
constexpr u32 REACHES = BACK + LANES;

__shared__ u32 wg_met;
__shared__ i32 wg_reach[2u * REACHES];
__shared__ Kept wg_kept[WAVEFRONTS + 1u];
__shared__ u32 wg_prefetched[2u * LANES];
__shared__ u32 wg_waiting;
__shared__ u32 wg_lane[LANES];
__shared__ u32 wg_equal;

// One window of symbols, starting at `symbol`.
DEVICE u32 window(const u32* symbols, u32 symbol) {
    const u32* words = symbols + symbol / SYMBOLS;
    const u32 shift = symbol % SYMBOLS * BITS;
    return __funnelshift_r(load_read_only(words), load_read_only(words + 1), shift);
}

// Number of equal symbols at the start of two windows.
DEVICE u32 equal_symbols(const Side& side, u32 i, u32 j) {
    return trailing_zeros(window(side.row_symbols, i) ^ window(side.column_symbols, j)) / BITS;
}

// Words of `count` symbols, including padding.
DEVICE u32 words_of(u32 count) { return (count + SYMBOLS - 1u) / SYMBOLS + 2u; }

// Kept in registers, since every load stalls the wavefront.
DEVICE Side side_of(const Arguments& at, const Params& params, bool back) {
    const u32 rows = kept_in_registers(select(params.rows, params.columns, back));
    const u32 columns = kept_in_registers(select(params.columns, params.rows, back));
    const u32 first = select(0u, words_of(params.rows) + words_of(params.columns), back);
    const u32* row_symbols = kept_in_registers(symbols(at).data + first);
    const u32* column_symbols = kept_in_registers(row_symbols + words_of(rows));
    return {rows, columns, row_symbols, column_symbols, select(0u, params.kept, back)};
}

// The point of an index in a stored wavefront; 0 if there is none.
DEVICE u32 point_of(const Arguments& at, const Kept& wavefront, u32 index) {
    const u32 place = index - wavefront.first;
    return place < wavefront.count ? points(at)[wavefront.at + place] : 0u;
}

// True if the opposite wavefront has a point of this index at or after the column.
DEVICE bool meets(const Arguments& at, const Params& params, const Kept& opposite, u32 column, u32 index) {
    // A point is the row plus one; rows of the opposite direction are columns here.
    const u32 point = point_of(at, opposite, index);
    return point > 0u && column + point > params.columns;
}

// True if the point of an index overlaps one of the opposite direction at the same distance. If the
// two directions share no diagonal, neighbours are compared.
DEVICE bool overlaps(const Arguments& at, const Params& params, const Kept& opposite, u32 index, u32 point) {
    const i32 skew = i32(params.rows - params.columns);
    const u32 column = point - 1u - (SPACING * index - params.distance);
    const u32 other = index - u32(skew >> (SPACING - 1u));
    const bool apart = (u32(skew) & (SPACING - 1u)) != 0u;
    return meets(at, params, opposite, column, other) ||
        (apart && meets(at, params, opposite, column + 1u, other - 1u));
}

// All lanes jointly slide from the point at `place`, on the diagonal `along`, up to the row `end`.
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
        // After a full stride the loop continues; the next stride finds the end.
        equal = workgroup_uniform_load(&wg_equal);
        if (lane == 0u) {
            wg_reach[place] = first + equal + 1u;
        }
    }
}

KERNEL_IN_STEP(LANES, 2u) {
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
    const u32 every_bits = kept_in_registers(trailing_zeros(params.every));
    // Index of the stored wavefront to start from.
    const u32 kept_before = distance >> every_bits;
    // Loaded together to overlap their latency.
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
    // Stop if the directions met in an earlier pass. If they meet now, everything needed has been
    // stored.
    if (distance > 0u && !back && point > 0u && overlaps(at, params, opposite, index, point)) {
        atomicMin(met(at), distance);
    }
    if (lane == 0u) {
        wg_met = atomic_load(met(at));
    }
    if (workgroup_uniform_load(&wg_met) <= distance) {
        return;
    }

    const u32 reaches = kept_in_registers(workgroup_place(wg_reach));
    const u32 kept_place = kept_in_registers(workgroup_place(wg_kept));
    const u32 first_lane = kept_in_registers(select(HALO, 0u, part == 0u));
    u32 diagonal = SPACING * index - distance;
    for (u32 wavefront = 1u; wavefront <= wavefronts; wavefront++) {
        diagonal -= 1u;
        const i32 begin = start(at_workgroup_place<i32>(reaches + 4u * before));

        // Phase 1: one window, where most slides end. A step past the last row or column stays at
        //          the end of its diagonal. Lanes outside of the table read its beginning.
        const bool inside = begin > 0 && diagonal + side.columns <= side.rows + side.columns;
        const u32 last = select(0u, min(side.rows, side.columns + diagonal), inside);
        const u32 row = min(static_cast<u32>(begin) - 1u, last);
        const u32 equal = min(equal_symbols(side, row, row - select(0u, diagonal, inside)), last - row);
        i32 reach = select(UNREACHED, static_cast<i32>(row + equal + 1u), inside);
        u32 rest = select(0u, last - row - equal, equal == SYMBOLS);

        // Phase 2: unfinished slides of the warp, one after the other, one window per lane.
        for (u32 sliding = subgroupBallot(rest > 0u); sliding != 0u;) {
            const u32 slider = first_leading(sliding);
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
                    // The next joint step usually starts in the windows of this one.
                    if (before_mine + WARP_STRIDE < left) {
                        // The previous prefetch has been used.
                        end_prefetching();
                        prefetch(wg_prefetched + lane, side.row_symbols + (mine + WARP_STRIDE) / SYMBOLS);
                        prefetch(wg_prefetched + LANES + lane, side.column_symbols + (mine + WARP_STRIDE - along) / SYMBOLS);
                    }
                }
                const u32 ends = subgroupBallot(own < SYMBOLS);
                const u32 end = trailing_zeros(ends) % WARP;
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

        // Phase 3: unfinished slides of all warps.
        if (barrier_any(rest > 0u)) {
            if (lane == 0u) {
                wg_waiting = 0u;
            }
            barrier();
            if (rest > 0u) {
                wg_lane[atomicAdd(&wg_waiting, 1u)] = lane;
            }
            const u32 waiting = workgroup_uniform_load(&wg_waiting);
            for (u32 slide = 0u; slide < waiting; slide++) {
                const u32 other = wg_lane[slide];
                const u32 along = diagonal + SPACING * (other - lane);
                slide_together(side, lane, now + other - lane, along, min(side.rows, side.columns + along));
            }
            // Lane 0 may have written the result of another lane's slide.
            barrier();
            reach = wg_reach[now];
        }
        // Overlapping lanes belong to the previous workgroup, except in the first one, where a
        // wavefront may begin.
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
