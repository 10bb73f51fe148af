// parenthesization/split_tree: recovers the splits of the best tree from the finished costs.
//
// Rule, grid, phases, result: as in split_tree.wgsl.
// Latency:  a path is a chain of steps. All lanes learn the best split by one barrier, and each
//           continues on its own.
// Parts:    value_*.wgsl, goal.wgsl, the problem, a table with cost(in, i, j) and right_cost.
// Host:     src/parenthesization/gpu/split_tree.rs.
constexpr u32 NOWHERE = ~0u;    // never a split position
constexpr u32 AHEAD = 4u;       // splits that a lane loads together
constexpr u32 WARPS = LANES / WARP;
static_assert(WARPS <= WARP, "a warp learns what all have found");

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

// Order-preserving maps to integers. Adding +0 turns -0 into +0, which compares equal.
DEVICE u64 order_of(u32 x) { return x; }
DEVICE u64 order_of(u64 x) { return x; }
DEVICE u64 order_of(u32x2 x) { return u64(x.y) << 32u | x.x; }
DEVICE u64 order_of(f32 x) {
    const u32 bits = __float_as_uint(__fadd_rn(x, 0.0f));
    return bits ^ (bits >> 31u != 0u ? ~0u : 1u << 31u);
}
DEVICE u64 order_of(f64 x) {
    const u64 bits = __double_as_longlong(__dadd_rn(x, 0.0));
    return bits ^ (bits >> 63u != 0u ? ~0ull : 1ull << 63u);
}

// Maps better costs to lesser keys.
DEVICE u64 order_of_best(Value cost) {
    return GREATEST == 1u ? ~order_of(cost) : order_of(cost);
}

// The best split of the warp, in all lanes; the first of equal ones.
DEVICE Split best_of_warp(Split own) {
    const u32 high = static_cast<u32>(own.order >> 32u);
    const u32 least_high = subgroup_min(high);
    const u32 least_low = subgroup_min(select(NOWHERE, static_cast<u32>(own.order), high == least_high));
    const u64 order = static_cast<u64>(least_high) << 32u | least_low;
    return {order, subgroup_min(select(NOWHERE, own.place, own.order == order))};
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
DEVICE u32x2 settle(Context& in, u32 i, u32 j, Split best, u32& waiting) {
    const Params& params = in.params;
    if (encloses(in, i, j)) {
        Value inside = value(0u);
        if (j > i + 2u) {
            inside = cost(in, i + 1u, j - 1u);
        }
        if (order_of_best(plus(inside, enclosure(i, j))) <= best.order) {
            if (lane() == 0u) {
                tree(in.at)[params.enclosures + i] = j;
            }
            return {i + 1u, j - 1u};
        }
    }
    const u32 k = best.place;
    if (lane() == 0u) {
        tree(in.at)[params.splits + 2u * k] = i;
        tree(in.at)[params.splits + 2u * k + 1u] = j;
    }
    const bool left_is_larger = k - i >= j - k;
    wait(select(u32x2{i, k}, u32x2{k, j}, left_is_larger), waiting);
    return select(u32x2{k, j}, u32x2{i, k}, left_is_larger);
}

KERNEL(LANES) {
    Context in = context_of(at, pass);
    const Params& params = in.params;
    const u32 lane = ::lane();

    // Phase 1: the queue.
    if (lane == 0u) {
        const u32 before = params.queue / 2u + params.number;
        wg_queue = {atomic_load(&tree(in.at)[before]), atomic_load(&tree(in.at)[params.number])};
        if (group().x == 0u) {
            tree(in.at)[before + 1u] = wg_queue.x + wg_queue.y;
        }
    }
    const u32x2 queue = workgroup_uniform_load(&wg_queue);

    // Phase 2: down.
    for (u32 entry = group().x; entry < queue.y; entry += groups().x) {
        const u32 place = params.queue + 2u * (queue.x + entry);
        u32x2 range = {atomic_load(&tree(in.at)[place]), atomic_load(&tree(in.at)[place + 1u])};
        u32 waiting = 0u;
        for (u32 step = 0u; step < params.steps && range.y >= range.x + 2u; step++) {
            const u32 i = range.x;
            const u32 j = range.y;
            Value best = worst();
            u32 place = NOWHERE;
            const Outer ends = outer(in, i, j);
            for (u32 first = i + 1u; first < j; first += AHEAD * LANES) {
                Value left[AHEAD];
                Value right[AHEAD];
                Inner inners[AHEAD];
#pragma unroll
                for (u32 n = 0u; n < AHEAD; n++) {
                    if (first + n * LANES < j) {
                        const u32 k = min(first + n * LANES + lane, j - 1u);
                        left[n] = cost(in, i, k);
                        right[n] = right_cost(in, k, j);
                        inners[n] = inner(in, k);
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
            range = settle(in, i, j, best_of_workgroup(own, step), waiting);
        }

        // Phase 3: queue the waiting ranges.
        wait(range, waiting);
        if (lane == 0u) {
            wg_first = queue.x + queue.y;
            if (waiting > 0u) {
                wg_first += atomicAdd(&tree(in.at)[params.number + 1u], waiting);
            }
        }
        const u32 first = workgroup_uniform_load(&wg_first);
        for (u32 n = lane; n < waiting; n += LANES) {
            tree(in.at)[params.queue + 2u * (first + n)] = wg_waiting[n].x;
            tree(in.at)[params.queue + 2u * (first + n) + 1u] = wg_waiting[n].y;
        }
        barrier();
    }
}
