// substring/groups: state shared by the passes of sort-and-scan and the host.
//
// Layout:   as in groups.wgsl.
constexpr u32 BASE = 0u;
constexpr u32 SORTED = 2u;
constexpr u32 MIXED = 3u;
constexpr u32 UNEQUAL = 4u;
constexpr u32 UNCOMPARED = 5u;
constexpr u32 LISTED = 6u;
constexpr u32 PAIRS = 7u;
constexpr u32 TEXTS = 8u;
constexpr u32 STARTS = 9u;

BINDING(7, u32, control)
