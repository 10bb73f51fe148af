// neighbors/control: counts of a plan.
@group(0) @binding(7) var<storage, read_write> control: array<atomic<u32>>;

const ENTRIES = 0u;       // of the index
const FOUND = 1u;         // pairs, also those that do not fit
const INCOMPLETE = 2u;    // least row of a pair that does not fit
const CANDIDATES = 3u;    // two words each
const VERIFIED = 5u;
const COLUMNS = 7u;       // of the verified tables
// A bit per row that goes on to the next level.
const FLAGS = 16u;

// Adds to a sum of two words.
fn add_wide(place: u32, count: u32) {
    let before = atomicAdd(&control[place], count);
    if before + count < before {
        atomicAdd(&control[place + 1u], 1u);
    }
}
