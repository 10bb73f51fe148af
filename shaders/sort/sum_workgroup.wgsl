// sort/sum_workgroup: exclusive prefix sum over a workgroup, through workgroup memory.
//
// Needs:    every lane of the workgroup calls it.
// Method:   Hillis and Steele 1986, doi:10.1145/7902.7903. The two halves of wg_sums alternate, so
//           a step needs one barrier.
// Twin:     sum_subgroup.wgsl.
var<workgroup> wg_sums: array<u32, 2u * LANES>;

// Sum of the values of all earlier lanes.
fn sum_before(lane: u32, value: u32) -> u32 {
    var sum = value;
    var half = 0u;
    wg_sums[lane] = sum;
    workgroupBarrier();
    for (var reach = 1u; reach < LANES; reach *= 2u) {
        if lane >= reach {
            sum += wg_sums[half + lane - reach];
        }
        half = LANES - half;
        wg_sums[half + lane] = sum;
        workgroupBarrier();
    }
    return sum - value;
}
