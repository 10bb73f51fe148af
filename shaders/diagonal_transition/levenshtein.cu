// diagonal_transition/levenshtein: where a slide starts at a distance more: a step down, an unequal pair or a step to the right costs 1.
constexpr u32 SPACING = 1u;
constexpr u32 BACK = 2u;

// From the reach of the same lane, before which are those of the lanes before.
DEVICE i32 start(const i32* reach) {
    return max(max(reach[-2], reach[-1]) + 1, reach[0]);
}
