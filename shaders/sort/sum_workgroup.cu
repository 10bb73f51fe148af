// sort/sum_workgroup: exclusive prefix sum over a workgroup, through workgroup memory.
//
// Needs:    every lane of the workgroup calls it.
// Method:   Hillis and Steele 1986, doi:10.1145/7902.7903. The two halves of wg_sums alternate, so
//           a step needs one barrier.
// Twin:     sum_subgroup.cu.
constexpr u32 SUM_WORDS = 2u * LANES;
__shared__ u32 wg_sums[SUM_WORDS];

// Sum of the values of all earlier lanes.
DEVICE u32 sum_before(u32 lane, u32 value) {
    u32 sum = value;
    u32 half = 0u;
    wg_sums[lane] = sum;
    barrier();
    for (u32 reach = 1u; reach < LANES; reach *= 2u) {
        if (lane >= reach) {
            sum += wg_sums[half + lane - reach];
        }
        half = LANES - half;
        wg_sums[half + lane] = sum;
        barrier();
    }
    return sum - value;
}
