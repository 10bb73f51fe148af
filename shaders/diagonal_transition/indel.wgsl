// diagonal_transition/indel: start of a slide at the next distance: insertions and deletions cost
// 1, so an unequal pair costs 2.
const SPACING = 2i;
const BACK = 1u;

// `place` is the lane's own entry; the previous lanes' entries precede it.
fn start(place: u32) -> i32 {
    return max(wg_reach[place - 1u] + 1, wg_reach[place]);
}
