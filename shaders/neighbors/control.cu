// neighbors/control: counts of a plan.
BINDING(7, u32, control)

constexpr u32 ENTRIES = 0u;       // of the index
constexpr u32 FOUND = 1u;         // pairs, also those that do not fit
constexpr u32 INCOMPLETE = 2u;    // least row of a pair that does not fit
constexpr u32 CANDIDATES = 3u;    // two words each
constexpr u32 VERIFIED = 5u;
constexpr u32 COLUMNS = 7u;       // of the verified tables
// A bit per row that goes on to the next level.
constexpr u32 FLAGS = 16u;

// Adds to a sum of two words.
DEVICE void add_wide(const Arguments& at, u32 place, u32 count) {
    const u32 before = atomicAdd(&control(at)[place], count);
    if (before + count < before) {
        atomicAdd(&control(at)[place + 1u], 1u);
    }
}
