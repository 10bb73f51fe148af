// sort/downsweep: scatters each workgroup's keys by digit, in order.
//
// Method:   second half of reduce-then-scan (Merrill and Grimshaw 2011,
//           doi:10.1142/S0129626411000187). A tile is sorted in workgroup memory first, so that
//           keys of a digit are written contiguously.
// Grid:     as range.wgsl. A tile is laid out as [subgroup][step][lane of the subgroup], so that
//           loads are contiguous and ranks by subgroup, step and lane keep the order.
// Phases:   1 find the destination of each digit; per tile: 2 load and rank, 3 find the start of
//           each digit, 4 exchange and store keys, 5 payloads.
// Padding:  the last tile is filled with the greatest key, which ranks after all keys.
// Chunks:   keys that belong into another chunk than the bound one are left to that chunk's pass.
// Parts:    a key, a payload, a rank and a sum. Host: src/sort/plan.rs.
const SUBGROUPS = LANES / SUBGROUP;
// Digits per lane.
const DIGITS = RADIX / LANES;

@group(0) @binding(1) var<storage, read> keys: array<Key>;                  // [keys of the chunk]
// [keys of the destination chunk]
@group(0) @binding(2) var<storage, read_write> sorted_keys: array<Key>;
@group(0) @binding(3) var<storage, read> counts: array<u32>;                // written by scan.wgsl

var<workgroup> wg_words: array<u32, TILE>;      // one word of each key, or the payload, by rank
var<workgroup> wg_begins: array<u32, RADIX>;    // rank of each digit's first key
var<workgroup> wg_shifts: array<u32, RADIX>;    // from rank to global position

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = params.first_group + workgroup.x;
    let range = range_of(group);
    if range.first >= range.end {
        return;
    }

    // Phase 1: count lower digits, and this digit in earlier workgroups.
    var places = array<u32, DIGITS>();
    var total = 0u;
    for (var i = 0u; i < DIGITS; i++) {
        places[i] = counts[RADIX * params.columns + lane * DIGITS + i];
        total += places[i];
    }
    var lower = sum_before(lane, total);
    for (var i = 0u; i < DIGITS; i++) {
        let of_digit = places[i];
        places[i] = lower + counts[(lane * DIGITS + i) * params.columns + params.column + group];
        lower += of_digit;
    }

    let subgroup = lane / SUBGROUP;
    let within = subgroup * (SUBGROUP * STEPS) + lane % SUBGROUP;
    for (var tile = range.first; tile < range.end; tile += TILE) {
        let there = min(range.end - tile, TILE);

        // Phase 2: rank among the keys of the same digit and subgroup.
        var own = array<Key, STEPS>();
        var ranks = array<u32, STEPS>();
        for (var step = 0u; step < STEPS; step++) {
            own[step] = GREATEST;
            if within + step * SUBGROUP < there {
                own[step] = keys[tile + within + step * SUBGROUP];
            }
        }
        clear_counts(lane);
        workgroupBarrier();
        for (var step = 0u; step < STEPS; step++) {
            ranks[step] = rank_of(lane, digit_of(own[step], params.shift, params.mask));
        }
        workgroupBarrier();

        // Phase 3: ranks in the tile, and their destinations.
        var of_digits = array<u32, DIGITS>();
        total = 0u;
        for (var i = 0u; i < DIGITS; i++) {
            for (var other = 0u; other < SUBGROUPS; other++) {
                let place = other * RADIX + lane * DIGITS + i;
                let count = atomicLoad(&wg_counts[place]);
                atomicStore(&wg_counts[place], of_digits[i]);
                of_digits[i] += count;
            }
            total += of_digits[i];
        }
        var begin = sum_before(lane, total);
        for (var i = 0u; i < DIGITS; i++) {
            wg_begins[lane * DIGITS + i] = begin;
            wg_shifts[lane * DIGITS + i] = places[i] - begin;
            begin += of_digits[i];
            places[i] += of_digits[i];
        }
        workgroupBarrier();
        for (var step = 0u; step < STEPS; step++) {
            let digit = digit_of(own[step], params.shift, params.mask);
            ranks[step] += wg_begins[digit] + atomicLoad(&wg_counts[subgroup * RADIX + digit]);
        }

        // Phase 4: keys are exchanged word by word; each lane stores every LANES-th rank.
        for (var word = 0u; word < KEY_WORDS; word++) {
            for (var step = 0u; step < STEPS; step++) {
                wg_words[ranks[step]] = word_of(own[step], word);
            }
            workgroupBarrier();
            for (var step = 0u; step < STEPS; step++) {
                own[step] = with_word(own[step], word, wg_words[step * LANES + lane]);
            }
            workgroupBarrier();
        }
        var into = array<u32, STEPS>();
        for (var step = 0u; step < STEPS; step++) {
            let rank = step * LANES + lane;
            // Padding is sent past the end of the chunk.
            let digit = digit_of(own[step], params.shift, params.mask);
            into[step] = select(params.into_keys, rank + wg_shifts[digit] - params.into_first, rank < there);
            if into[step] < params.into_keys {
                sorted_keys[into[step]] = own[step];
            }
        }

        // Phase 5: the same for payloads.
        if PAYLOAD {
            for (var step = 0u; step < STEPS; step++) {
                if within + step * SUBGROUP < there {
                    wg_words[ranks[step]] = load_payload(tile + within + step * SUBGROUP);
                }
            }
            workgroupBarrier();
            for (var step = 0u; step < STEPS; step++) {
                if into[step] < params.into_keys {
                    store_payload(into[step], wg_words[step * LANES + lane]);
                }
            }
        }
        // Slow lanes may still read what the next tile overwrites.
        workgroupBarrier();
    }
}
