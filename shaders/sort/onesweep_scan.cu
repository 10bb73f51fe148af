// sort/onesweep_scan: turns counts of digits into start positions.
//
// Grid:     one workgroup per digit position, one lane per value.
// Parts:    a sum. CUDA only, as sort/onesweep. Host: src/sort/onesweep.rs.
static_assert(LANES == RADIX, "a lane has one value of a digit");

BINDING(0, u32, histogram)      // [digits of a key][RADIX]

KERNEL(LANES) {
    const u32 place = group().x * RADIX + lane();
    histogram(at)[place] = sum_before(lane(), histogram(at)[place]);
}
