// sort/onesweep_scan: makes of the counts of a digit's values where the first key of each goes.
//
// Grid:     one workgroup for each digit of a key, one lane for each value.
// Parts:    a sum. CUDA alone, as sort/onesweep. Host: src/sort/onesweep.rs.
static_assert(LANES == RADIX, "a lane has one value of a digit");

BINDING(0, u32, histogram)      // [digits of a key][RADIX]

KERNEL {
    const u32 place = group().x * RADIX + lane();
    histogram(at)[place] = sum_before(lane(), histogram(at)[place]);
}
