// diagonal_transition/indel: where a slide starts at a distance more: a step down or to the right costs 1, an unequal pair both.
const SPACING = 2i;
const BACK = 1u;

fn start(before: u32, lane: u32) -> u32 {
    return max(step_from(before, lane, 1u), wg_rows[before + lane]);
}
