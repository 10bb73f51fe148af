// diagonal_transition/indel: where a slide starts at a distance more: a step down or to the right costs 1, an unequal pair both.
const SPACING = 2i;
const BACK = 1u;

// From the reach at a place, before which are those of the lanes before.
fn start(place: u32) -> i32 {
    return max(wg_reach[place - 1u] + 1, wg_reach[place]);
}
