//! Diagonal transition for inputs that differ little: furthest-reaching points by distance.
//!
//! On diagonal k = i - j let `reach(e, k)` be the greatest i with `D(i, i - k) <= e`; then
//!
//! ```text
//! reach(e, k) = slide(max(reach(e - 1, k - 1) + 1, reach(e - 1, k) + 1, reach(e - 1, k + 1)))
//! ```
//!
//! where `slide` goes on while the symbols are equal (Ukkonen 1985, doi:10.1016/S0019-9958(85)80046-2). Cost for the distance
//! d: d * d reaches and on random inputs as many slides of constant length, at worst `min(a.len(), b.len()) * d` comparisons.

use crate::blocks::{Block, Blocks};
use crate::control::Control;
use crate::error::Result;
use crate::reaches::{Limit, Reaches, STRIDE, Waves, slide};

/// What the wavefront found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The distance.
    Distance {
        distance: u64,
        /// The canonical path, where it was asked for.
        path: Option<Blocks>,
        /// Cells looked at: reaches and comparisons.
        cells: u64,
    },
    /// The distance is greater than the limit's.
    TooFar { cells: u64 },
    /// Steps or memory ran out.
    GaveUp,
}

/// The distance of inputs that differ little.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub(crate) fn solve<S: PartialEq + Copy>(
    a: &[S],
    b: &[S],
    path: bool,
    limit: Limit,
    control: &Control,
) -> Result<Found> {
    // Reaches are 32-bit.
    if a.len().max(b.len()) >= u32::MAX as usize {
        return Ok(Found::GaveUp);
    }
    // The distance is at least the difference of the lengths.
    if a.len().abs_diff(b.len()) as u64 > limit.waves {
        return Ok(Found::TooFar { cells: 0 });
    }
    let mut waves = Waves::<1>::default();
    let mut wave = Wave::first(a, b);
    let (mut cells, mut reaches) = (wave.steps, 0);
    for distance in 0.. {
        if wave.as_reaches().on(a.len() as i64 - b.len() as i64) == Some(a.len()) {
            let path = path.then(|| walk(&waves, a, b));
            return Ok(Found::Distance { distance, path, cells });
        }
        if distance == limit.waves {
            return Ok(Found::TooFar { cells });
        }
        // Long slides go by strides.
        reaches += wave.rows.len() as u64;
        if reaches + cells / STRIDE as u64 > limit.steps {
            return Ok(Found::GaveUp);
        }
        control.check()?;
        let next = wave.next(a, b);
        cells += next.steps;
        if path {
            waves.push(wave.as_reaches());
            if waves.bytes() > limit.bytes {
                return Ok(Found::GaveUp);
            }
        }
        wave = next;
    }
    Ok(Found::GaveUp)
}

/// The furthest-reaching points of one distance, on a range of diagonals that are all inside the table.
struct Wave {
    /// The first diagonal.
    low: i64,
    rows: Vec<u32>,
    steps: u64,
}

impl Wave {
    fn first<S: PartialEq>(a: &[S], b: &[S]) -> Self {
        let equal = slide(a, b, 0, 0);
        Self { low: 0, rows: vec![equal as u32], steps: 1 + equal as u64 }
    }

    fn as_reaches(&self) -> Reaches<'_, 1> {
        Reaches { low: self.low, rows: &self.rows }
    }

    fn next<S: PartialEq>(&self, a: &[S], b: &[S]) -> Self {
        // Diagonals outside the table hold no cell.
        let low = (self.low - 1).max(-(b.len() as i64));
        let high = (self.low + self.rows.len() as i64).min(a.len() as i64);
        let mut steps = 0;
        let mut rows = Vec::with_capacity((high - low + 1) as usize);
        let reaches = self.as_reaches();
        // Rows, plus 1 so that 0 stands for none.
        let after = |diagonal: i64| reaches.on(diagonal).map_or(0, |row| row + 1);
        let (mut before, mut here) = (after(low - 1), after(low));
        for diagonal in low..=high {
            let next = after(diagonal + 1);
            let i = before.max(here).max(next.saturating_sub(1));
            // A step past the last row or column stays at the end of its diagonal.
            let i = i.min(a.len()).min((b.len() as i64 + diagonal) as usize);
            let equal = slide(a, b, i, (i as i64 - diagonal) as usize);
            steps += 1 + equal as u64;
            rows.push((i + equal) as u32);
            (before, here) = (here, next);
        }
        Self { low, rows, steps }
    }
}

/// The canonical path: up where that lowers the distance, else diagonally where the symbols are equal or a diagonal step is as
/// good as one to the left.
fn walk<S: PartialEq>(waves: &Waves<1>, a: &[S], b: &[S]) -> Blocks {
    let (mut i, mut j) = (a.len(), b.len());
    let mut distance = waves.len();
    let mut steps = Vec::new();
    while i > 0 && j > 0 {
        let diagonal = i as i64 - j as i64;
        let nearer = |i: usize, diagonal: i64| distance > 0 && waves.within(distance - 1, i, diagonal);
        if nearer(i - 1, diagonal - 1) {
            (i, distance) = (i - 1, distance - 1);
            continue;
        }
        let equal = a[i - 1] == b[j - 1];
        if equal || nearer(i - 1, diagonal) {
            distance -= usize::from(!equal);
            (i, j) = (i - 1, j - 1);
            steps.push(Block { a: i, b: j, len: 1 });
        } else {
            (j, distance) = (j - 1, distance - 1);
        }
    }
    steps.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Mode, reference};
    use super::*;
    use crate::strips::inputs::{self, Random};

    const NO_LIMIT: Limit = Limit { waves: u64::MAX, steps: u64::MAX, bytes: u64::MAX };

    fn assert_matches_reference<S: PartialEq + Copy + std::fmt::Debug>(a: &[S], b: &[S]) {
        let expected = reference::distance(a, b, Mode::Global);
        match solve(a, b, true, NO_LIMIT, &Control::default()).expect("not cancelled") {
            Found::Distance { distance, path, .. } => {
                assert_eq!(distance, expected, "a = {a:?}, b = {b:?}");
                assert_eq!(path, Some(reference::path(a, b)), "a = {a:?}, b = {b:?}");
            }
            other => panic!("{other:?}, a = {a:?}, b = {b:?}"),
        }
    }

    #[test]
    fn wavefront_gives_the_reference_path_on_small_random_inputs() {
        let mut random = Random::new(1);
        for _ in 0..3000 {
            let letters = 1 + random.below(4) as u32;
            let (rows, cols) = (random.below(24), random.below(17));
            assert_matches_reference(&random.codes(rows, letters), &random.codes(cols, letters));
        }
    }

    #[test]
    fn wavefront_gives_the_reference_path_on_every_kind_of_input() {
        for (a, b) in inputs::pairs(130, 141) {
            assert_matches_reference(&a, &b);
        }
    }

    #[test]
    fn wavefront_tells_a_distance_that_is_too_great_from_a_limit_on_its_work() {
        let (a, b) = (vec![1u8; 100], vec![2u8; 100]);
        let solve = |limit| solve(&a, &b, true, limit, &Control::default()).expect("not cancelled");
        assert!(matches!(solve(Limit { waves: 100, ..NO_LIMIT }), Found::Distance { distance: 100, .. }));
        assert!(matches!(solve(Limit { waves: 99, ..NO_LIMIT }), Found::TooFar { .. }));
        assert_eq!(solve(Limit { steps: 5000, ..NO_LIMIT }), Found::GaveUp);
        assert_eq!(solve(Limit { bytes: 5000, ..NO_LIMIT }), Found::GaveUp);
    }

    #[test]
    fn wavefront_stops_when_cancelled() {
        let cancel = crate::control::CancelHandle::new();
        cancel.cancel();
        assert!(solve(b"ab", b"ba", false, NO_LIMIT, &Control::new(cancel, None)).is_err());
    }
}
