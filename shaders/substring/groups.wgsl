// substring/groups: state shared by the passes of sort-and-scan and the host.
//
// Layout:   control = hash base, two limbs | sorted windows | neighbouring pairs with equal hashes
//           from two texts | unequal pairs | pairs not compared | listed windows | pairs for
//           compare_pairs.wgsl | texts | start of each text among all codes.
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
