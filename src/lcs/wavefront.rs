//! The O(nd) method for inputs that differ little: furthest-reaching points by indel distance.
//!
//! `D(i, j) = i + j - 2 L[i][j]` counts the symbols of `a[..i]` and `b[..j]` that stay unpaired. On diagonal k = i - j let
//! `reach(e, k)` be the greatest i with `D(i, i - k) <= e`; then
//!
//! ```text
//! reach(e, k) = slide(max(reach(e - 1, k - 1) + 1, reach(e - 1, k + 1)))
//! ```
//!
//! where `slide` goes on while the symbols are equal (Myers 1986, doi:10.1007/BF01840446). Cost for the distance d: d * d / 2
//! reaches and on random inputs as many slides of constant length, at worst `min(a.len(), b.len()) * d` comparisons.

use crate::control::Control;
use crate::error::Result;
use crate::reaches::{Limit, Reaches, Waves, slide};

use super::subsequence::{Block, Subsequence};

/// What the wavefront found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Length of the longest common subsequence.
    pub length: u64,
    /// The canonical path, where it was asked for.
    pub subsequence: Option<Subsequence>,
    /// Cells looked at: reaches and comparisons.
    pub cells: u64,
}

/// The longest common subsequence of inputs that differ little; `None` where `limit` ends the search.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub(crate) fn solve<S: PartialEq + Copy>(
    a: &[S],
    b: &[S],
    path: bool,
    limit: Limit,
    control: &Control,
) -> Result<Option<Found>> {
    // Reaches are 32-bit.
    if a.len().max(b.len()) >= u32::MAX as usize {
        return Ok(None);
    }
    // The distance is at least the difference of the lengths.
    if a.len().abs_diff(b.len()) as u64 > limit.waves {
        return Ok(None);
    }
    let mut waves = Waves::<2>::default();
    let mut wave = Wave::first(a, b);
    let mut cells = wave.steps;
    for distance in 0..=limit.waves {
        if wave.reach(a.len() as i64 - b.len() as i64) == Some(a.len()) {
            let length = (a.len() as u64 + b.len() as u64 - distance) / 2;
            let subsequence = path.then(|| walk(&waves, a, b));
            return Ok(Some(Found { length, subsequence, cells }));
        }
        if cells > limit.steps {
            return Ok(None);
        }
        control.check()?;
        let next = wave.next(a, b);
        cells += next.steps;
        if path {
            waves.push(wave.as_reaches());
            if waves.bytes() > limit.bytes {
                return Ok(None);
            }
        }
        wave = next;
    }
    Ok(None)
}

/// The furthest-reaching points of one distance, on a range of diagonals that are all inside the table.
struct Wave {
    /// The first diagonal; the others follow in steps of 2.
    low: i64,
    reaches: Vec<u32>,
    steps: u64,
}

impl Wave {
    fn first<S: PartialEq>(a: &[S], b: &[S]) -> Self {
        let equal = slide(a, b, 0, 0);
        Self { low: 0, reaches: vec![equal as u32], steps: 1 + equal as u64 }
    }

    fn reach(&self, diagonal: i64) -> Option<usize> {
        self.as_reaches().on(diagonal)
    }

    fn as_reaches(&self) -> Reaches<'_, 2> {
        Reaches { low: self.low, rows: &self.reaches }
    }

    fn next<S: PartialEq>(&self, a: &[S], b: &[S]) -> Self {
        let high = self.low + 2 * (self.reaches.len() as i64 - 1);
        // Diagonals outside the table hold no cell.
        let low = if self.low > -(b.len() as i64) { self.low - 1 } else { self.low + 1 };
        let high = if high < a.len() as i64 { high + 1 } else { high - 1 };
        let mut steps = 0;
        let mut reaches = Vec::with_capacity(((high - low) / 2 + 1).max(0) as usize);
        for diagonal in (low..=high).step_by(2) {
            let down = self.reach(diagonal - 1).map(|i| i + 1);
            let right = self.reach(diagonal + 1);
            let i = down.max(right).unwrap_or_default();
            // A step past the last row or column stays at the end of its diagonal.
            let i = i.min(a.len()).min((b.len() as i64 + diagonal) as usize);
            let equal = slide(a, b, i, (i as i64 - diagonal) as usize);
            steps += 1 + equal as u64;
            reaches.push((i + equal) as u32);
        }
        Self { low, reaches, steps }
    }
}

/// The canonical path: up costs nothing in length exactly where it lowers the distance by one.
fn walk<S: PartialEq>(waves: &Waves<2>, a: &[S], b: &[S]) -> Subsequence {
    let (mut i, mut j) = (a.len(), b.len());
    let mut distance = waves.len();
    let mut pairs = Vec::new();
    while i > 0 && j > 0 {
        if distance > 0 && waves.within(distance - 1, i - 1, i as i64 - 1 - j as i64) {
            (i, distance) = (i - 1, distance - 1);
        } else if a[i - 1] == b[j - 1] {
            (i, j) = (i - 1, j - 1);
            pairs.push(Block { a: i, b: j, len: 1 });
        } else {
            (j, distance) = (j - 1, distance - 1);
        }
    }
    pairs.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::super::reference;
    use super::*;

    const NO_LIMIT: Limit = Limit { waves: u64::MAX, steps: u64::MAX, bytes: u64::MAX };

    fn assert_matches_reference<S: PartialEq + Copy + std::fmt::Debug>(a: &[S], b: &[S]) {
        let found = solve(a, b, true, NO_LIMIT, &Control::default()).expect("not cancelled").expect("no limit");
        assert_eq!(found.length, reference::length(a, b), "a = {a:?}, b = {b:?}");
        assert_eq!(found.subsequence, Some(reference::subsequence(a, b)), "a = {a:?}, b = {b:?}");
    }

    #[test]
    fn wavefront_gives_the_reference_path_on_small_random_inputs() {
        let mut random = crate::strips::inputs::Random::new(1);
        for _ in 0..3000 {
            let letters = 1 + random.below(4) as u32;
            let a = random.codes(random.clone().below(24), letters);
            let b = random.codes(random.clone().below(17), letters);
            assert_matches_reference(&a, &b);
        }
    }

    #[test]
    fn wavefront_gives_the_reference_path_on_every_kind_of_input() {
        for (a, b) in crate::strips::inputs::pairs(130, 141) {
            assert_matches_reference(&a, &b);
        }
    }

    #[test]
    fn wavefront_gives_up_at_each_limit() {
        let (a, b) = (vec![1u8; 100], vec![2u8; 100]);
        let give_up = |limit| solve(&a, &b, true, limit, &Control::default()).expect("not cancelled").is_none();
        assert!(!give_up(Limit { waves: 200, ..NO_LIMIT }));
        assert!(give_up(Limit { waves: 199, ..NO_LIMIT }));
        assert!(give_up(Limit { steps: 5000, ..NO_LIMIT }));
        assert!(give_up(Limit { bytes: 5000, ..NO_LIMIT }));
    }

    #[test]
    fn wavefront_stops_when_cancelled() {
        let cancel = crate::control::CancelHandle::new();
        cancel.cancel();
        let control = Control::new(cancel, None);
        assert!(solve(b"ab", b"ba", false, NO_LIMIT, &control).is_err());
    }
}
