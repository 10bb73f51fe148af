// sort/upsweep: counts the digits of each workgroup's keys.
//
// Method:   first half of reduce-then-scan (Merrill and Grimshaw 2011,
//           doi:10.1142/S0129626411000187).
// Grid:     as range.wgsl; a lane takes every LANES-th key.
// Result:   counts[digit][workgroup], all written.
// Crowds:   if many keys have the same digit, a lane adds consecutive ones at once, and COPIES of
//           the counts share the rest.
// Host:     src/sort/plan.rs.
const COPIES = 8u;
// Keys that a lane loads before it counts any.
const AT_ONCE = 8u;

@group(0) @binding(1) var<storage, read> keys: array<Key>;              // [keys of the chunk]
// [digit][workgroups of all chunks], [digit]
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> wg_copies: array<atomic<u32>, COPIES * RADIX>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = params.first_group + workgroup.x;
    let range = range_of(group);
    for (var place = lane; place < COPIES * RADIX; place += LANES) {
        atomicStore(&wg_copies[place], 0u);
    }
    workgroupBarrier();

    let copy = lane / (LANES / COPIES) * RADIX;
    var digit = 0u;
    var run = 0u;
    for (var first = range.first + lane; first < range.end; first += LANES * AT_ONCE) {
        var digits = array<u32, AT_ONCE>();
        for (var i = 0u; i < AT_ONCE; i++) {
            // No key: a value after all digits.
            digits[i] = RADIX;
            if first + i * LANES < range.end {
                digits[i] = digit_of(keys[first + i * LANES], params.shift, params.mask);
            }
        }
        for (var i = 0u; i < AT_ONCE; i++) {
            if digits[i] == digit {
                run += 1u;
            } else if digits[i] < RADIX {
                if run > 0u {
                    atomicAdd(&wg_copies[copy + digit], run);
                }
                digit = digits[i];
                run = 1u;
            }
        }
    }
    if run > 0u {
        atomicAdd(&wg_copies[copy + digit], run);
    }
    workgroupBarrier();

    for (var place = lane; place < RADIX; place += LANES) {
        var count = 0u;
        for (var i = 0u; i < COPIES; i++) {
            count += atomicLoad(&wg_copies[i * RADIX + place]);
        }
        counts[place * params.columns + params.column + group] = count;
    }
}
