// sort/sum_subgroup: exclusive prefix sum over a workgroup, by subgroups.
//
// Needs:    every lane of the workgroup calls it; subgroups of SUBGROUP lanes in local order.
// Twin:     sum_workgroup.wgsl, for any number of lanes.
constexpr u32 SUM_WORDS = LANES / SUBGROUP;
__shared__ u32 wg_sums[SUM_WORDS];

// Sum of the values of all earlier lanes.
DEVICE u32 sum_before(u32 lane, u32 value) {
    u32 sum = subgroup_exclusive_add(value);
    if (lane % SUBGROUP == SUBGROUP - 1u) {
        wg_sums[lane / SUBGROUP] = sum + value;
    }
    barrier();
#pragma unroll
    for (u32 subgroup = 0u; subgroup < LANES / SUBGROUP; subgroup++) {
        if (subgroup < lane / SUBGROUP) {
            sum += wg_sums[subgroup];
        }
    }
    // Slow lanes may still read what the next call overwrites.
    barrier();
    return sum;
}
