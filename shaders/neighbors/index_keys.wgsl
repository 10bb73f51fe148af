// neighbors/index_keys: writes the keys of a part of the strings' keys, in any order.
//
// Grid:     one lane per slot.
// Result:   keys and the records of their strings; their count in `control`, also of those that do
//           not fit.
// Parts:    strings.wgsl, keys.wgsl, control.wgsl. Host: src/neighbors/gpu/plan.rs.
struct Params {
    first_group: u32,
    slots: u32,
    strings_at: u32,
    tiles_at: u32,
    part: u32,
    capacity: u32,
}

@group(0) @binding(3) var<storage, read_write> keys: array<u32>;       // [capacity]
@group(0) @binding(4) var<storage, read_write> numbers: array<u32>;    // [capacity]

var<workgroup> wg_taken: atomic<u32>;
var<workgroup> wg_first: u32;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = params.first_group + workgroup.x;
    let slot = group * LANES + lane;
    if lane == 0u {
        atomicStore(&wg_taken, 0u);
    }
    workgroupBarrier();
    var record = 0u;
    var key = Key(0u, false);
    if slot < params.slots {
        let string = params.strings_at + STRING_WORDS * string_of(slot, params.tiles_at + group, params.strings_at);
        record = tables[string];
        let own = slot - tables[string + 2u];
        key = key_of(record, section_of(own, records[2u * record].y), own);
        key.is_valid = key.is_valid && is_of_part(key.hash, params.part);
    }
    var place = 0u;
    if key.is_valid {
        place = atomicAdd(&wg_taken, 1u);
    }
    workgroupBarrier();
    if lane == 0u {
        wg_first = atomicAdd(&control[ENTRIES], atomicLoad(&wg_taken));
    }
    place += workgroupUniformLoad(&wg_first);
    if key.is_valid && place < params.capacity {
        keys[place] = key.hash;
        numbers[place] = record;
    }
}
