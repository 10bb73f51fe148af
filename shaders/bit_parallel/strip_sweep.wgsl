// bit_parallel/strip_sweep: advances strips of a table by STEPS column words each.
//
// Recurrence: sweep_eight of <problem>/limbs.wgsl, on VERTICAL difference vectors per limb.
//             HORIZONTAL bits per column move from limb to limb and from lane to lane, as COLUMNS
//             of each per carry word.
// Grid:     one workgroup per strip of LANES lanes with LIMBS limbs each. At a step lane l works on
//           column word (step - l), so carry words move by one lane per step. Codes are loaded for
//           UNIT columns at once. from_*.wgsl selects the strip and the first step.
// Phases:   1 load differences, match masks and incoming carries, 2 sweep the steps, 3 store
//           differences and the carry words in flight.
// Padding:  the first word starts with columns of code 0 and no carry in, which change nothing. So
//           do the words outside of the table, LANES before and after each direction. With SKIPS
//           they would change something after the last column, so words outside of the strip's
//           range are loaded but not swept.
// Parts:    hand_over_*.wgsl, match_*.wgsl, limbs.wgsl, span_*.wgsl, from_*.wgsl, keep_*.wgsl.
// Host:     src/sequences/bit_parallel/gpu/plan.rs.
var<workgroup> wg_above: array<u32, HORIZONTAL * STEPS>;    // carry words into the strip
var<workgroup> wg_below: array<u32, HORIZONTAL * STEPS>;    // carry words out of the strip

// Sweeps eight columns from `column` on and adds their carries out to those of `before`.
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

    // Phase 2: sweep. Codes are loaded one unit ahead.
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
                // No loop here: one that is not unrolled would keep the codes in memory.
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
