// diagonal_transition/levenshtein: where a slide starts at a distance more: a step down, an unequal pair or a step to the right costs 1.
const SPACING = 1i;
const BACK = 2u;

// From the reach at a place, before which are those of the lanes before.
fn start(place: u32) -> i32 {
    return max(max(wg_reach[place - 2u], wg_reach[place - 1u]) + 1, wg_reach[place]);
}
