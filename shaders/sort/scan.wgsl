// sort/scan: exclusive prefix sum of each digit's counts over the workgroups.
//
// Grid:     one workgroup per digit.
// Result:   counts[digit][workgroup] is the number of keys of the digit in earlier workgroups; the
//           total of each digit follows.
// Host:     src/sort/plan.rs.
struct Params {
    columns: u32,   // workgroups of all chunks
    first: u32,     // first digit
}

// Counts per lane.
const EACH = 4u;

// [digit][workgroups of all chunks], [digit]
@group(0) @binding(0) var<storage, read_write> counts: array<u32>;

var<workgroup> wg_carry: u32;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let digit = params.first + workgroup.x;
    let row = digit * params.columns;
    var carry = 0u;
    for (var first = 0u; first < params.columns; first += LANES * EACH) {
        let own = first + lane * EACH;
        var values = array<u32, EACH>();
        var sum = 0u;
        for (var i = 0u; i < EACH; i++) {
            if own + i < params.columns {
                values[i] = counts[row + own + i];
            }
            sum += values[i];
        }
        var before = carry + sum_before(lane, sum);
        if lane == LANES - 1u {
            wg_carry = before + sum;
        }
        for (var i = 0u; i < EACH; i++) {
            if own + i < params.columns {
                counts[row + own + i] = before;
            }
            before += values[i];
        }
        carry = workgroupUniformLoad(&wg_carry);
    }
    if lane == 0u {
        counts[RADIX * params.columns + digit] = carry;
    }
}
