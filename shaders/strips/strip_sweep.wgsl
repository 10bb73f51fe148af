// strips/strip_sweep: advances every active strip of the LCS table by one pass of column words.
//
// Recurrence (Hyyro 2004, limbs of Crochemore et al. 2001, doi:10.1016/S0020-0190(00)00209-X), V = vertical differences,
//   0 where L grows:  u = V & M,  s = V + u + carry,  V' = s | (V & ~u).
// Guard:    a limb holds ROWS = 31 rows; bit 31 is a row that never matches, so V keeps it 1 and s shows the inverse of the
//           carry there. With w = ~u and none = carry - 1:  s = V - w + none,  the next none = s >> 31 (arithmetic).
// Grid:     one workgroup a strip of LANES lanes, LIMBS limbs a lane; lane l works on column word (step - l), so that
//           a carry word moves up one lane a step, and strip s lags strip s-1 by params.lag steps. In z, one table a
//           direction: a length alone is found from both ends at once, which halves the longest chain of steps.
// Phases:   1 load limbs, match masks and incoming carries, 2 sweep the steps, 3 store limbs and the carry word in flight.
// Boundary: above[] holds the carry words below the last finished strip, overwritten in place: lag >= STEPS + LANES - 1 keeps
//           a pass from reading a word that the same pass writes.
// Padding:  columns before the first and after the last word have code 0 and no carry: they change nothing.
// Parts:    hand_over_*.wgsl, match_*.wgsl, history_*.wgsl. Host: src/strips/gpu/plan.rs.
struct Params {
    first_strip: u32,    // of this pass
    last_strip: u32,     // inclusive
    strips: u32,         // of the table
    words: u32,          // column words of the table
    pass_step: u32,      // steps before this pass, at strip 0
    lag: u32,            // steps between neighbouring strips
    column_blocks: u32,  // blocks of eight columns of one direction, padding included
    slot_strip: u32,     // history: first strip of the slot
    slot_words: u32,     // history: where the slot starts in its buffer
    slot_step: u32,      // history: steps of the slot before this pass
}
var<immediate> params: Params;

@group(0) @binding(0) var<storage, read_write> state: array<u32>;    // [direction][strip][LIMBS + 1][lane]: limbs, carry in flight
@group(0) @binding(3) var<storage, read_write> above: array<u32>;    // [direction][LANES + words + LANES] carry words

var<workgroup> wg_above: array<u32, STEPS>;    // the carry words that enter the strip in this pass

// One column through all limbs of the lane. Returns the all-ones word where no carry leaves the last limb, else 0.
fn sweep_column(v: ptr<function, array<u32, LIMBS>>, rows: ptr<function, Rows>, block: Block, k: u32, none_in: u32) -> u32 {
    var column = open_column(rows, block, k);
    var none = bitcast<u32>(bitcast<i32>(none_in << (31u - k)) >> 31u);
    for (var limb = 0u; limb < LIMBS; limb++) {
        let w = ~matching(rows, &column, limb, (*v)[limb]);
        let s = (*v)[limb] - w + none;
        none = bitcast<u32>(bitcast<i32>(s) >> 31u);
        (*v)[limb] = s | ((*v)[limb] & w);
    }
    return none;
}

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
    let base = table_strip * (LIMBS + 1u) * LANES + lane;
    let first_above = group.z * (params.words + 2u * LANES) + LANES;
    let first_block = group.z * params.column_blocks + (LANES - lane) * (COLUMNS / 8u);
    var v: array<u32, LIMBS>;
    for (var limb = 0u; limb < LIMBS; limb++) {
        v[limb] = state[base + limb * LANES];
    }
    var carries = state[base + LIMBS * LANES];
    var rows = load_rows(table_strip, lane, params.strips * groups.z);
    if begin >= 0 {
        keep_state(strip, lane, &v, carries);
    }

    for (var step = first + lane; step < end; step += LANES) {
        wg_above[step - first] = above[first_above + step];
    }
    workgroupBarrier();

    // Phase 2: sweep. The codes of the next eight columns are loaded before these are used.
    var next_block = load_block(first_block + first * (COLUMNS / 8u));
    for (var step = first; step < end; step++) {
        carries = hand_over(lane, step, carries);
        if lane == 0u {
            carries = wg_above[step - first];
        }
        keep_carries(strip, lane, u32(i32(step) - begin), carries);
        let none_in = ~carries;
        carries = 0u;
        for (var k = 0u; k < COLUMNS; k += 8u) {
            let block = next_block;
            next_block = load_block(first_block + step * (COLUMNS / 8u) + k / 8u + 1u);
            let none = none_in >> k;
            var out = sweep_column(&v, &rows, block, 0u, none) & 1u;
            out |= sweep_column(&v, &rows, block, 1u, none) & 2u;
            out |= sweep_column(&v, &rows, block, 2u, none) & 4u;
            out |= sweep_column(&v, &rows, block, 3u, none) & 8u;
            out |= sweep_column(&v, &rows, block, 4u, none) & 16u;
            out |= sweep_column(&v, &rows, block, 5u, none) & 32u;
            out |= sweep_column(&v, &rows, block, 6u, none) & 64u;
            out |= sweep_column(&v, &rows, block, 7u, none) & 128u;
            carries |= (~out & 255u) << k;
        }
        if lane == LANES - 1u {
            above[first_above + 1u + step - LANES] = carries;
        }
    }

    // Phase 3: store.
    for (var limb = 0u; limb < LIMBS; limb++) {
        state[base + limb * LANES] = v[limb];
    }
    state[base + LIMBS * LANES] = carries;
}
