// diagonal_transition/levenshtein: start of a slide at the next distance: insertions, deletions and
// substitutions cost 1.
constexpr u32 SPACING = 1u;
constexpr u32 BACK = 2u;

// `reach` points to the lane's own entry; the previous lanes' entries precede it.
DEVICE i32 start(const i32* reach) {
    return max(max(reach[-2], reach[-1]) + 1, reach[0]);
}
