// substring/neighbours: compares neighbouring windows after sorting by hash.
//
// Rule:     for a pair with equal hashes that follows the same symbol in both texts only the last
//           symbols are compared. The pair one symbol earlier has equal hashes too, so it is in one
//           group. If windows of a group differ somewhere, a pair of its neighbours differs there.
//           A full comparison finds that; otherwise a pair of the group one symbol earlier differs
//           one position later, and eventually in the last symbol. So if no pair differs, all
//           groups consist of equal windows.
// Grid:     a few workgroups; each takes windows in turn. The first window of a chunk is compared
//           with the last of the previous chunk.
// Result:   counts in `control`; a bit in `marks` for the hash of each pair from two texts; pairs
//           too long for one lane in `pairs`.
// Parts:    codes.wgsl, mix.wgsl, groups.wgsl. Host: src/papers/sort_and_scan/plan.rs.
// Maximum words of a pair that one lane compares.
const SHORT = 32u;

struct Params {
    first: u32,         // position of the chunk among all windows
    begin: u32,         // range of windows of the chunk to compare with their predecessors
    end: u32,
    before_last: u32,   // index of the last window of the previous chunk
    symbols: u32,       // of a window
    pairs: u32,         // capacity of `pairs`
    shift: u32,         // from a hash to a bit of `marks`
    compares: u32,      // nonzero if the codes of all texts are bound
}

// [windows of the chunk]
@group(0) @binding(0) var<storage, read> keys: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> positions: array<u32>;
// [windows of the previous chunk]
@group(0) @binding(2) var<storage, read> keys_before: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> positions_before: array<u32>;
@group(0) @binding(5) var<storage, read_write> marks: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> pairs: array<vec2<u32>>;     // [positions of both]

var<workgroup> wg_counts: array<atomic<u32>, 3>;

// Index of the text that contains a position.
fn text_of(position: u32) -> u32 {
    var text = 0u;
    var end = atomicLoad(&control[TEXTS]);
    while end - text > 1u {
        let middle = (text + end) / 2u;
        if atomicLoad(&control[STARTS + middle]) <= position {
            text = middle;
        } else {
            end = middle;
        }
    }
    return text;
}

fn mark(key: vec2<u32>) {
    let place = hash_of(key, 0u) >> params.shift;
    let bit = 1u << (place & 31u);
    if (atomicLoad(&marks[place >> 5u]) & bit) == 0u {
        atomicOr(&marks[place >> 5u], bit);
    }
}

const EQUAL = 0u;
const DIFFERENT = 1u;
const UNKNOWN = 2u;

// Compares a pair of windows.
fn compare(one: u32, other: u32, follows: bool) -> u32 {
    if params.compares == 0u {
        return UNKNOWN;
    }
    let last = params.symbols - 1u;
    if follows && code_at(one - 1u) == code_at(other - 1u) {
        return u32(code_at(one + last) != code_at(other + last));
    }
    let end = place_of(params.symbols);
    let words = end.x + u32(end.y > 0u);
    if words > SHORT {
        let slot = atomicAdd(&control[PAIRS], 1u);
        if slot >= params.pairs {
            return UNKNOWN;
        }
        pairs[slot] = vec2<u32>(one, other);
        return EQUAL;
    }
    let from_one = place_of(one);
    let from_other = place_of(other);
    var different = false;
    for (var word = 0u; word < words; word++) {
        different |= differ(from_one, from_other, word, end);
    }
    return u32(different);
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    if lane < 3u {
        atomicStore(&wg_counts[lane], 0u);
    }
    workgroupBarrier();

    let sorted = atomicLoad(&control[SORTED]);
    let here = min(max(sorted, params.first) - params.first, params.end);
    var counts = array<u32, 3>();
    for (var at = params.begin + id.x; at < here; at += groups.x * LANES) {
        if at == 0u && params.first == 0u {
            continue;
        }
        let key = keys[at];
        var other_key = keys_before[params.before_last];
        if at > 0u {
            other_key = keys[at - 1u];
        }
        if any(key != other_key) {
            continue;
        }
        var other = positions_before[params.before_last];
        if at > 0u {
            other = positions[at - 1u];
        }
        let one = positions[at];
        let text_one = text_of(one);
        let text_other = text_of(other);
        if text_one != text_other {
            counts[0] += 1u;
            mark(key);
        }
        let follows = one > atomicLoad(&control[STARTS + text_one]) && other > atomicLoad(&control[STARTS + text_other]);
        let compared = compare(one, other, follows);
        counts[1] += u32(compared == DIFFERENT);
        counts[2] += u32(compared == UNKNOWN);
    }
    for (var i = 0u; i < 3u; i++) {
        atomicAdd(&wg_counts[i], counts[i]);
    }
    workgroupBarrier();
    if lane < 3u {
        atomicAdd(&control[MIXED + lane], atomicLoad(&wg_counts[lane]));
    }
}
