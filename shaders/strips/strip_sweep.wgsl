// strips/strip_sweep: advances strips of a table by STEPS column words each.
//
// Recurrence: sweep_eight of the part <problem>/limbs.wgsl, on VERTICAL vectors of differences a limb; HORIZONTAL bits a column
//           go from limb to limb and from lane to lane, COLUMNS of each in a carry word.
// Grid:     one workgroup a strip of LANES lanes, LIMBS limbs a lane; lane l works on column word (step - behind(l)), so that
//           carry words move up one lane a step, or where it is the first of a subgroup BLOCK steps. Which strip and from which
//           step: frame_*.wgsl.
// Phases:   1 load differences, match masks and incoming carries, 2 sweep the steps, 3 store differences and the carry words
//           in flight.
// Padding:  the first word starts with columns of code 0 and no carry in, which change nothing. Words outside the table, PADDING
//           of them before and after each direction, are all like that; where SKIPS says that they would change something
//           behind the last column, they are only loaded, and so are those outside a band.
// Parts:    hand_over_*.wgsl, match_*.wgsl, limbs.wgsl, span_*.wgsl, frame_*.wgsl, keep_*.wgsl. Host: src/strips/gpu/plan.rs.
// Halves:   a carry word is handed on in HALVES parts, 1 or 2, the lower columns first: while the columns of one half are swept,
//           the other is on its way.
const HALF_COLUMNS = COLUMNS / HALVES;
const PADDING = BEHIND + 1u;

var<workgroup> wg_above: array<u32, HORIZONTAL * STEPS>;    // the carry words that enter the strip

// The columns of a step.
struct Columns {
    first_block: u32,
    used: bool,
}

// The carry words that enter the strip at a step, counted from the first of this pass.
fn entering_at(step: u32) -> Carries {
    var words: Carries;
    for (var h = 0u; h < HORIZONTAL; h++) {
        words[h] = wg_above[h * STEPS + min(step, STEPS - 1u)];
    }
    return words;
}

// What a lane hands on, before the step at which it arrives.
fn hand_on(lane: u32, step: u32, half: u32, bits: Carries) -> Carries {
    var arrived: Carries;
    for (var h = 0u; h < HORIZONTAL; h++) {
        arrived[h] = hand_over(lane, (step * HALVES + half) * HORIZONTAL + h, bits[h]);
    }
    return arrived;
}

// The bits of the second half's columns.
fn upper(words: Carries) -> Carries {
    var bits: Carries;
    for (var h = 0u; h < HORIZONTAL; h++) {
        bits[h] = words[h] >> (COLUMNS - HALF_COLUMNS);
    }
    return bits;
}

// Both halves in one word; there may be more bits in the lower one.
fn join(low: Carries, high: Carries) -> Carries {
    if HALVES == 1u {
        return low;
    }
    var words: Carries;
    for (var h = 0u; h < HORIZONTAL; h++) {
        words[h] = insertBits(low[h], high[h], HALF_COLUMNS, HALF_COLUMNS);
    }
    return words;
}

// Returns the carries that leave the lane.
fn sweep_half(
    v: ptr<function, Differences>,
    rows: ptr<function, Rows>,
    next_block: ptr<function, Block>,
    columns: Columns,
    half: u32,
    entering: Carries,
) -> Carries {
    var leaving = Carries();
    for (var k = 0u; k < HALF_COLUMNS; k += 8u) {
        let block = *next_block;
        *next_block = load_block(columns.first_block + (half * HALF_COLUMNS + k) / 8u + 1u);
        if columns.used {
            var eight = entering;
            for (var h = 0u; h < HORIZONTAL; h++) {
                eight[h] >>= k;
            }
            eight = sweep_eight(v, rows, block, eight);
            for (var h = 0u; h < HORIZONTAL; h++) {
                leaving[h] |= eight[h] << k;
            }
        }
    }
    return leaving;
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let frame = locate(group, groups);
    if !frame.used {
        return;
    }
    let words = frame.words;
    let first = u32(max(frame.begin, i32(words.x)));
    let end = u32(clamp(frame.begin + i32(STEPS), 0, i32(words.y + BEHIND)));

    // Phase 1: load.
    let first_block = frame.direction * params.column_blocks + (PADDING - behind(lane)) * (COLUMNS / 8u);
    var v: Differences;
    for (var i = 0u; i < VERTICAL * LIMBS; i++) {
        v[i] = load_word(frame, i, lane);
    }
    var carries: Carries;
    for (var h = 0u; h < HORIZONTAL; h++) {
        carries[h] = load_word(frame, VERTICAL * LIMBS + h, lane);
    }
    var under_way = Carries();
    if RINGS == 1u {
        for (var h = 0u; h < HORIZONTAL; h++) {
            under_way[h] = load_word(frame, VERTICAL * LIMBS + HORIZONTAL + h, lane);
        }
    }
    keep_start(frame, lane, &v, carries, under_way);
    open_ring(lane, first, under_way);
    var rows = load_rows(frame.direction * params.strips + frame.strip, lane, params.strips * params.directions);
    for (var h = 0u; h < HORIZONTAL; h++) {
        for (var step = first + lane; step < end; step += LANES) {
            let word = load_above(frame, h, step);
            wg_above[h * STEPS + step - first] = word;
            keep_above(frame, h, u32(i32(step) - frame.begin), word);
        }
    }
    workgroupBarrier();

    // Phase 2: sweep. The codes of the next eight columns are loaded before these are used.
    var low = hand_on(lane, first, 0u, carries);
    var high = low;
    if HALVES == 2u {
        high = hand_on(lane, first, 1u, upper(carries));
    }
    var above = entering_at(0u);
    var next_block = load_block(first_block + first * (COLUMNS / 8u));
    for (var step = first; step < end; step++) {
        begin_step(step);
        keep_step(frame, lane, u32(i32(step) - frame.begin), &v, carries);
        if lane == 0u {
            low = above;
            high = upper(above);
        } else if from_ring(lane) {
            low = ring_words(lane, step);
            high = upper(low);
        }
        above = entering_at(step + 1u - first);
        keep_carries(frame, lane, u32(i32(step) - frame.begin), join(low, high));
        let inside = step - behind(lane) - words.x < words.y - words.x;
        let columns = Columns(first_block + step * (COLUMNS / 8u), inside || !(SKIPS || BANDED));
        let low_out = sweep_half(&v, &rows, &next_block, columns, 0u, low);
        low = hand_on(lane, step + 1u, 0u, low_out);
        carries = low_out;
        if HALVES == 2u {
            let high_out = sweep_half(&v, &rows, &next_block, columns, 1u, high);
            high = hand_on(lane, step + 1u, 1u, high_out);
            carries = join(low_out, high_out);
        }
        end_step(lane, step, carries);
        if lane == LANES - 1u && inside {
            for (var h = 0u; h < HORIZONTAL; h++) {
                store_below(frame, h, step, carries[h]);
            }
        }
    }

    // Phase 3: store.
    under_way = close_ring(lane, end);
    if RINGS == 1u {
        for (var h = 0u; h < HORIZONTAL; h++) {
            store_word(frame, VERTICAL * LIMBS + HORIZONTAL + h, lane, under_way[h]);
        }
    }
    for (var i = 0u; i < VERTICAL * LIMBS; i++) {
        store_word(frame, i, lane, v[i]);
    }
    for (var h = 0u; h < HORIZONTAL; h++) {
        store_word(frame, VERTICAL * LIMBS + h, lane, carries[h]);
    }
}
