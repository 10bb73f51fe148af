// parenthesization/split_tree: finds the splits of the best tree again from the finished costs.
//
// Rule, grid, phases, result: as in split_tree.wgsl.
// Parts:    value_*.cu, goal.cu, the problem, a table with its cost(at, params, i, j). Host: src/parenthesization/gpu/split_tree.rs.
constexpr u32 NONE = 0u;    // no range is split at 0
constexpr u32 AHEAD = 4u;   // splits of a lane that are loaded together

struct Params {
    u32 number;         // of this pass, from 0
    u32 leaves;
    u32 queue;          // where the ranges start
    u32 splits;         // where the ranges by split start
    u32 enclosures;     // where the ends by start start
};

BINDING(7, u32, tree)

__shared__ Value wg_best[LANES];
__shared__ u32 wg_place[LANES];
__shared__ u32x2 wg_range;
__shared__ u32x2 wg_queue;      // where this pass's ranges start, and how many there are
__shared__ u32x2 wg_waiting[STEPS + 1u];
__shared__ u32 wg_count;
__shared__ u32 wg_first;        // among those that wait for the next pass

// Lists a part that waits; the first lane alone.
DEVICE void wait(u32x2 range) {
    if (range.y >= range.x + 2u) {
        wg_waiting[wg_count] = range;
        wg_count++;
    }
}

// Records how i..j comes about and gives the range to go on with.
DEVICE u32x2 settle(const Arguments& at, u32 i, u32 j, Value best, u32 k) {
    const Params& params = PARAMS(at);
    if (encloses(at, i, j)) {
        Value inside = value(0u);
        if (j > i + 2u) {
            inside = cost(at, params, i + 1u, j - 1u);
        }
        if (!better(best, plus(inside, enclosure(i, j)))) {
            tree(at)[params.enclosures + i] = j;
            return {i + 1u, j - 1u};
        }
    }
    tree(at)[params.splits + 2u * k] = i;
    tree(at)[params.splits + 2u * k + 1u] = j;
    const bool left_is_larger = k - i >= j - k;
    wait(select(u32x2{i, k}, u32x2{k, j}, left_is_larger));
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
        if (lane == 0u) {
            const u32 place = params.queue + 2u * (queue.x + entry);
            wg_range = {atomicLoad(&tree(at)[place]), atomicLoad(&tree(at)[place + 1u])};
            wg_count = 0u;
        }
        for (u32 step = 0u; step < STEPS; step++) {
            const u32x2 range = workgroupUniformLoad(&wg_range);
            const u32 i = range.x;
            const u32 j = range.y;
            if (j < i + 2u) {
                break;
            }
            Value best = worst();
            u32 place = NONE;
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
                        right[n] = cost(at, params, k, j);
                        inners[n] = inner(at, k);
                    }
                }
#pragma unroll
                for (u32 n = 0u; n < AHEAD; n++) {
                    const u32 k = first + n * LANES + lane;
                    if (k < j) {
                        const Value candidate = plus(plus(left[n], right[n]), weight(ends, inners[n]));
                        if (place == NONE || better(candidate, best)) {
                            best = candidate;
                            place = k;
                        }
                    }
                }
            }
            wg_best[lane] = best;
            wg_place[lane] = place;
            barrier();
            for (u32 count = LANES / 2u; count > 0u; count /= 2u) {
                if (lane < count) {
                    const u32 other = wg_place[lane + count];
                    const Value theirs = wg_best[lane + count];
                    const bool wins = better(theirs, best) || (!better(best, theirs) && other < place);
                    if (other != NONE && (place == NONE || wins)) {
                        best = theirs;
                        place = other;
                        wg_best[lane] = best;
                        wg_place[lane] = place;
                    }
                }
                barrier();
            }
            if (lane == 0u) {
                wg_range = settle(at, i, j, best, place);
            }
        }

        // Phase 3: those that wait.
        barrier();
        if (lane == 0u) {
            wait(wg_range);
            wg_first = queue.x + queue.y;
            if (wg_count > 0u) {
                wg_first += atomicAdd(&tree(at)[params.number + 1u], wg_count);
            }
        }
        const u32 first = workgroupUniformLoad(&wg_first);
        for (u32 n = lane; n < wg_count; n += LANES) {
            tree(at)[params.queue + 2u * (first + n)] = wg_waiting[n].x;
            tree(at)[params.queue + 2u * (first + n) + 1u] = wg_waiting[n].y;
        }
        barrier();
    }
}
