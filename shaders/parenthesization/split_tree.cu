// parenthesization/split_tree: recovers the splits of the best tree from the finished costs.
//
// Rule, grid, phases, result: as in split_tree.wgsl.
// Latency:  a path is a chain of steps. All lanes learn the best split by one barrier, and each
//           continues on its own.
// Parts:    value_*.cu, goal.cu, the problem, a table with cost(at, params, i, j) and right_cost.
// Host:     src/parenthesization/gpu/split_tree.rs.
constexpr u32 NOWHERE = ~0u;    // never a split position
constexpr u32 AHEAD = 4u;       // splits that a lane loads together
constexpr u32 WARPS = LANES / WARP;
static_assert(WARPS <= WARP, "a warp learns what all have found");

struct Params {
    u32 number;         // of this pass, from 0
    u32 leaves;
    u32 queue;          // start of the ranges
    u32 splits;         // start of the ranges by split
    u32 enclosures;     // start of the ends by start
    u32 transposed;     // offset in tiles from a finished tile to its transposed copy; 0 for none
    u32 steps;          // ranges per path and pass, at most STEPS
};

// A split as a sort key: the best one is the least.
struct Split {
    u64 order;
    u32 place;
};

BINDING(7, u32, tree)

__shared__ Split wg_best[2][WARPS];     // for odd and even steps
__shared__ u32x2 wg_queue;      // start and length of this pass's queue
__shared__ u32x2 wg_waiting[STEPS + 1u];
__shared__ u32 wg_first;        // position among the ranges queued for the next pass

// Maps better costs to lesser keys.
DEVICE u64 order_of_best(Value cost) {
    return GREATEST == 1u ? ~order_of(cost) : order_of(cost);
}

// The best split of the warp, in all lanes; the first of equal ones.
DEVICE Split best_of_warp(Split own) {
    const u32 high = static_cast<u32>(own.order >> 32u);
    const u32 least_high = subgroupMin(high);
    const u32 least_low = subgroupMin(select(NOWHERE, static_cast<u32>(own.order), high == least_high));
    const u64 order = static_cast<u64>(least_high) << 32u | least_low;
    return {order, subgroupMin(select(NOWHERE, own.place, own.order == order))};
}

// The best split of the workgroup, in all lanes.
DEVICE Split best_of_workgroup(Split own, u32 step) {
    own = best_of_warp(own);
    if (lane() % WARP == 0u) {
        wg_best[step % 2u][lane() / WARP] = own;
    }
    barrier();
    return best_of_warp(wg_best[step % 2u][lane() % WARPS]);
}

// Appends a waiting range. All lanes count, lane 0 writes.
DEVICE void wait(u32x2 range, u32& count) {
    if (range.y >= range.x + 2u) {
        if (lane() == 0u) {
            wg_waiting[count] = range;
        }
        count++;
    }
}

// Records the split or enclosure of i..j and returns the range to continue with. All lanes compute
// it, lane 0 writes.
DEVICE u32x2 settle(const Arguments& at, u32 i, u32 j, Split best, u32& waiting) {
    const Params& params = PARAMS(at);
    if (encloses(at, i, j)) {
        Value inside = value(0u);
        if (j > i + 2u) {
            inside = cost(at, params, i + 1u, j - 1u);
        }
        if (order_of_best(plus(inside, enclosure(i, j))) <= best.order) {
            if (lane() == 0u) {
                tree(at)[params.enclosures + i] = j;
            }
            return {i + 1u, j - 1u};
        }
    }
    const u32 k = best.place;
    if (lane() == 0u) {
        tree(at)[params.splits + 2u * k] = i;
        tree(at)[params.splits + 2u * k + 1u] = j;
    }
    const bool left_is_larger = k - i >= j - k;
    wait(select(u32x2{i, k}, u32x2{k, j}, left_is_larger), waiting);
    return select(u32x2{k, j}, u32x2{i, k}, left_is_larger);
}

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();

    // Phase 1: the queue.
    if (lane == 0u) {
        const u32 before = params.queue / 2u + params.number;
        wg_queue = {atomicLoad(&tree(at)[before]), atomicLoad(&tree(at)[params.number])};
        if (group().x == 0u) {
            tree(at)[before + 1u] = wg_queue.x + wg_queue.y;
        }
    }
    const u32x2 queue = workgroupUniformLoad(&wg_queue);

    // Phase 2: down.
    for (u32 entry = group().x; entry < queue.y; entry += groups().x) {
        const u32 place = params.queue + 2u * (queue.x + entry);
        u32x2 range = {atomicLoad(&tree(at)[place]), atomicLoad(&tree(at)[place + 1u])};
        u32 waiting = 0u;
        for (u32 step = 0u; step < params.steps && range.y >= range.x + 2u; step++) {
            const u32 i = range.x;
            const u32 j = range.y;
            Value best = worst();
            u32 place = NOWHERE;
            const Outer ends = outer(at, i, j);
            for (u32 first = i + 1u; first < j; first += AHEAD * LANES) {
                Value left[AHEAD];
                Value right[AHEAD];
                Inner inners[AHEAD];
#pragma unroll
                for (u32 n = 0u; n < AHEAD; n++) {
                    if (first + n * LANES < j) {
                        const u32 k = min(first + n * LANES + lane, j - 1u);
                        left[n] = cost(at, params, i, k);
                        right[n] = right_cost(at, params, k, j);
                        inners[n] = inner(at, k);
                    }
                }
#pragma unroll
                for (u32 n = 0u; n < AHEAD; n++) {
                    const u32 k = first + n * LANES + lane;
                    if (k < j) {
                        const Value candidate = plus(plus(left[n], right[n]), weight(ends, inners[n]));
                        if (place == NOWHERE || better(candidate, best)) {
                            best = candidate;
                            place = k;
                        }
                    }
                }
            }
            const Split own = {place == NOWHERE ? ~0ull : order_of_best(best), place};
            range = settle(at, i, j, best_of_workgroup(own, step), waiting);
        }

        // Phase 3: queue the waiting ranges.
        wait(range, waiting);
        if (lane == 0u) {
            wg_first = queue.x + queue.y;
            if (waiting > 0u) {
                wg_first += atomicAdd(&tree(at)[params.number + 1u], waiting);
            }
        }
        const u32 first = workgroupUniformLoad(&wg_first);
        for (u32 n = lane; n < waiting; n += LANES) {
            tree(at)[params.queue + 2u * (first + n)] = wg_waiting[n].x;
            tree(at)[params.queue + 2u * (first + n) + 1u] = wg_waiting[n].y;
        }
        barrier();
    }
}
