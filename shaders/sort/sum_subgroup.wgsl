// sort/sum_subgroup: exclusive prefix sum over a workgroup, by subgroups.
//
// Needs:    every lane of the workgroup calls it; subgroups of SUBGROUP lanes in local order.
// Twin:     sum_workgroup.wgsl, for any device.
var<workgroup> wg_sums: array<u32, LANES / SUBGROUP>;

// Sum of the values of all earlier lanes.
fn sum_before(lane: u32, value: u32) -> u32 {
    var sum = subgroupExclusiveAdd(value);
    if lane % SUBGROUP == SUBGROUP - 1u {
        wg_sums[lane / SUBGROUP] = sum + value;
    }
    workgroupBarrier();
    for (var subgroup = 0u; subgroup < LANES / SUBGROUP; subgroup++) {
        if subgroup < lane / SUBGROUP {
            sum += wg_sums[subgroup];
        }
    }
    // Slow lanes may still read what the next call overwrites.
    workgroupBarrier();
    return sum;
}
