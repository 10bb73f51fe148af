// lcs/limbs: sweeps eight columns of the LCS table through all limbs of a lane.
//
// Recurrence (Hyyro 2004, limbs of Crochemore et al. 2001, doi:10.1016/S0020-0190(00)00209-X), V =
// vertical differences, 0 where L grows:
//   u = V & M,  s = V + u + carry,  V' = s | (V & ~u).
// Guard:    a limb holds 31 rows. Bit 31 is a row that never matches, so V keeps it 1 and s has the
//           inverse of the carry there. With w = ~u and none = carry - 1:  s = V - w + none,  next
//           none = s >> 31 (arithmetic).
// Part of:  bit_parallel/strip_sweep.wgsl.
const VERTICAL = 1u;
const HORIZONTAL = 1u;
const SKIPS = false;
const FLAT_ABOVE = false;
alias Differences = array<u32, LIMBS>;
alias Carries = array<u32, HORIZONTAL>;

// Returns all ones if no carry leaves the last limb, otherwise 0.
fn sweep_column(v: ptr<function, Differences>, rows: ptr<function, Rows>, block: Block, k: u32, none_in: u32) -> u32 {
    var column = open_column(rows, block, k);
    var none = bitcast<u32>(bitcast<i32>(none_in << (31u - k)) >> 31u);
    for (var limb = 0u; limb < LIMBS; limb++) {
        let w = ~matching(rows, &column, limb, (*v)[limb]);
        let s = (*v)[limb] - w + none;
        none = bitcast<u32>(bitcast<i32>(s) >> 31u);
        keep_limb(limb, Carries(~s));
        (*v)[limb] = s | ((*v)[limb] & w);
    }
    return none;
}

// Bits 0 to 7 of the carries in and out belong to the eight columns.
fn sweep_eight(v: ptr<function, Differences>, rows: ptr<function, Rows>, block: Block, carries: Carries) -> Carries {
    let none = ~carries[0];
    var out = sweep_column(v, rows, block, 0u, none) & 1u;
    out |= sweep_column(v, rows, block, 1u, none) & 2u;
    out |= sweep_column(v, rows, block, 2u, none) & 4u;
    out |= sweep_column(v, rows, block, 3u, none) & 8u;
    out |= sweep_column(v, rows, block, 4u, none) & 16u;
    out |= sweep_column(v, rows, block, 5u, none) & 32u;
    out |= sweep_column(v, rows, block, 6u, none) & 64u;
    out |= sweep_column(v, rows, block, 7u, none) & 128u;
    return Carries(~out & 255u);
}
