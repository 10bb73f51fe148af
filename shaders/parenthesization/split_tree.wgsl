// parenthesization/split_tree: recovers the splits of the best tree from the finished costs.
//
// Rule:     an enclosure if it is as good as any split, otherwise the least k among the best
//           splits.
// Grid:     a few workgroups; each takes ranges of this pass's queue in turn.
// Phases:   1 read the queue of this pass, 2 descend from each of its ranges: find the best split
//           over all lanes and continue with the larger part; the smaller part waits for the next
//           pass, and so does a path of more than params.steps ranges. A waiting part has at most
//           half the leaves or lies params.steps ranges deeper, so log2 n + n / steps + 2 passes
//           reach every range. 3 queue the waiting ranges of a path together.
// Latency:  a path is a chain of steps. A lane loads all costs of a step before it compares any.
// Result:   tree = [passes + 1] queue lengths | [passes + 1] ranges of all earlier passes | [2 *
//           leaves] ranges (start, end) | [points] ranges by split | [points] end of the enclosure
//           by start. No range is written twice.
// Parts:    value_*.wgsl, goal.wgsl, the problem, a table with cost(i, j) and right_cost(i, j).
// Host:     src/parenthesization/gpu/split_tree.rs.
const NONE = 0u;    // never a split position
const AHEAD = 4u;   // splits that a lane loads together

struct Params {
    number: u32,     // of this pass, from 0
    leaves: u32,
    queue: u32,      // start of the ranges
    splits: u32,     // start of the ranges by split
    enclosures: u32, // start of the ends by start
    transposed: u32, // offset in tiles from a finished tile to its transposed copy; 0 for none
    steps: u32,      // ranges per path and pass, at most STEPS
}

@group(0) @binding(7) var<storage, read_write> tree: array<atomic<u32>>;

var<workgroup> wg_best: array<Value, LANES>;
var<workgroup> wg_place: array<u32, LANES>;
var<workgroup> wg_range: vec2<u32>;
var<workgroup> wg_queue: vec2<u32>;    // start and length of this pass's queue
var<workgroup> wg_waiting: array<vec2<u32>, STEPS + 1u>;
var<workgroup> wg_count: u32;
var<workgroup> wg_first: u32;          // position among the ranges queued for the next pass

// Appends a waiting range; lane 0 only.
fn wait(range: vec2<u32>) {
    if range.y >= range.x + 2u {
        wg_waiting[wg_count] = range;
        wg_count++;
    }
}

// Records the split or enclosure of i..j and returns the range to continue with.
fn settle(i: u32, j: u32, best: Value, k: u32) -> vec2<u32> {
    if encloses(i, j) {
        var inside = value(0u);
        if j > i + 2u {
            inside = cost(i + 1u, j - 1u);
        }
        if !better(best, plus(inside, enclosure(i, j))) {
            atomicStore(&tree[params.enclosures + i], j);
            return vec2<u32>(i + 1u, j - 1u);
        }
    }
    atomicStore(&tree[params.splits + 2u * k], i);
    atomicStore(&tree[params.splits + 2u * k + 1u], j);
    let left_is_larger = k - i >= j - k;
    wait(select(vec2<u32>(i, k), vec2<u32>(k, j), left_is_larger));
    return select(vec2<u32>(k, j), vec2<u32>(i, k), left_is_larger);
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    // Phase 1: the queue.
    if lane == 0u {
        let before = params.queue / 2u + params.number;
        wg_queue = vec2<u32>(atomicLoad(&tree[before]), atomicLoad(&tree[params.number]));
        if group.x == 0u {
            atomicStore(&tree[before + 1u], wg_queue.x + wg_queue.y);
        }
    }
    let queue = workgroupUniformLoad(&wg_queue);

    // Phase 2: down.
    for (var entry = group.x; entry < queue.y; entry += groups.x) {
        if lane == 0u {
            let place = params.queue + 2u * (queue.x + entry);
            wg_range = vec2<u32>(atomicLoad(&tree[place]), atomicLoad(&tree[place + 1u]));
            wg_count = 0u;
        }
        for (var step = 0u; step < params.steps; step++) {
            let range = workgroupUniformLoad(&wg_range);
            let i = range.x;
            let j = range.y;
            if j < i + 2u {
                break;
            }
            var best = worst();
            var place = NONE;
            let ends = outer(i, j);
            for (var first = i + 1u; first < j; first += AHEAD * LANES) {
                var left: array<Value, AHEAD>;
                var right: array<Value, AHEAD>;
                var inners: array<Inner, AHEAD>;
                for (var n = 0u; n < AHEAD && first + n * LANES < j; n++) {
                    let k = min(first + n * LANES + lane, j - 1u);
                    left[n] = cost(i, k);
                    right[n] = right_cost(k, j);
                    inners[n] = inner(k);
                }
                for (var n = 0u; n < AHEAD; n++) {
                    let k = first + n * LANES + lane;
                    if k < j {
                        let candidate = plus(plus(left[n], right[n]), weight(ends, inners[n]));
                        if place == NONE || better(candidate, best) {
                            best = candidate;
                            place = k;
                        }
                    }
                }
            }
            wg_best[lane] = best;
            wg_place[lane] = place;
            workgroupBarrier();
            for (var count = LANES / 2u; count > 0u; count /= 2u) {
                if lane < count {
                    let other = wg_place[lane + count];
                    let theirs = wg_best[lane + count];
                    let wins = better(theirs, best) || (!better(best, theirs) && other < place);
                    if other != NONE && (place == NONE || wins) {
                        best = theirs;
                        place = other;
                        wg_best[lane] = best;
                        wg_place[lane] = place;
                    }
                }
                workgroupBarrier();
            }
            if lane == 0u {
                wg_range = settle(i, j, best, place);
            }
        }

        // Phase 3: queue the waiting ranges.
        workgroupBarrier();
        if lane == 0u {
            wait(wg_range);
            wg_first = queue.x + queue.y;
            if wg_count > 0u {
                wg_first += atomicAdd(&tree[params.number + 1u], wg_count);
            }
        }
        let first = workgroupUniformLoad(&wg_first);
        for (var n = lane; n < wg_count; n += LANES) {
            atomicStore(&tree[params.queue + 2u * (first + n)], wg_waiting[n].x);
            atomicStore(&tree[params.queue + 2u * (first + n) + 1u], wg_waiting[n].y);
        }
        workgroupBarrier();
    }
}
