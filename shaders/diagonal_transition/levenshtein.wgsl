// diagonal_transition/levenshtein: start of a slide at the next distance: insertions, deletions and
// substitutions cost 1.
const SPACING = 1i;
const BACK = 2u;

// `place` is the lane's own entry; the previous lanes' entries precede it.
fn start(place: u32) -> i32 {
    return max(max(wg_reach[place - 2u], wg_reach[place - 1u]) + 1, wg_reach[place]);
}
