// diagonal_transition/levenshtein: where a slide starts at a distance more: a step down, an unequal pair or a step to the right costs 1.
const SPACING = 1i;
const BACK = 2u;

fn start(before: u32, lane: u32) -> u32 {
    return max(max(step_from(before, lane, 2u), step_from(before, lane, 1u)), wg_rows[before + lane]);
}
