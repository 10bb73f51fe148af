//! What a lane does to one limb in one column, by recurrence.
//!
//! A limb has 63 rows and a guard bit above them, which carries what leaves the limb downwards in its top bit.

use super::vector::Vector;
use crate::pairwise::bit_parallel::recurrence::{Edit, Lcs, Recurrence};

/// A recurrence over registers of limbs. Horizontal differences travel in the top bits of registers.
pub(crate) trait Lanes: Recurrence {
    /// Whether guard bits match every column, or none.
    const GUARD_MATCHES: bool;
    /// What turns a horizontal difference, all ones or all zeros, into what travels.
    const FLIP: u64;

    /// Rows that are worth matching.
    fn candidates<X: Vector>(v: [X; 2]) -> X;
    /// The last plane of the matching, in the form that [`step`](Self::step) wants.
    fn last_plane<X: Vector>(candidates: X, row: X, column: X) -> X;
    /// One limb: vertical differences behind the column and horizontal ones below the limb.
    fn step<X: Vector>(v: [X; 2], matches: X, h: [X; 2]) -> ([X; 2], [X; 2]);
}

/// Longest common subsequence (Hyyrö 2004; V bit 1 = no increment down this row), M = match mask:
///
/// ```text
/// w = !(V & M);  s = V - w + none;  none' = s >> 63 (arithmetic);  V' = s | (V & w)
/// ```
///
/// which is `V + (V & M) + carry` with the carry as `none`: -1 where no carry comes in, 0 where one does. The guard bit of V is
/// always 1 and of M always 0, so that the top bit of `s` tells whether the rows below get a carry.
impl Lanes for Lcs {
    const GUARD_MATCHES: bool = false;
    const FLIP: u64 = !0;

    #[inline(always)]
    fn candidates<X: Vector>(v: [X; 2]) -> X {
        v[0]
    }

    #[inline(always)]
    fn last_plane<X: Vector>(candidates: X, row: X, column: X) -> X {
        candidates.mismatching(row, column)
    }

    #[inline(always)]
    fn step<X: Vector>(v: [X; 2], matches: X, h: [X; 2]) -> ([X; 2], [X; 2]) {
        let sum = v[0].sub(matches).add(h[0]);
        ([v[0].merge(sum, matches), v[1]], [sum.sign(), h[1]])
    }
}

/// Edit distance (Myers 1999, Hyyrö 2003), M = match mask, v = (VP, VN), h = (HP, HN) below the limb above:
///
/// ```text
/// t = M & VP;  s = t + VP + HN;  n = s ^ t ^ VP;  D0 = M | VN | n;  p = (VN | !(D0 | VP)) << 1 | HP;
/// VP' = n | !(D0 | p);  VN' = p & D0
/// ```
///
/// where n and p are the horizontal differences above each row. The guard bit of M is always 1: then VP and VN never hold a 1
/// together there, and the top bits of `s` and `p` are the differences below the limb's last row.
impl Lanes for Edit {
    const GUARD_MATCHES: bool = true;
    const FLIP: u64 = 0;

    #[inline(always)]
    fn candidates<X: Vector>(_: [X; 2]) -> X {
        X::splat(!0)
    }

    #[inline(always)]
    fn last_plane<X: Vector>(candidates: X, row: X, column: X) -> X {
        candidates.matching(row, column)
    }

    #[inline(always)]
    fn step<X: Vector>([vp, vn]: [X; 2], matches: X, [hp, hn]: [X; 2]) -> ([X; 2], [X; 2]) {
        let t = matches.and(vp);
        let s = t.add(vp).add(hn.top());
        let n = s.xor3(t, vp);
        let d0 = matches.or3(vn, n);
        let p = vn.or_nor(d0, vp).shift_up(hp);
        ([n.or_nor(d0, p), p.and(d0)], [p, s])
    }
}
