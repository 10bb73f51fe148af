// parenthesization/split_tree: finds the splits of the best tree again from the finished costs.
//
// Rule, grid, phases, result: as in split_tree.wgsl.
// Parts:    value_*.cu, goal.cu, the problem, a table with its cost(at, params, i, j). Host: src/parenthesization/gpu/split_tree.rs.
constexpr u32 NONE = 0u;    // no range is split at 0

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

DEVICE void wait(const Arguments& at, u32x2 range, u32x2 queue) {
    const Params& params = PARAMS(at);
    if (range.y >= range.x + 2u) {
        const u32 place = queue.x + queue.y + atomicAdd(&tree(at)[params.number + 1u], 1u);
        tree(at)[params.queue + 2u * place] = range.x;
        tree(at)[params.queue + 2u * place + 1u] = range.y;
    }
}

// Records how i..j comes about and gives the range to go on with.
DEVICE u32x2 settle(const Arguments& at, u32 i, u32 j, Value best, u32 k, u32x2 queue) {
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
    wait(at, select(u32x2{i, k}, u32x2{k, j}, left_is_larger), queue);
    return select(u32x2{k, j}, u32x2{i, k}, left_is_larger);
}

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();

    // Phase 1: the queue.
    if (lane == 0u) {
        u32 before = 0u;
        for (u32 pass_number = 0u; pass_number < params.number; pass_number++) {
            before += atomicLoad(&tree(at)[pass_number]);
        }
        wg_queue = {before, atomicLoad(&tree(at)[params.number])};
    }
    const u32x2 queue = workgroupUniformLoad(&wg_queue);

    // Phase 2: down.
    for (u32 entry = group().x; entry < queue.y; entry += groups().x) {
        if (lane == 0u) {
            const u32 place = params.queue + 2u * (queue.x + entry);
            wg_range = {atomicLoad(&tree(at)[place]), atomicLoad(&tree(at)[place + 1u])};
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
            for (u32 k = i + 1u + lane; k < j; k += LANES) {
                const Value parts = plus(cost(at, params, i, k), cost(at, params, k, j));
                const Value candidate = plus(parts, weight(ends, inner(at, k)));
                if (place == NONE || better(candidate, best)) {
                    best = candidate;
                    place = k;
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
                wg_range = settle(at, i, j, best, place, queue);
            }
        }
        const u32x2 range = workgroupUniformLoad(&wg_range);
        if (lane == 0u) {
            wait(at, range, queue);
        }
    }
}
