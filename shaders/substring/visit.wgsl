// substring/visit: drops windows whose keys are missing in one bitmap, and marks the keys of the
// rest in the next.
//
// Filter:   Bloom (1970, doi:10.1145/362686.362692) with one hash per bitmap: a marked key is never
//           dropped.
// Grid:     one lane per stretch of 32 windows; its survivors are the bits of one word.
// Phases:   1 the windows of a stretch, 2 the sum of the remaining windows of a workgroup.
// Marking:  a bit that is already set is only read, so that texts with few keys do not contend for
//           one word.
// Parts:    packed_windows.wgsl or hashed_windows.wgsl, modular.wgsl, mix.wgsl, control.wgsl.
// Host:     src/substring/gpu/plan.rs.
const TESTS = 1u;         // modes: there is a bitmap to test against
const CONTINUES = 2u;     // modes: the text was visited before
const PARTITION_SEED = 0x51ed270bu;

struct Params {
    first: u32,       // first stretch of the pass, in the chunk
    end: u32,
    windows: u32,     // windows that start in the chunk
    head: u32,
    count: u32,       // counter in `control` of the remaining windows
    // Flags, from bit 8 on the shift of hashes, from bit 16 on the bits of a partition number.
    modes: u32,
    keys: u32,        // partition of the keys that this pass handles
    test_seed: u32,
    mark_seed: u32,
    power_low: u32,
    power_high: u32,
    rest: u32,
}

@group(0) @binding(4) var<storage, read_write> survivors: array<u32>;        // [stretches]
@group(0) @binding(5) var<storage, read> tested: array<u32>;
@group(0) @binding(6) var<storage, read_write> marked: array<atomic<u32>>;

var<workgroup> wg_left: atomic<u32>;

fn is_of_partition(key: vec2<u32>) -> bool {
    let bits = params.modes >> 16u;
    return bits == 0u || (hash_of(key, PARTITION_SEED) >> (32u - bits)) == params.keys;
}

fn visit(stretch: u32) -> u32 {
    let before = min(32u * stretch, params.windows);
    let windows = min(params.windows - before, 32u);
    var kept = select((1u << (windows & 31u)) - 1u, 0xffffffffu, windows == 32u);
    if (params.modes & CONTINUES) != 0u {
        kept = survivors[stretch];
    }
    let shift = (params.modes >> 8u) & 31u;
    var left = 0u;
    if kept != 0u {
        var window = first_window(stretch);
        for (var rest = kept; rest != 0u; rest &= rest - 1u) {
            let place = firstTrailingBit(rest);
            move_to(&window, place);
            let key = key_of(&window);
            if is_of_partition(key) {
                let test = hash_of(key, params.test_seed) >> shift;
                if (params.modes & TESTS) != 0u && ((tested[test >> 5u] >> (test & 31u)) & 1u) == 0u {
                    kept &= ~(1u << place);
                } else {
                    left += 1u;
                    let mark = hash_of(key, params.mark_seed) >> shift;
                    let bit = 1u << (mark & 31u);
                    if (atomicLoad(&marked[mark >> 5u]) & bit) == 0u {
                        atomicOr(&marked[mark >> 5u], bit);
                    }
                }
            }
        }
    }
    survivors[stretch] = kept;
    return left;
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        atomicStore(&wg_left, 0u);
    }
    workgroupBarrier();

    // Phase 1: the windows of a stretch.
    let stretch = params.first + group.x * LANES + lane;
    if stretch < params.end && atomicLoad(&control[STOPPED]) == 0u {
        atomicAdd(&wg_left, visit(stretch));
    }
    workgroupBarrier();

    // Phase 2: what the workgroup has left.
    if lane == 0u {
        atomicAdd(&control[params.count], atomicLoad(&wg_left));
    }
}
