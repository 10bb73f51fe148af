// neighbors/join: finds the pairs within the bound among strings with a key in common.
//
// Row:      a string of the pass. Its place counts with the greatest places of columns: each pair
//           of one list belongs to the row before a copy of its column.
// Grid:     one lane per slot of a row's keys; a slot has the run of its key in the index.
// Phases:   1 look up the keys, 2 sum the runs, 3 filter their candidates by lengths and counts of
//           symbols into a queue, 4 compute the distances of a full queue, one pair per lane.
// Result:   pairs = column and distance, row of the pass; in any order, with copies. Those that do
//           not fit are counted, and the least row of one is kept.
// Parts:    strings.wgsl, keys.wgsl, index.wgsl, distance.wgsl, control.wgsl,
//           sort/sum_workgroup.wgsl. Host: src/neighbors/gpu/plan.rs.
struct Params {
    first_group: u32,
    slots: u32,
    strings_at: u32,
    tiles_at: u32,
    part: u32,
    shift: u32,       // from a key to its bucket
    within: u32,
    capacity: u32,    // of the pairs
    is_same: u32,     // pairs of one list
}

// Strings of a slot without keys.
const LISTED_RUN = 1024u;
const IS_LISTED = 0x80000000u;

@group(0) @binding(6) var<storage, read_write> pairs: array<vec2<u32>>;    // [capacity]

var<workgroup> wg_runs: array<u32, LANES>;
var<workgroup> wg_rows: array<u32, LANES>;
var<workgroup> wg_ends: array<u32, LANES>;
var<workgroup> wg_queue: array<vec2<u32>, 2u * LANES>;
var<workgroup> wg_queued: atomic<u32>;
var<workgroup> wg_full: u32;
var<workgroup> wg_candidates: atomic<u32>;
var<workgroup> wg_columns: atomic<u32>;

// Sum of the differences of four counts, in two halves.
fn changed_counts(a: u32, b: u32) -> u32 {
    let biased = (a | 0x80808080u) - b;
    let at_least = ((biased >> 7u) & 0x01010101u) * 255u;
    let less = (0x80808080u & ~at_least) - (biased & ~at_least);
    let changed = (biased & 0x7f7f7f7fu & at_least) + less;
    return (changed & 0xff00ffu) + ((changed >> 8u) & 0xff00ffu);
}

fn is_candidate(row: u32, column: u32) -> bool {
    let at = params.strings_at + STRING_WORDS * row;
    let own = tables[at];
    let other = records[2u * column];
    if params.is_same == 1u && (other.z <= tables[at + 1u] || column == own) {
        return false;
    }
    let string = records[2u * own];
    if other.w != string.w {
        return false;
    }
    atomicAdd(&wg_candidates, 1u);
    let difference = max(string.y, other.y) - min(string.y, other.y);
    if difference > params.within {
        return false;
    }
    let a = records[2u * own + 1u];
    let b = records[2u * column + 1u];
    let changed = changed_counts(a.x, b.x) + changed_counts(a.y, b.y) + changed_counts(a.z, b.z) + changed_counts(a.w, b.w);
    return (changed & 0xffffu) + (changed >> 16u) + difference <= 2u * params.within;
}

fn verify(pair: vec2<u32>) {
    let own = tables[params.strings_at + STRING_WORDS * pair.x];
    atomicAdd(&wg_columns, records[2u * own].y);
    let distance = distance_within(own, pair.y, params.within);
    if distance > params.within {
        return;
    }
    let place = atomicAdd(&control[FOUND], 1u);
    if place < params.capacity {
        pairs[place] = vec2<u32>((pair.y << 4u) | distance, pair.x);
    } else {
        atomicMin(&control[INCOMPLETE], pair.x);
    }
}

// The run of a slot: its first entry and its length.
fn look_up(row: u32, slot: u32) -> Run {
    let at = params.strings_at + STRING_WORDS * row;
    let own = slot - tables[at + 2u];
    let section = section_of(own, records[2u * tables[at]].y);
    if tables[section + 3u] == LISTED {
        let first = tables[section + 1u] + (own - tables[section]) * LISTED_RUN;
        return Run(first | IS_LISTED, min(first + LISTED_RUN, tables[section + 5u]) - first);
    }
    let key = key_of(tables[at], section, own);
    if !key.is_valid || !is_of_part(key.hash, params.part) {
        return Run(0u, 0u);
    }
    let run = run_of(key.hash, params.part, params.shift);
    if is_frequent(run) {
        atomicOr(&control[FLAGS + (row >> 5u)], 1u << (row & 31u));
        return Run(0u, 0u);
    }
    return Run(run.first, run.end - run.first);
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = params.first_group + workgroup.x;
    let tile = params.tiles_at + group;
    if lane == 0u {
        wg_full = atomicLoad(&control[FOUND]);
        atomicStore(&wg_queued, 0u);
        atomicStore(&wg_candidates, 0u);
        atomicStore(&wg_columns, 0u);
    }
    if workgroupUniformLoad(&wg_full) > params.capacity {
        if lane == 0u {
            atomicMin(&control[INCOMPLETE], tables[tile]);
        }
        return;
    }
    // Phase 1: look up.
    let slot = group * LANES + lane;
    var run = Run(0u, 0u);
    if slot < params.slots {
        let row = string_of(slot, tile, params.strings_at);
        run = look_up(row, slot);
        wg_rows[lane] = row;
    }
    wg_runs[lane] = run.first;

    // Phase 2: sum.
    let end = sum_before(lane, run.end) + run.end;
    wg_ends[lane] = end;
    let total = workgroupUniformLoad(&wg_ends[LANES - 1u]);
    var verified = 0u;
    for (var first = 0u; first < total; first += LANES) {
        // Phase 3: filter.
        let candidate = first + lane;
        if candidate < total {
            var of_slot = 0u;
            for (var step = LANES / 2u; step > 0u; step /= 2u) {
                if wg_ends[of_slot + step - 1u] <= candidate {
                    of_slot += step;
                }
            }
            var before = 0u;
            if of_slot > 0u {
                before = wg_ends[of_slot - 1u];
            }
            let entry = wg_runs[of_slot] + (candidate - before);
            var column = 0u;
            if (entry & IS_LISTED) != 0u {
                column = tables[entry & ~IS_LISTED];
            } else {
                column = numbers[entry];
            }
            if is_candidate(wg_rows[of_slot], column) {
                wg_queue[atomicAdd(&wg_queued, 1u)] = vec2<u32>(wg_rows[of_slot], column);
            }
        }
        workgroupBarrier();
        if lane == 0u {
            wg_full = atomicLoad(&wg_queued);
        }
        let queued = workgroupUniformLoad(&wg_full);
        if queued < LANES {
            continue;
        }
        // Phase 4: compute.
        verify(wg_queue[queued - LANES + lane]);
        verified += 1u;
        workgroupBarrier();
        if lane == 0u {
            atomicStore(&wg_queued, queued - LANES);
        }
        workgroupBarrier();
    }
    if lane < atomicLoad(&wg_queued) {
        verify(wg_queue[lane]);
    }
    workgroupBarrier();
    if lane == 0u {
        add_wide(CANDIDATES, atomicLoad(&wg_candidates));
        add_wide(VERIFIED, verified * LANES + atomicLoad(&wg_queued));
        add_wide(COLUMNS, atomicLoad(&wg_columns));
    }
}
