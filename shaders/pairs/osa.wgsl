// pairs/osa: sweeps eight columns of the optimal string alignment through all limbs of a lane.
//
// Recurrence (Hyyro 2003, "A bit-vector algorithm for computing Levenshtein and Damerau edit
// distances"): that of edit_distance/limbs.wgsl, where a row also keeps the value along its diagonal if
// it and the row above match the two columns exchanged, and the row above was not on a diagonal for
// free:
//   X = M & ~D0 of the column before,  D0 |= (X << 1 | x) & M of the column before,
//   where x is X of the row above the limb.
// HN stays what the sum has carried: in such a row VP is 0, since its match of the column before made the
// value there at most that of the row above.
// Differences: VP, VN, D0 and M of the column before, LIMBS each.
// Carries:     HP, HN, x.
// Guard:       bit 31 of M and D0 is 1, so that X has none there, and x is bit 30 of X.
// Part of:     pairs/columns.wgsl.
const VERTICAL = 2u;
const HORIZONTAL = 3u;
alias Differences = array<u32, 4u * LIMBS>;
alias Carries = array<u32, HORIZONTAL>;

fn sweep_eight(v: ptr<function, Differences>, rows: ptr<function, Rows>, block: Block, carries: Carries) -> Carries {
    var out = Carries();
    for (var k = 0u; k < 8u; k++) {
        var column = open_column(rows, block, k);
        var hp = (carries[0] >> k) & 1u;
        var hn = (carries[1] >> k) & 1u;
        var exchange = (carries[2] >> k) & 1u;
        for (var limb = 0u; limb < LIMBS; limb++) {
            let vp = (*v)[limb];
            let vn = (*v)[LIMBS + limb];
            let mask = matching(rows, &column, limb, ~0u);
            let paired = mask & ~(*v)[2u * LIMBS + limb];
            let exchanged = ((paired << 1u) | exchange) & (*v)[3u * LIMBS + limb];
            exchange = (paired >> 30u) & 1u;
            let t = mask & vp;
            let s = t + vp + hn;
            hn = s >> 31u;
            let hn_above = s ^ t ^ vp;
            let d0 = mask | vn | hn_above | exchanged;
            let hp_here = vn | ~(d0 | vp);
            let hp_above = hp_here + hp_here + hp;
            hp = hp_above >> 31u;
            (*v)[limb] = hn_above | ~(d0 | hp_above);
            (*v)[LIMBS + limb] = hp_above & d0;
            (*v)[2u * LIMBS + limb] = d0;
            (*v)[3u * LIMBS + limb] = mask;
        }
        out[0] |= hp << k;
        out[1] |= hn << k;
        out[2] |= exchange << k;
    }
    return out;
}
