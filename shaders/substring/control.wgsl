// substring/control: what the passes of a filter tell each other and the host.
//
// Layout:   control = base of the hashes, two limbs | whether visits are of no more use | visits in a row that were of none | binary
//           logarithm of the share that is listed | windows that are listed | windows left, by texts | windows left, by visits.
const BASE = 0u;
const STOPPED = 2u;
const UNFALLEN = 3u;
const SHARE_LOG2 = 4u;
const LISTED = 5u;
const LEFT = 6u;

@group(0) @binding(7) var<storage, read_write> control: array<atomic<u32>>;
