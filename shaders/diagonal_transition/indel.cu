// diagonal_transition/indel: start of a slide at the next distance: insertions and deletions cost
// 1, so an unequal pair costs 2.
constexpr u32 SPACING = 2u;
constexpr u32 BACK = 1u;

// `reach` points to the lane's own entry; the previous lanes' entries precede it.
DEVICE i32 start(const i32* reach) {
    return max(reach[-1] + 1, reach[0]);
}
