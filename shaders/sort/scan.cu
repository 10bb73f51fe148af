// sort/scan: exclusive prefix sum of each digit's counts over the workgroups.
//
// Grid, result: as in scan.wgsl.
// Host:     src/sort/plan.rs.
struct Params {
    u32 columns;    // workgroups of all chunks
    u32 first;      // first digit
};

// Counts per lane.
constexpr u32 EACH = 4u;

BINDING(0, u32, counts)     // [digit][workgroups of all chunks], [digit]

__shared__ u32 wg_carry;

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const u32 digit = params.first + group().x;
    const u32 row = digit * params.columns;
    u32 carry = 0u;
    for (u32 first = 0u; first < params.columns; first += LANES * EACH) {
        const u32 own = first + lane * EACH;
        u32 values[EACH] = {};
        u32 sum = 0u;
#pragma unroll
        for (u32 i = 0u; i < EACH; i++) {
            if (own + i < params.columns) {
                values[i] = counts(at)[row + own + i];
            }
            sum += values[i];
        }
        u32 before = carry + sum_before(lane, sum);
        if (lane == LANES - 1u) {
            wg_carry = before + sum;
        }
#pragma unroll
        for (u32 i = 0u; i < EACH; i++) {
            if (own + i < params.columns) {
                counts(at)[row + own + i] = before;
            }
            before += values[i];
        }
        carry = workgroupUniformLoad(&wg_carry);
    }
    if (lane == 0u) {
        counts(at)[RADIX * params.columns + digit] = carry;
    }
}
