//! Bit-parallel recurrences over SIMD registers: one limb per lane, one column per step.
//!
//! A limb has 63 rows and a guard bit above them. The carry out of the last row lands in the top
//! bit, one shift away from the next limb.

use super::vector::Register;
use crate::sequences::bit_parallel::recurrence::{Edit, Lcs, Recurrence};

/// A recurrence over registers of limbs. The top bits of the lanes are the horizontal differences
/// passed to the next limb.
pub(crate) trait Lanes: Recurrence {
    /// Whether the guard bits of match masks are 1 instead of 0.
    const GUARD_MATCHES: bool;
    /// Exclusive-or mask of a horizontal difference (all ones or all zeros) when it is passed on:
    /// all ones if the complement is passed.
    const FLIP: u64;

    /// Initial match mask: the rows whose matches count.
    fn candidates<X: Register>(v: [X; 2]) -> X;
    /// Match mask after the first of several planes.
    fn first_plane<X: Register>(v: [X; 2], row: X, column: X) -> X;
    /// Match mask after its last plane, or its complement, as [`step`](Self::step) needs it.
    fn last_plane<X: Register>(candidates: X, row: X, column: X) -> X;
    fn matches<X: Register>(v: [X; 2], mask: X) -> X;
    /// Step of one limb by one column, from the vertical differences before the column and the
    /// horizontal ones above the limb to those after and below.
    fn step<X: Register>(v: [X; 2], matches: X, h: [X; 2]) -> ([X; 2], [X; 2]);
}

/// Longest common subsequence (Hyyrö 2004; V bit 1 = no increment down this row), M = match mask:
///
/// ```text
/// w = !(V & M);  s = V - w + none;  none' = s >> 63 (arithmetic);  V' = s | (V & w)
/// ```
///
/// This is `V + (V & M) + carry`, with the carry as `none`: -1 without a carry, 0 with one. The
/// guard bit of V is always 1 and that of M always 0, so the top bit of `s` gives the carry to the
/// rows below.
impl Lanes for Lcs {
    const GUARD_MATCHES: bool = false;
    const FLIP: u64 = !0;

    #[inline(always)]
    fn candidates<X: Register>(v: [X; 2]) -> X {
        v[0]
    }

    #[inline(always)]
    fn first_plane<X: Register>(v: [X; 2], row: X, column: X) -> X {
        v[0].matching(row, column)
    }

    #[inline(always)]
    fn last_plane<X: Register>(candidates: X, row: X, column: X) -> X {
        candidates.mismatching(row, column)
    }

    #[inline(always)]
    fn matches<X: Register>(v: [X; 2], mask: X) -> X {
        v[0].mismatching(mask, X::splat(!0))
    }

    #[inline(always)]
    fn step<X: Register>(v: [X; 2], matches: X, h: [X; 2]) -> ([X; 2], [X; 2]) {
        let sum = v[0].sub(matches).add(h[0]);
        ([v[0].merge(sum, matches), v[1]], [sum.sign(), h[1]])
    }
}

/// Edit distance (Myers 1999, Hyyrö 2003). M = match mask, v = (VP, VN), h = (HP, HN) below the
/// limb above:
///
/// ```text
/// t = M & VP;  s = t + VP + HN;  n = s ^ t ^ VP;  D0 = M | VN | n;
/// p = (VN | !(D0 | VP)) << 1 | HP;
/// VP' = n | !(D0 | p);  VN' = p & D0
/// ```
///
/// n and p are the horizontal differences above each row. The guard bit of M is always 1, so VP and
/// VN are never both 1 there, and the top bits of `s` and `p` are the differences below the limb's
/// last row.
impl Lanes for Edit {
    const GUARD_MATCHES: bool = true;
    const FLIP: u64 = 0;

    #[inline(always)]
    fn candidates<X: Register>(_: [X; 2]) -> X {
        X::splat(!0)
    }

    #[inline(always)]
    fn first_plane<X: Register>(_: [X; 2], row: X, column: X) -> X {
        row.equal(column)
    }

    #[inline(always)]
    fn last_plane<X: Register>(candidates: X, row: X, column: X) -> X {
        candidates.matching(row, column)
    }

    #[inline(always)]
    fn matches<X: Register>(_: [X; 2], mask: X) -> X {
        mask
    }

    #[inline(always)]
    fn step<X: Register>([vp, vn]: [X; 2], matches: X, [hp, hn]: [X; 2]) -> ([X; 2], [X; 2]) {
        let t = matches.and(vp);
        let s = t.add(vp).add(hn.top());
        let n = s.xor3(t, vp);
        let d0 = matches.or3(vn, n);
        let p = vn.or_nor(d0, vp).shift_up(hp);
        ([n.or_nor(d0, p), p.and(d0)], [p, s])
    }
}
