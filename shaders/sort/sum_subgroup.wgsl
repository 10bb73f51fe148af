// sort/sum_subgroup: sums over the lanes of a workgroup, by subgroups.
//
// Needs:    every lane of the workgroup calls it; subgroups of SUBGROUP lanes in local order.
// Twin:     sum_workgroup.wgsl, for any device.
var<workgroup> wg_sums: array<u32, LANES / SUBGROUP>;

// The sum of the values of all lanes before this one.
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
    // The next call writes what slow lanes still read.
    workgroupBarrier();
    return sum;
}
