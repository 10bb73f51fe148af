// substring/control: state shared by the passes of a filter and the host.
//
// Layout:   as in control.wgsl.
constexpr u32 BASE = 0u;
constexpr u32 STOPPED = 2u;
constexpr u32 UNFALLEN = 3u;
constexpr u32 SHARE_LOG2 = 4u;
constexpr u32 LISTED = 5u;
constexpr u32 LEFT = 6u;

BINDING(7, u32, control)
