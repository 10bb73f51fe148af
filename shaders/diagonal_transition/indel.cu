// diagonal_transition/indel: where a slide starts at a distance more: a step down or to the right costs 1, an unequal pair both.
constexpr u32 SPACING = 2u;
constexpr u32 BACK = 1u;

// From the reach of the same lane, before which are those of the lanes before.
DEVICE i32 start(const i32* reach) {
    return max(reach[-1] + 1, reach[0]);
}
