// pairs/hamming: compares eight columns with the rows at the same places.
//
// Rows:     the differences hold the rows that are left: all from the next one on. A column takes the
//           lowest, in the first limb that has one.
// Carries:  0: no row is left above the limb, so that a column behind the end of the query adds 1;
//           1: the column matches its row, which takes 1 from the length of the query.
// Part of:  pairs/columns.wgsl.
const VERTICAL = 2u;
const HORIZONTAL = 2u;
alias Differences = array<u32, LIMBS>;
alias Carries = array<u32, HORIZONTAL>;

fn sweep_eight(v: ptr<function, Differences>, rows: ptr<function, Rows>, block: Block, carries: Carries) -> Carries {
    var out = Carries();
    for (var k = 0u; k < 8u; k++) {
        var column = open_column(rows, block, k);
        var is_over = (carries[0] >> k) & 1u;
        var is_match = (carries[1] >> k) & 1u;
        for (var limb = 0u; limb < LIMBS; limb++) {
            let left = (*v)[limb] & (GUARD - 1u);
            let here = left & (0u - left) & (0u - is_over);
            is_match |= u32(matching(rows, &column, limb, here) != 0u);
            is_over &= u32(left == 0u);
            (*v)[limb] ^= here;
        }
        out[0] |= is_over << k;
        out[1] |= is_match << k;
    }
    return out;
}
