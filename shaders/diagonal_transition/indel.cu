// diagonal_transition/indel: where a slide starts at a distance more: a step down or to the right costs 1, an unequal pair both.
constexpr u32 SPACING = 2u;
constexpr u32 BACK = 1u;

DEVICE u32 step_from(const u32* wg_rows, u32 before, u32 lane, u32 back);

DEVICE u32 start(const u32* wg_rows, u32 before, u32 lane) {
    return max(step_from(wg_rows, before, lane, 1u), wg_rows[before + lane]);
}
