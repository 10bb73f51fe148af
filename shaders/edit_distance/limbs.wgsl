// edit_distance/limbs: sweeps eight columns of the edit distance table through all limbs of a lane.
//
// Recurrence (Myers 1999, doi:10.1145/316542.316550, in the form of Hyyro 2003). VP and VN: rows
// where the distance grows and shrinks downwards; HP and HN: the same to the right; M: match mask;
// hp and hn: bits from the limb above.
//   t = M & VP,  s = t + VP + hn,  HN' = s ^ t ^ VP,  D0 = M | VN | HN',
//   HP' = (VN | ~(D0 | VP)) << 1 | hp,  VP <- HN' | ~(D0 | HP'),  VN <- HP' & D0,
//   where HN' and HP' are shifted down by one row.
// Guard:    a limb holds 31 rows. Bit 31 always matches, so it adds nothing to itself: bit 31 of s
//           is HN of row 30, bit 31 of HP' is HP of row 30, and both enter the next limb.
// Part of:  bit_parallel/strip_sweep.wgsl.
const VERTICAL = 2u;
const HORIZONTAL = 2u;
const SKIPS = true;
const FLAT_ABOVE = true;
alias Differences = array<u32, 2u * LIMBS>;
alias Carries = array<u32, HORIZONTAL>;

// Returns HP and HN of the last row, 0 or 1.
fn sweep_column(v: ptr<function, Differences>, rows: ptr<function, Rows>, block: Block, k: u32, carries: Carries) -> vec2<u32> {
    var column = open_column(rows, block, k);
    var hp = (carries[0] >> k) & 1u;
    var hn = (carries[1] >> k) & 1u;
    for (var limb = 0u; limb < LIMBS; limb++) {
        let vp = (*v)[limb];
        let vn = (*v)[LIMBS + limb];
        let mask = matching(rows, &column, limb, ~0u);
        let t = mask & vp;
        let s = t + vp + hn;
        hn = s >> 31u;
        let hn_above = s ^ t ^ vp;
        let d0 = mask | vn | hn_above;
        let hp_here = vn | ~(d0 | vp);
        let hp_above = hp_here + hp_here + hp;
        hp = hp_above >> 31u;
        keep_limb(limb, Carries(hp_above, s));
        (*v)[limb] = hn_above | ~(d0 | hp_above);
        (*v)[LIMBS + limb] = hp_above & d0;
    }
    return vec2(hp, hn);
}

// Bits 0 to 7 of the carries in and out belong to the eight columns.
fn sweep_eight(v: ptr<function, Differences>, rows: ptr<function, Rows>, block: Block, carries: Carries) -> Carries {
    var out = sweep_column(v, rows, block, 0u, carries);
    out |= sweep_column(v, rows, block, 1u, carries) << vec2(1u);
    out |= sweep_column(v, rows, block, 2u, carries) << vec2(2u);
    out |= sweep_column(v, rows, block, 3u, carries) << vec2(3u);
    out |= sweep_column(v, rows, block, 4u, carries) << vec2(4u);
    out |= sweep_column(v, rows, block, 5u, carries) << vec2(5u);
    out |= sweep_column(v, rows, block, 6u, carries) << vec2(6u);
    out |= sweep_column(v, rows, block, 7u, carries) << vec2(7u);
    return Carries(out.x, out.y);
}
