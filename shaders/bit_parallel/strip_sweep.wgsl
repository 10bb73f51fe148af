// bit_parallel/strip_sweep: advances strips of a table by STEPS column words each.
//
// Recurrence: sweep_eight of the part <problem>/limbs.wgsl, on VERTICAL vectors of differences a limb; HORIZONTAL bits a column
//           go from limb to limb and from lane to lane, COLUMNS of each in a carry word.
// Grid:     one workgroup a strip of LANES lanes, LIMBS limbs a lane; lane l works on column word (step - l), so that
//           carry words move up one lane a step; the codes of UNIT columns are loaded at once. Which strip and from which step:
//           from_*.wgsl.
// Phases:   1 load differences, match masks and incoming carries, 2 sweep the steps, 3 store differences and the carry words
//           in flight.
// Padding:  the first word starts with columns of code 0 and no carry in, which change nothing. Words outside the table, LANES
//           of them before and after each direction, are all like that; where SKIPS says that they would change something
//           behind the last column, they are only loaded, and so are those outside of a strip's own words.
// Parts:    hand_over_*.wgsl, match_*.wgsl, limbs.wgsl, span_*.wgsl, from_*.wgsl, keep_*.wgsl. Host: src/pairwise/bit_parallel/gpu/plan.rs.
var<workgroup> wg_above: array<u32, HORIZONTAL * STEPS>;    // the carry words that enter the strip
var<workgroup> wg_below: array<u32, HORIZONTAL * STEPS>;    // those that leave it

// Returns the carries that leave the word so far, those of the eight columns from `column` on among them.
fn sweep_block(
    v: ptr<function, Differences>,
    rows: ptr<function, Rows>,
    block: Block,
    entering: Carries,
    before: Carries,
    column: u32,
) -> Carries {
    var eight = entering;
    for (var h = 0u; h < HORIZONTAL; h++) {
        eight[h] >>= column;
    }
    eight = sweep_eight(v, rows, block, eight);
    var leaving = before;
    for (var h = 0u; h < HORIZONTAL; h++) {
        leaving[h] |= eight[h] << column;
    }
    return leaving;
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let replay = locate(group, groups);
    if !replay.used {
        return;
    }
    let words = replay.words;
    let first = u32(max(replay.begin, i32(words.x)));
    let end = u32(clamp(replay.begin + i32(STEPS), 0, i32(words.y + LANES - 1u)));

    // Phase 1: load.
    let first_word = replay.direction * params.direction_words + LANES - lane;
    const UNITS = COLUMNS / UNIT;
    var v: Differences;
    for (var i = 0u; i < VERTICAL * LIMBS; i++) {
        v[i] = load_word(replay, i, lane);
    }
    var carries: Carries;
    for (var h = 0u; h < HORIZONTAL; h++) {
        carries[h] = load_word(replay, VERTICAL * LIMBS + h, lane);
    }
    keep_start(replay, lane, &v, carries);
    var rows = load_rows(replay.direction * params.strips + replay.strip, lane, params.strips * params.directions);
    for (var h = 0u; h < HORIZONTAL; h++) {
        for (var step = first + lane; step < end; step += LANES) {
            let word = load_above(replay, h, step);
            wg_above[h * STEPS + step - first] = word;
            keep_above(replay, h, u32(i32(step) - replay.begin), word);
        }
    }
    workgroupBarrier();

    // Phase 2: sweep. The codes of the next columns are loaded before these are used.
    var next_codes = load_codes((first_word + first) * UNITS);
    for (var step = first; step < end; step++) {
        keep_step(replay, lane, u32(i32(step) - replay.begin), &v, carries);
        for (var h = 0u; h < HORIZONTAL; h++) {
            carries[h] = hand_over(lane, step * HORIZONTAL + h, carries[h]);
            if lane == 0u {
                carries[h] = wg_above[h * STEPS + step - first];
            }
        }
        keep_carries(replay, lane, u32(i32(step) - replay.begin), carries);
        let inside = step - lane - words.x < words.y - words.x;
        let entering = carries;
        carries = Carries();
        for (var unit = 0u; unit < UNITS; unit++) {
            let codes = next_codes;
            next_codes = load_codes((first_word + step) * UNITS + unit + 1u);
            if inside || !(SKIPS || SPANS) {
                // Not a loop: one that is not unrolled would keep the codes in memory.
                carries = sweep_block(&v, &rows, block_of(codes, 0u), entering, carries, unit * UNIT);
                if UNIT > 8u {
                    carries = sweep_block(&v, &rows, block_of(codes, 8u), entering, carries, unit * UNIT + 8u);
                }
            }
        }
        if inside {
            keep_pairs(replay, lane, u32(i32(step) - replay.begin), step - lane + 1u == words.y);
        }
        if lane == LANES - 1u {
            for (var h = 0u; h < HORIZONTAL; h++) {
                wg_below[h * STEPS + step - first] = carries[h];
            }
        }
    }
    workgroupBarrier();

    // Phase 3: store. The last lane is LANES - 1 words behind.
    for (var h = 0u; h < HORIZONTAL; h++) {
        for (var step = max(first, words.x + LANES - 1u) + lane; step < end; step += LANES) {
            store_below(replay, h, step + 1u - LANES, wg_below[h * STEPS + step - first]);
        }
    }
    for (var i = 0u; i < VERTICAL * LIMBS; i++) {
        store_word(replay, i, lane, v[i]);
    }
    for (var h = 0u; h < HORIZONTAL; h++) {
        store_word(replay, VERTICAL * LIMBS + h, lane, carries[h]);
    }
}
