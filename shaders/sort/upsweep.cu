// sort/upsweep: counts the digits of each workgroup's keys.
//
// Method:   first half of reduce-then-scan (Merrill and Grimshaw 2011,
//           doi:10.1142/S0129626411000187).
// Grid:     as range.cu; a lane takes every LANES-th key.
// Result, crowds: as in upsweep.wgsl.
// Host:     src/sort/plan.rs.
constexpr u32 COPIES = 8u;
// Keys that a lane loads before it counts any.
constexpr u32 AT_ONCE = 8u;

BINDING(1, const Key, keys)     // [keys of the chunk]
BINDING(2, u32, counts)         // [digit][workgroups of all chunks], [digit]

__shared__ u32 wg_copies[COPIES * RADIX];

KERNEL {
    const Params& params = PARAMS(at);
    const u32 lane = ::lane();
    const u32 group = params.first_group + ::group().x;
    const Range range = range_of(at, group);
    for (u32 place = lane; place < COPIES * RADIX; place += LANES) {
        wg_copies[place] = 0u;
    }
    barrier();

    const u32 copy = lane / (LANES / COPIES) * RADIX;
    u32 digit = 0u;
    u32 run = 0u;
    for (u32 first = range.first + lane; first < range.end; first += LANES * AT_ONCE) {
        u32 digits[AT_ONCE];
#pragma unroll
        for (u32 i = 0u; i < AT_ONCE; i++) {
            // No key: a value after all digits.
            digits[i] = RADIX;
            if (first + i * LANES < range.end) {
                digits[i] = digit_of(keys(at)[first + i * LANES], params.shift, params.mask);
            }
        }
#pragma unroll
        for (u32 i = 0u; i < AT_ONCE; i++) {
            if (digits[i] == digit) {
                run += 1u;
            } else if (digits[i] < RADIX) {
                if (run > 0u) {
                    atomicAdd(&wg_copies[copy + digit], run);
                }
                digit = digits[i];
                run = 1u;
            }
        }
    }
    if (run > 0u) {
        atomicAdd(&wg_copies[copy + digit], run);
    }
    barrier();

    for (u32 place = lane; place < RADIX; place += LANES) {
        u32 count = 0u;
        for (u32 i = 0u; i < COPIES; i++) {
            count += wg_copies[i * RADIX + place];
        }
        counts(at)[place * params.columns + params.column + group] = count;
    }
}
