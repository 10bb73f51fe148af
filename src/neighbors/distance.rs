//! Edit distance within a bound, by furthest-reaching points (Ukkonen 1985,
//! doi:10.1016/S0019-9958(85)80046-2): O(k^2) steps beside the slides along equal symbols, which
//! for few edits is less than any table.

use crate::sequences::bit_parallel::cpu::small::last_value;
use crate::sequences::bit_parallel::recurrence::Edit;
use crate::sequences::codes::Symbol;
use crate::sequences::equal::slide;
use crate::sequences::typed::{SymbolSlice, Typed};

/// Cells of a bit-parallel table in the time of a furthest-reaching point.
const CELLS_PER_STEP: usize = 24;

/// Row that no diagonal has reached.
const UNREACHED: i64 = i64::MIN / 2;

/// Working memory of [`of_codes`](Self::of_codes).
#[derive(Default)]
pub(super) struct Distance {
    /// Furthest rows by diagonal, from `-k - 1` to `k + 1`, at two successive distances.
    furthest: [Vec<i64>; 2],
}

impl Distance {
    /// Edit distance of two strings of one type, or `None` if it exceeds `k`.
    pub(super) fn of_codes(
        &mut self,
        a: SymbolSlice<'_>,
        b: SymbolSlice<'_>,
        k: usize,
    ) -> Option<u32> {
        match (a, b) {
            (Typed::Bytes(a), Typed::Bytes(b)) => self.within(a, b, k),
            (Typed::Numbers(a), Typed::Numbers(b)) => self.within(a, b, k),
            _ => None,
        }
    }

    fn within<S: Symbol>(&mut self, a: &[S], b: &[S], k: usize) -> Option<u32> {
        if a.len().abs_diff(b.len()) > k {
            return None;
        }
        // At most as many edits as the longer one has symbols.
        let k = k.min(a.len().max(b.len()));
        if a.is_empty() || b.is_empty() {
            return Some(k as u32);
        }
        if (k + 1) * (k + 1) * CELLS_PER_STEP > a.len() * b.len() && k > 8 {
            let distance = last_value::<Edit, S>(a, b);
            return (distance <= k as i64).then_some(distance as u32);
        }
        self.by_points(a, b, k)
    }

    fn by_points<S: Symbol>(&mut self, a: &[S], b: &[S], k: usize) -> Option<u32> {
        let (rows, cols, k) = (a.len() as i64, b.len() as i64, k as i64);
        let end = cols - rows;
        for furthest in &mut self.furthest {
            furthest.clear();
            furthest.resize(2 * k as usize + 3, UNREACHED);
        }
        let at = |diagonal: i64| (diagonal + k + 1) as usize;
        let slid = |row: i64, diagonal: i64| {
            row + slide(&a[row as usize..], &b[(row + diagonal) as usize..]) as i64
        };
        let start = slid(0, 0);
        if end == 0 && start == rows {
            return Some(0);
        }
        self.furthest[0][at(0)] = start;
        for edits in 1..=k {
            let [before, now] = &mut self.furthest;
            // Diagonals from which the end is still within reach.
            let reach = k - edits;
            for diagonal in (-edits).max(end - reach)..=edits.min(end + reach) {
                let index = at(diagonal);
                let row = (before[index] + 1)
                    .max(before[index - 1])
                    .max(before[index + 1] + 1)
                    .min(rows)
                    .min(cols - diagonal);
                now[index] = if row < 0 || row + diagonal < 0 {
                    UNREACHED
                } else {
                    slid(row, diagonal)
                };
            }
            if now[at(end)] == rows {
                return Some(edits as u32);
            }
            self.furthest.swap(0, 1);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit_distance::{Mode, reference};
    use crate::sequences::bit_parallel::inputs::Random;

    #[test]
    fn bounded_distances_match_the_reference() {
        let mut random = Random::new(5);
        let mut distance = Distance::default();
        for round in 0..4000 {
            let letters = 1 + random.below(4) as u32;
            let len = random.below(40);
            let a = random.codes(len, letters);
            let b = match round % 2 {
                0 => {
                    let len = len + random.below(5);
                    random.codes(len, letters)
                }
                _ => random.edited(&a, 6, letters),
            };
            let exact = reference::distance(&a, &b, Mode::Global);
            for k in [0, 1, 2, 3, 8, 9, 20, 50] {
                let expected = (exact <= k).then_some(exact as u32);
                assert_eq!(
                    distance.within(&a, &b, k as usize),
                    expected,
                    "{a:?} {b:?} {k}"
                );
                if k <= 40 {
                    let k = (k as usize).min(a.len().max(b.len()));
                    let near = a.len().abs_diff(b.len()) <= k;
                    assert!(!near || distance.by_points(&a, &b, k) == expected);
                }
            }
        }
    }
}
