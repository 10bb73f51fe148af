// pairs/traceback: best paths of pairs from the windows that pairs/bands has kept, one pair per lane.
//
// Tile:  32 columns of a limb of a window. Its columns are computed again, from the differences before
//        the first one and those that come from the limbs above it.
// Steps: from the last cell to row 0 or column 0. A step goes up if that is optimal; otherwise
//        diagonally if the symbols are equal or that is no worse than going left; otherwise left. All
//        best paths must be in the band: then these are the steps in the whole table.
// Runs:  a word per step up or left, in the order of the walk: twice the number of diagonal steps since
//        the one before, plus 1 for a step up. Diagonal steps at the end of the walk have a word, too.
//        A pair has words for one step more than its distance.
// Grid:  x: LANES entries each, from first_group on.
// Host:  src/pairs/gpu/traceback.rs.
struct Params {
    first_group: u32,
    entries: u32,
}

// First word of the query, and of the target; length of the query, and of the target.
@group(0) @binding(1) var<storage, read> entries: array<vec4<u32>>;
// First word of the kept windows; first word of the runs, and the end of their words; limbs of a window.
@group(0) @binding(2) var<storage, read> places: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> windows: array<u32>;
@group(0) @binding(4) var<storage, read> values: array<u32>;    // [entry]
@group(0) @binding(5) var<storage, read_write> runs: array<u32>;

const NO_PATH = ~0u;    // first run of a pair with another distance

struct Tile {
    up: array<u32, 32>,          // rows where a step up is optimal, by column
    diagonal: array<u32, 32>,    // rows where a diagonal step is no worse than one to the left
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
    let place = places[entry];
    if values[entry] != place.z - place.y - 1u {
        runs[place.y] = NO_PATH;
        return;
    }
    let limbs = i32(place.w);
    let row_words = i32((pair.z + 31u) / 32u);
    let blocks = i32((pair.w + 31u) / 32u);
    let column_padding = 32 * blocks - i32(pair.w);
    let skew = i32(pair.w) - i32(pair.z);
    let slack = (32 * (limbs - 1) - max(skew, -skew)) / 2;
    let padding = slack + max(skew, 0) + column_padding;
    let first_row = 32 * row_words - i32(pair.z) - padding;
    let shift = u32(first_row) & 31u;

    var tile: Tile;
    var i = i32(pair.z);
    var j = i32(pair.w);
    var run = 0u;
    var next = place.y;
    while i > 0 && j > 0 {
        let column = column_padding + j - 1;
        let block = column >> 5u;
        let row = i - 1 + padding - 32 * block;
        let limb = row >> 5u;

        // Phase 1: the columns of the tile.
        let text = load(pair.y, blocks, block);
        var plus = select(~0u, ~0u << u32(column_padding), block == 0);
        var minus = 0u;
        var word = (first_row >> 5u) + block;
        var low = load(pair.x, row_words, word);
        var kept = place.x + u32(block * limbs) * 2u * LANES;
        for (var above = 0; above <= limb; above++) {
            word++;
            let high = load(pair.x, row_words, word);
            var rows: Planes;
            for (var plane = 0u; plane < PLANES; plane++) {
                rows[plane] = joined(low[plane], high[plane], shift);
            }
            low = high;
            var vp = windows[kept];
            var vn = windows[kept + LANES];
            kept += 2u * LANES;
            var plus_below = 0u;
            var minus_below = 0u;
            for (var k = 0u; k < 32u; k++) {
                var mask = ~0u;
                for (var plane = 0u; plane < PLANES; plane++) {
                    mask &= ~(rows[plane] ^ spread(text[plane], k));
                }
                let t = mask & vp;
                let s = t + vp + ((minus >> k) & 1u);
                let hn_above = s ^ t ^ vp;
                let d0 = mask | vn | hn_above;
                let hp_here = vn | ~(d0 | vp);
                let hp_above = (hp_here << 1u) | ((plus >> k) & 1u);
                plus_below |= (hp_here >> 31u) << k;
                minus_below |= ((t | (vp & ~s)) >> 31u) << k;
                if above == limb {
                    tile.diagonal[k] = mask | ~vn;
                }
                vp = hn_above | ~(d0 | hp_above);
                vn = hp_above & d0;
                if above == limb {
                    tile.up[k] = vp;
                }
            }
            plus = plus_below;
            minus = minus_below;
        }

        // Phase 2: steps in the tile.
        var k = column & 31;
        var bit = row & 31;
        while k >= 0 && bit >= 0 && i > 0 && j > 0 {
            let is_up = ((tile.up[k] >> u32(bit)) & 1u) == 1u;
            if !is_up && ((tile.diagonal[k] >> u32(bit)) & 1u) == 1u {
                i--;
                j--;
                bit--;
                k--;
                run++;
                continue;
            }
            if next < place.z {
                runs[next] = 2u * run + u32(is_up);
                next++;
            }
            run = 0u;
            if is_up {
                i--;
                bit--;
            } else {
                j--;
                k--;
            }
        }
    }
    if run > 0u && next < place.z {
        runs[next] = 2u * run;
    }
}
