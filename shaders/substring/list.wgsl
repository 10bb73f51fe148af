// substring/list: lists the remaining windows with their keys, or a sample if there are too many.
//
// Sample:   all windows of some keys, the same keys in all texts; and windows at some positions, in
//           case keys are few.
// Grid:     one lane per stretch of 32 windows.
// Result:   entries = [listed][text, position, two limbs of the key], in any order.
// Parts:    as in visit.wgsl. Host: src/substring/gpu/plan.rs.
const SAMPLE_SEED = 0x2545f491u;

struct Params {
    first: u32,       // first stretch of the pass, in the chunk
    end: u32,
    position: u32,    // of the chunk in the text
    head: u32,
    text: u32,
    capacity: u32,
    sample: u32,      // approximate windows of the text to list by position
    power_low: u32,
    power_high: u32,
    rest: u32,
}

@group(0) @binding(4) var<storage, read> survivors: array<u32>;             // [stretches]
@group(0) @binding(5) var<storage, read_write> entries: array<vec4<u32>>;   // [capacity]

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let stretch = params.first + group.x * LANES + lane;
    if stretch >= params.end {
        return;
    }
    let left = survivors[stretch];
    if left == 0u {
        return;
    }
    let share_log2 = atomicLoad(&control[SHARE_LOG2]);
    let of_text = atomicLoad(&control[LEFT + params.text]);
    var position_log2 = 0u;
    while position_log2 < 31u && (of_text >> position_log2) > params.sample {
        position_log2 += 1u;
    }
    var window = first_window(stretch);
    for (var rest = left; rest != 0u; rest &= rest - 1u) {
        let place = firstTrailingBit(rest);
        move_to(&window, place);
        let key = key_of(&window);
        let position = params.position + 32u * stretch + place;
        let of_key = countLeadingZeros(hash_of(key, SAMPLE_SEED)) >= share_log2;
        if of_key || countLeadingZeros(finalize(position + SAMPLE_SEED)) >= position_log2 {
            let slot = atomicAdd(&control[LISTED], 1u);
            if slot < params.capacity {
                entries[slot] = vec4<u32>(params.text, position, key);
            }
        }
    }
}
