// diagonal_transition/wavefronts: computes several wavefronts of furthest-reaching points from both
// ends, over a range of diagonals.
//
// Recurrence: reach(e, k) = slide(start of the part above), for diagonal k = i - j and distance e
//             (Ukkonen 1985, doi:10.1016/S0019-9958(85)80046-2; Myers 1986,
//             doi:10.1007/BF01840446).
// Directions: the other direction starts at the end; its rows are the columns of this one, so
//             diagonal k is its k - rows + columns. Wavefronts of both at distances d and e overlap
//             on a diagonal only if the whole distance is at most d + e.
// Indices:    index of diagonal SPACING * index - e, so that a point depends on its own index and
//             on BACK indices before it.
// Grid:       one lane per index; workgroups alternate between the directions, in one pass or in
//             several. The first HALO lanes overlap the last ones of the previous workgroup.
// Phases:     per wavefront: 1 every lane slides over a few windows of symbols, 2 all lanes jointly
//             continue unfinished slides.
// Points:     row plus one; 0 for none. Points outside of a stored wavefront, or left of a
//             workgroup, count as none. So no point is too far, and a point is exact if the BACK *
//             wavefronts indices before it were stored.
// Padding:    at least two words after each sequence; their symbols do not count.
// Parts:      levenshtein.wgsl or indel.wgsl. Host: src/sequences/diagonal_transition/gpu/plan.rs.
const HALO = BACK * WAVEFRONTS;
// Symbols of a 32-bit window.
const SYMBOLS = 32u / BITS;
// Windows per lane in phase 1.
const ALONE = 2u;
// Symbols per joint step of all lanes.
const STRIDE = LANES * SYMBOLS;
const NONE = 0xffffffffu;
// Marks a missing point; stays far below 0 after WAVEFRONTS increments.
const UNREACHED = -0x40000000i;
// Length of a wavefront in the double buffer: BACK entries that no lane owns, then one per lane.
const REACHES = BACK + LANES;

struct Params {
    rows: u32,
    columns: u32,
    kept: u32,          // stored wavefronts per direction
    distance: u32,      // of the wavefront to start from
    wavefronts: u32,    // number to compute, at most WAVEFRONTS
    first: u32,         // first index of the last wavefront
    first_back: u32,    // the same in the other direction
    first_group: u32,   // of each direction in this pass
    every: u32,         // distances between stored wavefronts, a power of two
    slid: u32,          // rows reached at distance 0
    slid_back: u32,
    end_group: u32,     // end of each direction's workgroups in this pass
}

struct Kept {
    at: u32,            // start of the wavefront in `points`
    first: u32,         // its first index
    count: u32,
}

// One direction of the table.
struct Side {
    rows: u32,
    columns: u32,
    rows_from: u32,     // start of the rows' symbols
    columns_from: u32,
    kept_from: u32,
}

// [direction]: [rows * BITS / 32], two words of padding, the same of columns
@group(0) @binding(0) var<storage, read> symbols: array<u32>;
@group(0) @binding(1) var<storage, read> kept: array<Kept>;              // [direction] by distance
@group(0) @binding(2) var<storage, read_write> points: array<u32>;       // stored wavefronts
// [1]: distance at which both directions overlap
@group(0) @binding(3) var<storage, read_write> met: array<atomic<u32>>;

var<workgroup> wg_met: u32;
var<workgroup> wg_reach: array<i32, 2 * REACHES>;
var<workgroup> wg_waiting: array<atomic<u32>, 3>;
var<workgroup> wg_lane: array<u32, LANES>;
var<workgroup> wg_equal: atomic<u32>;

// One window of symbols, starting at symbol `at` of the sequence whose words begin at `first`.
fn window(first: u32, at: u32) -> u32 {
    let word = first + at / SYMBOLS;
    let shift = at % SYMBOLS * BITS;
    return (symbols[word] >> shift) | ((symbols[word + 1u] << (31u - shift)) << 1u);
}

// Number of equal symbols at the start of two windows.
fn equal_symbols(side: Side, i: u32, j: u32) -> u32 {
    return min(countTrailingZeros(window(side.rows_from, i) ^ window(side.columns_from, j)), 32u) / BITS;
}

// Words of `count` symbols, including padding.
fn words_of(count: u32) -> u32 {
    return (count + SYMBOLS - 1u) / SYMBOLS + 2u;
}

fn side_of(direction: u32) -> Side {
    let rows = words_of(params.rows);
    let columns = words_of(params.columns);
    if direction == 0u {
        return Side(params.rows, params.columns, 0u, rows, 0u);
    }
    return Side(params.columns, params.rows, rows + columns, rows + 2u * columns, params.kept);
}

// Index of the stored wavefront to start from.
fn kept_before() -> u32 {
    return params.distance >> countTrailingZeros(params.every);
}

// Position of an index in a stored wavefront; NONE if there is none.
fn place_of(index: i32, wavefront: u32) -> u32 {
    let kept = kept[wavefront];
    let place = u32(index - i32(kept.first));
    return select(NONE, kept.at + place, place < kept.count);
}

// True if the opposite direction, at this distance, has a point of this index at or after the
// column.
fn meets(column: u32, index: i32) -> bool {
    let place = place_of(index, params.kept + kept_before());
    // A point is the row plus one; rows of the opposite direction are columns here.
    return place != NONE && points[place] > 0u && column + points[place] > params.columns;
}

// True if the point of an index overlaps one of the opposite direction. If the two directions share
// no diagonal, neighbours are compared.
fn overlaps(index: i32, point: u32) -> bool {
    let skew = i32(params.rows) - i32(params.columns);
    let column = u32(i32(point - 1u) - (SPACING * index - i32(params.distance)));
    let other = index - (skew >> (u32(SPACING) - 1u));
    let apart = (skew & (SPACING - 1)) != 0;
    return meets(column, other) || (apart && meets(column + 1u, other - 1));
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let direction = group.x % 2u;
    let part = params.first_group + group.x / 2u;
    if part >= params.end_group {
        return;
    }
    let side = side_of(direction);
    let kept_from = side.kept_from + kept_before();
    if lane < 3u {
        atomicStore(&wg_waiting[lane], 0u);
    }
    if lane < BACK {
        wg_reach[lane] = UNREACHED;
        wg_reach[REACHES + lane] = UNREACHED;
    }
    let first = select(params.first, params.first_back, direction == 1u);
    let index = i32(first + part * (LANES - HALO) + lane) - i32(HALO);
    var point = 0u;
    if params.distance == 0u {
        let slid = select(params.slid, params.slid_back, direction == 1u);
        point = select(0u, slid + 1u, index == 0);
    } else {
        let place = place_of(index, kept_from);
        if place != NONE {
            point = points[place];
        }
    }
    var before = BACK + lane;
    var now = REACHES + before;
    wg_reach[before] = select(UNREACHED, i32(point), point > 0u);
    // Stop if the directions met in an earlier pass. If they meet now, everything needed has been
    // stored.
    if params.distance > 0u && direction == 0u && point > 0u && overlaps(index, point) {
        atomicMin(&met[0], params.distance);
    }
    if lane == 0u {
        wg_met = atomicLoad(&met[0]);
    }
    if workgroupUniformLoad(&wg_met) <= params.distance {
        return;
    }

    var diagonal = SPACING * index - i32(params.distance);
    for (var wavefront = 1u; wavefront <= params.wavefronts; wavefront++) {
        diagonal -= 1;
        let begin = start(before);
        let inside = begin > 0 && diagonal >= -i32(side.columns) && diagonal <= i32(side.rows);

        // Phase 1: a few windows, where most slides end. A step past the last row or column stays
        //          at the end of its diagonal.
        var reach = UNREACHED;
        var rest = 0u;
        if inside {
            let last = min(side.rows, u32(i32(side.columns) + diagonal));
            var row = min(u32(begin) - 1u, last);
            rest = last - row;
            for (var slide = 0u; slide < ALONE && rest > 0u; slide++) {
                let equal = min(equal_symbols(side, row, u32(i32(row) - diagonal)), rest);
                row += equal;
                rest = select(0u, rest - equal, equal == SYMBOLS);
            }
            reach = i32(row + 1u);
        }
        wg_reach[now] = reach;
        if rest > 0u {
            wg_lane[atomicAdd(&wg_waiting[wavefront % 3u], 1u)] = lane;
        }
        if lane == 0u {
            atomicStore(&wg_waiting[(wavefront + 1u) % 3u], 0u);
        }

        // Phase 2: unfinished slides one after the other, one window per lane. After a full stride
        //          the loop continues; the next stride finds the end.
        let waiting = workgroupUniformLoad(&wg_waiting[wavefront % 3u]);
        for (var slide = 0u; slide < waiting; slide++) {
            let other = wg_lane[slide];
            let place = now + other - lane;
            let along = diagonal + SPACING * (i32(other) - i32(lane));
            let end = min(side.rows, u32(i32(side.columns) + along));
            var equal = STRIDE;
            while equal == STRIDE {
                if lane == 0u {
                    atomicStore(&wg_equal, min(end + 1u - u32(wg_reach[place]), STRIDE));
                }
                workgroupBarrier();
                let first = u32(wg_reach[place]) - 1u;
                let mine = first + lane * SYMBOLS;
                if mine < end {
                    let own = equal_symbols(side, mine, u32(i32(mine) - along));
                    if own < SYMBOLS {
                        atomicMin(&wg_equal, lane * SYMBOLS + own);
                    }
                }
                equal = workgroupUniformLoad(&wg_equal);
                if lane == 0u {
                    wg_reach[place] = i32(first + equal + 1u);
                }
            }
        }
        // Lane 0 may have written the result of another lane's slide.
        if waiting > 0u {
            workgroupBarrier();
            reach = wg_reach[now];
        }
        // Overlapping lanes belong to the previous workgroup, except in the first one, where a
        // wavefront may begin.
        if (wavefront & (params.every - 1u)) == 0u && lane >= select(HALO, BACK * wavefront, part == 0u) {
            let place = place_of(index, kept_from + wavefront / params.every);
            if place != NONE {
                points[place] = u32(max(reach, 0));
            }
        }
        let made = now;
        now = before;
        before = made;
    }
}
