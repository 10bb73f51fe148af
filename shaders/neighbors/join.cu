// neighbors/join: finds the pairs within the bound among strings with a key in common.
//
// Row, grid, phases, result: as in join.wgsl.
// Parts:    strings.cu, keys.cu, index.cu, distance.cu, control.cu, sort/sum_workgroup.cu.
// Host:     src/neighbors/gpu/plan.rs.
struct Params {
    u32 first_group;
    u32 slots;
    u32 strings_at;
    u32 tiles_at;
    u32 part;
    u32 shift;       // from a key to its bucket
    u32 within;
    u32 capacity;    // of the pairs
    u32 is_same;     // pairs of one list
};

// Strings of a slot without keys.
constexpr u32 LISTED_RUN = 1024u;
constexpr u32 IS_LISTED = 0x80000000u;

BINDING(6, u32x2, pairs)    // [capacity]

__shared__ u32 wg_runs[LANES];
__shared__ u32 wg_rows[LANES];
__shared__ u32 wg_ends[LANES];
__shared__ u32x2 wg_queue[2u * LANES];
__shared__ u32 wg_queued;
__shared__ u32 wg_full;
__shared__ u32 wg_candidates;
__shared__ u32 wg_columns;

// Sum of the differences of four counts, in two halves.
DEVICE u32 changed_counts(u32 a, u32 b) {
    const u32 biased = (a | 0x80808080u) - b;
    const u32 at_least = (biased >> 7u & 0x01010101u) * 255u;
    const u32 less = (0x80808080u & ~at_least) - (biased & ~at_least);
    const u32 changed = (biased & 0x7f7f7f7fu & at_least) + less;
    return (changed & 0xff00ffu) + (changed >> 8u & 0xff00ffu);
}

DEVICE bool is_candidate(const Arguments& at, const Params& params, u32 row, u32 column, u32& candidates) {
    const u32 place = params.strings_at + STRING_WORDS * row;
    const u32 own = tables(at)[place];
    const u32x4 other = records(at)[2u * column];
    if (params.is_same == 1u && (other.z <= tables(at)[place + 1u] || column == own)) {
        return false;
    }
    candidates += 1u;
    const u32 len = records(at)[2u * own].y;
    const u32 difference = max(len, other.y) - min(len, other.y);
    if (difference > params.within) {
        return false;
    }
    const u32x4 a = records(at)[2u * own + 1u];
    const u32x4 b = records(at)[2u * column + 1u];
    const u32 changed = changed_counts(a.x, b.x) + changed_counts(a.y, b.y) + changed_counts(a.z, b.z) + changed_counts(a.w, b.w);
    return (changed & 0xffffu) + (changed >> 16u) + difference <= 2u * params.within;
}

DEVICE void verify(const Arguments& at, const Params& params, u32x2 pair, u32& columns) {
    const u32 own = tables(at)[params.strings_at + STRING_WORDS * pair.x];
    columns += records(at)[2u * own].y;
    const u32 distance = distance_within(at, own, pair.y, params.within);
    if (distance > params.within) {
        return;
    }
    const u32 place = atomicAdd(&control(at)[FOUND], 1u);
    if (place < params.capacity) {
        pairs(at)[place] = {pair.y << 4u | distance, pair.x};
    } else {
        atomicMin(&control(at)[INCOMPLETE], pair.x);
    }
}

// The run of a slot: its first entry and its length.
DEVICE Run look_up(const Arguments& at, const Params& params, u32 row, u32 slot) {
    const u32 place = params.strings_at + STRING_WORDS * row;
    const u32 own = slot - tables(at)[place + 2u];
    const u32 section = section_of(at, own, records(at)[2u * tables(at)[place]].y);
    if (tables(at)[section + 3u] == LISTED) {
        const u32 first = tables(at)[section + 1u] + (own - tables(at)[section]) * LISTED_RUN;
        return {first | IS_LISTED, min(first + LISTED_RUN, tables(at)[section + 5u]) - first};
    }
    const Key key = key_of(at, tables(at)[place], section, own);
    if (!key.is_valid || !is_of_part(key.hash, params.part)) {
        return {0u, 0u};
    }
    const Run run = run_of(at, key.hash, params.part, params.shift);
    if (is_frequent(at, run)) {
        atomicOr(&control(at)[FLAGS + (row >> 5u)], 1u << (row & 31u));
        return {0u, 0u};
    }
    return {run.first, run.end - run.first};
}

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const u32 group = params.first_group + ::group().x;
    const u32 tile = params.tiles_at + group;
    if (lane == 0u) {
        wg_full = atomicLoad(&control(at)[FOUND]);
        wg_queued = 0u;
        wg_candidates = 0u;
        wg_columns = 0u;
    }
    if (workgroupUniformLoad(&wg_full) > params.capacity) {
        if (lane == 0u) {
            atomicMin(&control(at)[INCOMPLETE], tables(at)[tile]);
        }
        return;
    }
    // Phase 1: look up.
    const u32 slot = group * LANES + lane;
    Run run = {0u, 0u};
    if (slot < params.slots) {
        const u32 row = string_of(at, slot, tile, params.strings_at);
        run = look_up(at, params, row, slot);
        wg_rows[lane] = row;
    }
    wg_runs[lane] = run.first;

    // Phase 2: sum.
    const u32 end = sum_before(lane, run.end) + run.end;
    wg_ends[lane] = end;
    const u32 total = workgroupUniformLoad(&wg_ends[LANES - 1u]);
    u32 verified = 0u;
    u32 candidates = 0u;
    u32 columns = 0u;
    for (u32 first = 0u; first < total; first += LANES) {
        // Phase 3: filter.
        const u32 candidate = first + lane;
        if (candidate < total) {
            u32 of_slot = 0u;
#pragma unroll
            for (u32 step = LANES / 2u; step > 0u; step /= 2u) {
                if (wg_ends[of_slot + step - 1u] <= candidate) {
                    of_slot += step;
                }
            }
            const u32 before = of_slot > 0u ? wg_ends[of_slot - 1u] : 0u;
            const u32 entry = wg_runs[of_slot] + (candidate - before);
            const u32 column = (entry & IS_LISTED) != 0u ? tables(at)[entry & ~IS_LISTED] : numbers(at)[entry];
            if (is_candidate(at, params, wg_rows[of_slot], column, candidates)) {
                wg_queue[atomicAdd(&wg_queued, 1u)] = {wg_rows[of_slot], column};
            }
        }
        const u32 queued = workgroupUniformLoad(&wg_queued);
        if (queued < LANES) {
            continue;
        }
        // Phase 4: compute.
        verify(at, params, wg_queue[queued - LANES + lane], columns);
        verified += 1u;
        barrier();
        if (lane == 0u) {
            wg_queued = queued - LANES;
        }
        barrier();
    }
    if (lane < wg_queued) {
        verify(at, params, wg_queue[lane], columns);
    }
    atomicAdd(&wg_candidates, candidates);
    atomicAdd(&wg_columns, columns);
    barrier();
    if (lane == 0u) {
        add_wide(at, CANDIDATES, wg_candidates);
        add_wide(at, VERIFIED, verified * LANES + wg_queued);
        add_wide(at, COLUMNS, wg_columns);
    }
}
