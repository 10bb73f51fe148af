// substring/groups: what the passes of sort-and-scan tell each other and the host.
//
// Layout:   control = base of the hashes, two limbs | windows that are sorted | pairs of neighbours with one hash from two texts | pairs
//           that are not equal | pairs that nobody has compared | windows listed | pairs for compare_pairs.wgsl | texts | where
//           each of them begins among the codes of all.
const BASE = 0u;
const SORTED = 2u;
const MIXED = 3u;
const UNEQUAL = 4u;
const UNCOMPARED = 5u;
const LISTED = 6u;
const PAIRS = 7u;
const TEXTS = 8u;
const STARTS = 9u;

@group(0) @binding(7) var<storage, read_write> control: array<atomic<u32>>;
