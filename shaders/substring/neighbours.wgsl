// substring/neighbours: compares windows that lie side by side once they are sorted by their hashes.
//
// Rule:     of a pair with one hash that follows the same symbol in both texts only the last symbols are compared: the pair one symbol
//           before has one hash, too, and so it is in one group. Windows of a group that differ at some place make a pair of its
//           neighbours differ there; if that is compared as a whole, it is noticed, else a pair of the group one symbol before
//           differs one place later, and at last in the last symbol. So where no pair is found to differ all groups are of equal windows.
// Grid:     a few workgroups, each takes windows in turn. The first of a chunk is compared with the last of the chunk before.
// Result:   counts in `control`; a bit in `marks` for the hash of each pair from two texts; pairs too long for a lane in `pairs`.
// Parts:    codes.wgsl, mix.wgsl, groups.wgsl. Host: src/substring/gpu/groups/plan.rs.
// Words of a pair that a lane compares.
const SHORT = 32u;

struct Params {
    first: u32,         // of the chunk, among all windows
    begin: u32,         // the windows of the chunk that are compared with those before them
    end: u32,
    before_last: u32,   // place of the last one of the chunk before
    symbols: u32,       // of a window
    pairs: u32,         // that `pairs` holds
    shift: u32,         // from a hash to a bit of `marks`
    compares: u32,      // whether codes are those of all texts
}

@group(0) @binding(0) var<storage, read> keys: array<vec2<u32>>;            // [windows of the chunk]
@group(0) @binding(1) var<storage, read> positions: array<u32>;
@group(0) @binding(2) var<storage, read> keys_before: array<vec2<u32>>;     // [windows of the chunk before]
@group(0) @binding(3) var<storage, read> positions_before: array<u32>;
@group(0) @binding(5) var<storage, read_write> marks: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> pairs: array<vec2<u32>>;     // [positions of both]

var<workgroup> wg_counts: array<atomic<u32>, 3>;

// The text that a position is in.
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

// What a pair is found to be.
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
