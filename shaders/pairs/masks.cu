// pairs/masks: match masks of one query in workgroup memory, for all lanes.
//
// Table, columns: as in masks.wgsl.
// Part of:  pairs/lanes.cu.
constexpr u32 STRIDE = LIMBS | 1u;

__shared__ u32 wg_masks[(SYMBOLS + 1u) * STRIDE];

struct Rows {};
struct Column {
    const u32* masks;
};
struct Block {
    u32 codes[2];
};

DEVICE Column open_column(const Rows& rows, const Block& block, u32 k) {
    return {wg_masks + byte_of(block.codes[k / 4u], k % 4u) * STRIDE};
}

DEVICE u32 matching(const Rows& rows, const Column& column, u32 limb, u32 v) { return v & column.masks[limb]; }
