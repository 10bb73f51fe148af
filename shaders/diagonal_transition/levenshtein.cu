// diagonal_transition/levenshtein: where a slide starts at a distance more: a step down, an unequal pair or a step to the right costs 1.
constexpr u32 SPACING = 1u;
constexpr u32 BACK = 2u;

DEVICE u32 step_from(const u32* wg_rows, u32 before, u32 lane, u32 back);

DEVICE u32 start(const u32* wg_rows, u32 before, u32 lane) {
    const u32 steps = max(step_from(wg_rows, before, lane, 2u), step_from(wg_rows, before, lane, 1u));
    return max(steps, wg_rows[before + lane]);
}
