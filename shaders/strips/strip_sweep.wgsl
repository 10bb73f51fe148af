// strips/strip_sweep: advances every active strip of a table by one pass of column words.
//
// Recurrence: sweep_eight of the part <problem>/limbs.wgsl, on VERTICAL vectors of differences a limb; HORIZONTAL bits a column
//           go from limb to limb and from lane to lane, COLUMNS of each in a carry word.
// Grid:     one workgroup a strip of LANES lanes, LIMBS limbs a lane; lane l works on column word (step - l), so that
//           carry words move up one lane a step, and strip s lags strip s-1 by params.lag steps. In z, one table a
//           direction: a length alone is found from both ends at once, which halves the longest chain of steps.
// Phases:   1 load differences, match masks and incoming carries, 2 sweep the steps, 3 store differences and the carry words
//           in flight.
// Boundary: above[] holds the carry words below the last finished strip, overwritten in place: lag >= STEPS + LANES - 1 keeps
//           a pass from reading a word that the same pass writes.
// Padding:  the first word starts with columns of code 0 and no carry in, which change nothing; words outside the table are
//           skipped, LANES words before and after each direction only keep loads in range.
// Parts:    hand_over_*.wgsl, match_*.wgsl, limbs.wgsl, history_*.wgsl. Host: src/strips/gpu/plan.rs.
struct Params {
    first_strip: u32,    // of this pass
    last_strip: u32,     // inclusive
    strips: u32,         // of the table
    words: u32,          // column words of the table
    pass_step: u32,      // steps before this pass, at strip 0
    lag: u32,            // steps between neighbouring strips
    column_blocks: u32,  // blocks of eight columns of one direction, padding included
    slot_strip: u32,     // history: first strip of the slot
    slot_strips: u32,    // history: strips of the slot
    slot_words: u32,     // history: where the slot starts in its buffer
    slot_step: u32,      // history: steps of the slot before this pass
}
var<immediate> params: Params;

const LANE_WORDS = VERTICAL * LIMBS + HORIZONTAL;

@group(0) @binding(0) var<storage, read_write> state: array<u32>;    // [direction][strip][LANE_WORDS][lane]
@group(0) @binding(3) var<storage, read_write> above: array<u32>;    // [HORIZONTAL][direction][LANES + words + LANES]

var<workgroup> wg_above: array<u32, HORIZONTAL * STEPS>;    // the carry words that enter the strip in this pass

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let strip = params.first_strip + group.y * groups.x + group.x;
    if strip > params.last_strip {
        return;
    }
    let begin = i32(params.pass_step) - i32(strip * params.lag);
    let first = u32(max(begin, 0));
    let end = u32(clamp(begin + i32(STEPS), 0, i32(params.words + LANES - 1u)));

    // Phase 1: load.
    let table_strip = group.z * params.strips + strip;
    let base = table_strip * LANE_WORDS * LANES + lane;
    let direction_words = params.words + 2u * LANES;
    let first_above = group.z * direction_words + LANES;
    let first_block = group.z * params.column_blocks + (LANES - lane) * (COLUMNS / 8u);
    var v: Differences;
    for (var i = 0u; i < VERTICAL * LIMBS; i++) {
        v[i] = state[base + i * LANES];
    }
    var carries: Carries;
    for (var h = 0u; h < HORIZONTAL; h++) {
        carries[h] = state[base + (VERTICAL * LIMBS + h) * LANES];
    }
    var rows = load_rows(table_strip, lane, params.strips * groups.z);
    if begin >= 0 {
        keep_state(group.z, strip, lane, &v, carries);
    }

    for (var h = 0u; h < HORIZONTAL; h++) {
        for (var step = first + lane; step < end; step += LANES) {
            wg_above[h * STEPS + step - first] = above[h * groups.z * direction_words + first_above + step];
        }
    }
    workgroupBarrier();

    // Phase 2: sweep. The codes of the next eight columns are loaded before these are used.
    var next_block = load_block(first_block + first * (COLUMNS / 8u));
    for (var step = first; step < end; step++) {
        for (var h = 0u; h < HORIZONTAL; h++) {
            carries[h] = hand_over(lane, step * HORIZONTAL + h, carries[h]);
            if lane == 0u {
                carries[h] = wg_above[h * STEPS + step - first];
            }
        }
        keep_carries(group.z, strip, lane, u32(i32(step) - begin), carries);
        let inside = step - lane < params.words;
        let entering = carries;
        carries = Carries();
        for (var k = 0u; k < COLUMNS; k += 8u) {
            let block = next_block;
            next_block = load_block(first_block + step * (COLUMNS / 8u) + k / 8u + 1u);
            if inside {
                var eight = entering;
                for (var h = 0u; h < HORIZONTAL; h++) {
                    eight[h] >>= k;
                }
                eight = sweep_eight(&v, &rows, block, eight);
                for (var h = 0u; h < HORIZONTAL; h++) {
                    carries[h] |= eight[h] << k;
                }
            }
        }
        if lane == LANES - 1u {
            for (var h = 0u; h < HORIZONTAL; h++) {
                above[h * groups.z * direction_words + first_above + 1u + step - LANES] = carries[h];
            }
        }
    }

    // Phase 3: store.
    for (var i = 0u; i < VERTICAL * LIMBS; i++) {
        state[base + i * LANES] = v[i];
    }
    for (var h = 0u; h < HORIZONTAL; h++) {
        state[base + (VERTICAL * LIMBS + h) * LANES] = carries[h];
    }
}
