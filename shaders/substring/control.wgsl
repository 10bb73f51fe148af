// substring/control: state shared by the passes of a filter and the host.
//
// Layout:   control = hash base, two limbs | visits stopped | consecutive visits without effect |
//           log2 of the listed share | listed windows | remaining windows per text | remaining
//           windows per visit.
const BASE = 0u;
const STOPPED = 2u;
const UNFALLEN = 3u;
const SHARE_LOG2 = 4u;
const LISTED = 5u;
const LEFT = 6u;

@group(0) @binding(7) var<storage, read_write> control: array<atomic<u32>>;
