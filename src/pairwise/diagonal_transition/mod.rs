//! Furthest-reaching points: how far each diagonal gets at each distance, for the methods whose cost is what inputs differ by.

pub mod gpu;
mod summary;
mod walk;

use std::ops::RangeInclusive;

use crate::call::control::Control;
use crate::error::{Error, Result};
use crate::kernels::diagonal_transition::Steps;
use crate::pairwise::bit_parallel::gpu::tiling::Table;
use crate::pairwise::blocks::Blocks;
pub(crate) use summary::{seconds, summarize};
use walk::{Walk, Wavefronts};

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// The greatest distance to try.
    pub wavefronts: u64,
    /// The most furthest-reaching points and comparisons, as the method weighs them.
    pub steps: u64,
    /// The most bytes of wavefronts kept for the path.
    pub bytes: u64,
}

impl Limit {
    /// The error of a search that only its memory could end: at the distance e a wavefront has at most `2e + 1` points of 32
    /// bits, and no distance is greater than `distance`.
    pub(crate) fn memory_error(&self, distance: u64) -> Error {
        let needed = (distance + 1).saturating_mul(distance + 1).saturating_mul(4);
        let what = "keeping every wavefront, at worst,".to_string();
        Error::MemoryBudget { what, needed, limit: self.bytes, smallest: needed }
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The distance.
    Distance {
        distance: u64,
        /// The canonical path, where it was asked for.
        path: Option<Blocks>,
        /// Cells looked at: furthest-reaching points and comparisons.
        cells: u64,
    },
    /// The distance is greater than the limit's.
    TooFar { cells: u64 },
    /// Steps or memory ran out, or the inputs are too long.
    GaveUp,
}

/// How a recurrence goes from wavefront to wavefront, each on every `SPACING`-th diagonal. With 1 a diagonal step of unequal symbols
/// costs 1, as one down or to the right does; with 2 there is none, so that every other diagonal has no cell of a distance.
pub(crate) trait Recurrence<const SPACING: i64> {
    /// Time of a step on the CPU.
    const STEP_SECONDS: f64;
    /// Steps that are always worth a try.
    const LEAST_STEPS: u64;

    /// What a search has cost after so many points and, with them, comparisons.
    fn weigh(points: u64, cells: u64) -> u64;

    /// The wavefront of the next distance, on these diagonals: all of them have a neighbour in this wavefront.
    fn next<S: PartialEq>(
        wavefront: &Wavefront<SPACING>,
        diagonals: RangeInclusive<i64>,
        a: &[S],
        b: &[S],
    ) -> Wavefront<SPACING>;

    /// The table whose cells are these distances.
    const TABLE: Table;

    /// What leads from a distance to the next.
    const STEPS: Steps;
}

/// The distance of inputs that differ little.
///
/// # Errors
/// [`Error::Cancelled`] after the caller has cancelled.
pub(crate) fn search<R: Recurrence<SPACING>, S: PartialEq, const SPACING: i64>(
    (a, b): (&[S], &[S]),
    path: bool,
    limit: Limit,
    control: &Control,
) -> Result<Found> {
    // A furthest-reaching point is its row, in 32 bits.
    if a.len().max(b.len()) >= u32::MAX as usize {
        return Ok(Found::GaveUp);
    }
    // The distance is at least the difference of the lengths.
    if a.len().abs_diff(b.len()) as u64 > limit.wavefronts {
        return Ok(Found::TooFar { cells: 0 });
    }
    let mut wavefronts = Wavefronts::from(0);
    let mut wavefront = Wavefront::first(a, b);
    let (mut cells, mut points) = (wavefront.steps, 0);
    let (mut distance, mut told) = (0, 0);
    loop {
        if wavefront.reach(a.len() as i64 - b.len() as i64) == Some(a.len()) {
            let path = path.then(|| {
                let mut walk = Walk::from_the_end(a.len(), b.len(), distance);
                walk.through(&wavefronts, a, b);
                walk.blocks()
            });
            return Ok(Found::Distance { distance, path, cells });
        }
        if distance == limit.wavefronts {
            return Ok(Found::TooFar { cells });
        }
        points += wavefront.rows.len() as u64;
        let steps = R::weigh(points, cells);
        if steps > limit.steps {
            return Ok(Found::GaveUp);
        }
        control.check()?;
        control.advance(steps - std::mem::replace(&mut told, steps));
        let next = R::next(&wavefront, wavefront.next_diagonals(a.len() as i64, b.len() as i64), a, b);
        cells += next.steps;
        if path {
            wavefronts.push(&wavefront);
            if wavefronts.bytes() > limit.bytes {
                return Ok(Found::GaveUp);
            }
        }
        (wavefront, distance) = (next, distance + 1);
    }
}

/// Symbols that a slide compares at once.
pub(crate) const STRIDE: usize = 16;

/// How many symbols from (`i`, `j`) on are equal.
fn slide<S: PartialEq>(a: &[S], b: &[S], i: usize, j: usize) -> usize {
    let (a, b) = (&a[i..], &b[j..]);
    let mut equal = 0;
    // Whole strides compare as one memory comparison where the symbols allow it; most slides end in the first few symbols.
    if a.first() == b.first() {
        let strides = a.chunks_exact(STRIDE).zip(b.chunks_exact(STRIDE));
        equal = STRIDE * strides.take_while(|(x, y)| x == y).count();
    }
    equal + a[equal..].iter().zip(&b[equal..]).take_while(|(x, y)| x == y).count()
}

/// The furthest row of every `SPACING`-th diagonal from `low` on, at one distance; all of them inside the table.
#[derive(Clone, Debug)]
pub(crate) struct Wavefront<const SPACING: i64> {
    low: i64,
    rows: Vec<u32>,
    /// Furthest-reaching points and comparisons that it took.
    steps: u64,
}

impl<const SPACING: i64> Wavefront<SPACING> {
    fn first<S: PartialEq>(a: &[S], b: &[S]) -> Self {
        Self::slid(0..=0, a, b, |_| 0)
    }

    /// The wavefront on these diagonals whose slides start in the rows that `start` gives, from the lowest diagonal on.
    pub(crate) fn slid<S: PartialEq>(
        diagonals: RangeInclusive<i64>,
        a: &[S],
        b: &[S],
        mut start: impl FnMut(i64) -> usize,
    ) -> Self {
        let (low, high) = (*diagonals.start(), *diagonals.end());
        let mut steps = 0;
        let mut rows = Vec::with_capacity(((high - low) / SPACING + 1).max(0) as usize);
        for diagonal in diagonals.step_by(SPACING as usize) {
            // A step past the last row or column stays at the end of its diagonal.
            let i = start(diagonal).min(a.len()).min((b.len() as i64 + diagonal) as usize);
            let equal = slide(a, b, i, (i as i64 - diagonal) as usize);
            steps += 1 + equal as u64;
            rows.push((i + equal) as u32);
        }
        Self { low, rows, steps }
    }

    /// The first diagonal and the last.
    fn diagonals(&self) -> (i64, i64) {
        (self.low, self.low + SPACING * (self.rows.len() as i64 - 1))
    }

    /// The diagonals of the next wavefront; outside the table there is no cell.
    fn next_diagonals(&self, rows: i64, cols: i64) -> RangeInclusive<i64> {
        let (low, high) = self.diagonals();
        let low = if low > -cols { low - 1 } else { low - 1 + SPACING };
        let high = if high < rows { high + 1 } else { high + 1 - SPACING };
        low..=high
    }

    /// The furthest row on a diagonal; `None` where the wavefront does not get.
    pub(crate) fn reach(&self, diagonal: i64) -> Option<usize> {
        reach::<SPACING>(self.low, &self.rows, diagonal)
    }
}

fn reach<const SPACING: i64>(low: i64, rows: &[u32], diagonal: i64) -> Option<usize> {
    let index = usize::try_from((diagonal - low) / SPACING).ok().filter(|_| diagonal >= low)?;
    rows.get(index).map(|&row| row as usize)
}

/// Small inputs for the tests of every recurrence.
#[cfg(test)]
pub(crate) mod cases {
    use super::Limit;
    use crate::pairwise::bit_parallel::inputs::{self, Random};

    pub(crate) const NO_LIMIT: Limit = Limit { wavefronts: u64::MAX, steps: u64::MAX, bytes: u64::MAX };

    /// Many random pairs and one of every kind.
    pub(crate) fn for_each(check: impl Fn(&[u32], &[u32])) {
        let mut random = Random::new(1);
        for _ in 0..3000 {
            let letters = 1 + random.below(4) as u32;
            let (rows, cols) = (random.below(24), random.below(17));
            check(&random.codes(rows, letters), &random.codes(cols, letters));
        }
        inputs::pairs(130, 141).into_iter().for_each(|(a, b)| check(&a, &b));
    }
}

#[cfg(test)]
mod tests {
    use super::slide;

    #[test]
    fn slides_go_over_strides_of_equal_symbols() {
        for len in [0, 15, 16, 17, 31, 32, 33] {
            let a = vec![7u8; len];
            assert_eq!(slide(&a, &a, 0, 0), len);
            for change in 0..len {
                let mut b = a.clone();
                b[change] = 8;
                assert_eq!(slide(&a, &b, 0, 0), change);
            }
        }
    }
}
