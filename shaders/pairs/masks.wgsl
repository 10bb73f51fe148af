// pairs/masks: match masks of one query in workgroup memory, for all lanes.
//
// Table:    wg_masks[code][limb]. The stride is odd, so that lanes with different codes access
//           different banks. Code 0 matches no row of the query.
// Columns:  one byte per code.
// Part of:  pairs/lanes.wgsl.
const STRIDE = LIMBS | 1u;

var<workgroup> wg_masks: array<u32, (SYMBOLS + 1u) * STRIDE>;

struct Rows {
    unused: u32,
}
alias Block = vec2<u32>;
alias Column = u32;

fn open_column(rows: ptr<function, Rows>, block: Block, k: u32) -> Column {
    return ((block[k / 4u] >> (8u * (k % 4u))) & 255u) * STRIDE;
}

fn matching(rows: ptr<function, Rows>, column: ptr<function, Column>, limb: u32, v: u32) -> u32 {
    return v & wg_masks[*column + limb];
}

fn keep_limb(limb: u32, carries: Carries) {}
