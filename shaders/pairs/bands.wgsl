// pairs/bands: edit distances of pairs within a band around the diagonal, one pair per lane.
//
// Recurrence: as in edit_distance/limbs.wgsl, by limbs of 32 rows without a guard row.
// Window:     LIMBS limbs of rows. It moves down by one limb every 32 columns, so that it has the
//             diagonals from `slack` before the first of the diagonals of the two corners to `slack`
//             behind the last (Ukkonen 1985, doi:10.1016/S0019-9958(85)80046-2). Distances grow by 1
//             per column above the window and by 1 per row below it. So no value is too low, and
//             one of at most `proven` is exact: a path that leaves the band costs at least that.
// Strings:    bit planes. Rows outside the query are equal to row 0 above it.
// Padding:    columns before the target are equal to column 0.
// Ends early: when a column has no value up to the bound.
// Grid:       x: LANES entries each, from first_group on. Entries of a workgroup have targets of
//             similar lengths.
// Phases:     1 load the window, 2 sweep blocks of 32 columns, 3 store.
// Host:       src/pairs/gpu/bands.rs.
struct Params {
    first_group: u32,
    entries: u32,
    most: u32,           // greater values are not of interest
}

// First word of the query, and of the target; length of the query, and of the target.
@group(0) @binding(1) var<storage, read> entries: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> values: array<u32>;    // [entry]

const BEYOND = ~0u;    // value of a pair that ended early

struct Window {
    vp: array<u32, LIMBS>,    // rows where the distance grows downwards
    vn: array<u32, LIMBS>,    // rows where it shrinks
    planes: array<u32, PLANES * LIMBS>,
}

// Low `rows` bits of limb `limb`.
fn low_rows(rows: i32, limb: u32) -> u32 {
    let here = clamp(rows - i32(32u * limb), 0, 32);
    return select((1u << u32(here)) - 1u, ~0u, here == 32);
}

// Sweeps column k of a block; bit k of `entering` is the difference above the window.
fn sweep_column(window: ptr<function, Window>, text: ptr<function, Planes>, entering: u32, k: u32) {
    var column: Planes;
    for (var plane = 0u; plane < PLANES; plane++) {
        column[plane] = spread((*text)[plane], k);
    }
    var hp = (entering >> k) & 1u;
    var hn = 0u;
    for (var limb = 0u; limb < LIMBS; limb++) {
        let vp = (*window).vp[limb];
        let vn = (*window).vn[limb];
        var mask = ~0u;
        for (var plane = 0u; plane < PLANES; plane++) {
            mask &= ~((*window).planes[plane * LIMBS + limb] ^ column[plane]);
        }
        let t = mask & vp;
        let s = t + vp + hn;
        hn = (t | (vp & ~s)) >> 31u;
        let hn_above = s ^ t ^ vp;
        let d0 = mask | vn | hn_above;
        let hp_here = vn | ~(d0 | vp);
        let hp_above = (hp_here << 1u) | hp;
        hp = hp_here >> 31u;
        (*window).vp[limb] = hn_above | ~(d0 | hp_above);
        (*window).vn[limb] = hp_above & d0;
    }
}

// Lower bound of the values of a column; `above` is the one above the window.
fn least(window: ptr<function, Window>, above: u32) -> u32 {
    var value = i32(above);
    var bound = value;
    for (var limb = 0u; limb < LIMBS; limb++) {
        let before = value;
        value += i32(countOneBits((*window).vp[limb])) - i32(countOneBits((*window).vn[limb]));
        // Values of consecutive rows differ by at most 1.
        bound = min(bound, (before + value - 32) / 2);
    }
    return u32(max(bound, 0));
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let entry = (params.first_group + group.x) * LANES + lane;
    if entry >= params.entries {
        return;
    }
    let pair = entries[entry];
    let row_words = i32((pair.z + 31u) / 32u);
    let blocks = i32((pair.w + 31u) / 32u);
    let row_padding = 32 * row_words - i32(pair.z);
    let column_padding = 32 * blocks - i32(pair.w);
    let skew = i32(pair.w) - i32(pair.z);
    let slack = (i32(32u * (LIMBS - 1u)) - max(skew, -skew)) / 2;
    let proven = u32(2 * slack + max(skew, -skew) + 2);
    let bound = min(proven, params.most - 1u);

    // Phase 1: rows of the window, the first of which is `padding` rows before the query.
    let padding = slack + max(skew, 0) + column_padding;
    let first_row = row_padding - padding;
    let shift = u32(first_row) & 31u;
    var next_word = first_row >> 5u;
    var low = load(pair.x, row_words, next_word);
    var window: Window;
    for (var limb = 0u; limb < LIMBS; limb++) {
        next_word++;
        let high = load(pair.x, row_words, next_word);
        for (var plane = 0u; plane < PLANES; plane++) {
            window.planes[plane * LIMBS + limb] = joined(low[plane], high[plane], shift);
        }
        low = high;
        window.vp[limb] = ~low_rows(padding, limb);
    }

    // Phase 2: sweep.
    var above = 0u;    // value above the window
    var entering = ~0u << u32(column_padding);
    var block = 0;
    loop {
        keep_window(entry, u32(block), &window);
        var text = load(pair.y, blocks, block);
        for (var k = 0u; k < 32u; k += 4u) {
            sweep_column(&window, &text, entering, k);
            sweep_column(&window, &text, entering, k + 1u);
            sweep_column(&window, &text, entering, k + 2u);
            sweep_column(&window, &text, entering, k + 3u);
        }
        above += countOneBits(entering);
        entering = ~0u;
        block++;
        if block == blocks {
            break;
        }
        if least(&window, above) > bound {
            values[entry] = BEYOND;
            return;
        }
        above += countOneBits(window.vp[0]) - countOneBits(window.vn[0]);
        next_word++;
        let high = load(pair.x, row_words, next_word);
        for (var limb = 0u; limb < LIMBS - 1u; limb++) {
            window.vp[limb] = window.vp[limb + 1u];
            window.vn[limb] = window.vn[limb + 1u];
            for (var plane = 0u; plane < PLANES; plane++) {
                window.planes[plane * LIMBS + limb] = window.planes[plane * LIMBS + limb + 1u];
            }
        }
        window.vp[LIMBS - 1u] = ~0u;
        window.vn[LIMBS - 1u] = 0u;
        for (var plane = 0u; plane < PLANES; plane++) {
            window.planes[plane * LIMBS + LIMBS - 1u] = joined(low[plane], high[plane], shift);
        }
        low = high;
    }

    // Phase 3: the value of the last row.
    let rows = 32 + slack + max(-skew, 0);
    for (var limb = 0u; limb < LIMBS; limb++) {
        let counted = low_rows(rows, limb);
        above += countOneBits(window.vp[limb] & counted) - countOneBits(window.vn[limb] & counted);
    }
    values[entry] = above;
}
