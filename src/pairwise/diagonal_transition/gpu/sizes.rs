//! Sizes of a search from both ends: which diagonals the wavefronts have, and which of them are kept.

use std::ops::Range;

/// Wavefronts of one dispatch.
pub(super) const WAVEFRONTS: u64 = 32;
/// Lanes of a workgroup.
pub(super) const LANES: u64 = 256;
/// Distances from one wavefront that is kept for a path to the next, at the least: the host computes those between again.
const FINEST: u64 = 8;
/// Most words of both directions' wavefronts that are kept for a path, unless each dispatch keeps only its last.
const KEPT_WORDS: u64 = 1 << 26;

/// The wavefronts of one direction of a search whose distance is at most a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SearchSizes {
    pub rows: u64,
    pub cols: u64,
    /// At least the difference of the lengths, and where diagonals are spaced by 2 even where that is.
    pub bound: u64,
    /// Diagonals from one index to the next.
    pub spacing: u64,
    /// Distances from one wavefront that is kept for the path to the next, a part of [`WAVEFRONTS`]; without a path only [`TURNS`]
    /// are kept.
    pub every: Option<u64>,
}

/// Wavefronts that take turns without a path: where both directions are seen to have met, the one before, and one that a workgroup
/// makes which has not seen it.
const TURNS: u64 = 3;

/// A wavefront that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub distance: u64,
    /// Its indices: the diagonal `spacing * index - distance` has an index.
    pub indices: Range<u64>,
    /// Where it lies among all of them.
    pub at: u64,
}

impl SearchSizes {
    /// The search for a distance of at most `bound`, which is not less than the difference of the lengths.
    pub(crate) fn new<const SPACING: i64>(rows: usize, cols: usize, bound: u64) -> Self {
        let (rows, cols) = (rows as u64, cols as u64);
        // A path of unequal pairs and gaps, or of gaps alone, is always there.
        let bound = bound.min(if SPACING == 1 {
            rows.max(cols)
        } else {
            rows + cols
        });
        let odd = SPACING == 2 && !bound.saturating_sub(rows.abs_diff(cols)).is_multiple_of(2);
        Self {
            rows,
            cols,
            bound: bound - u64::from(odd),
            spacing: SPACING as u64,
            every: None,
        }
    }

    /// The other direction's: that of both sequences reversed, each in the other's place.
    pub(crate) fn reversed(self) -> Self {
        Self {
            rows: self.cols,
            cols: self.rows,
            ..self
        }
    }

    /// How far each direction goes: half of the bound, in full passes.
    pub(crate) fn half(&self) -> u64 {
        self.bound.div_ceil(2).next_multiple_of(WAVEFRONTS)
    }

    /// The same search, which keeps wavefronts for the path: as many of them as fit.
    pub(crate) fn for_path(self, fits: impl Fn(&Self) -> bool) -> Self {
        let every = |every| Self {
            every: Some(every),
            ..self
        };
        let finer = [FINEST, 2 * FINEST].map(every);
        finer
            .into_iter()
            .find(|front| 2 * front.words() <= KEPT_WORDS && fits(front))
            .unwrap_or(every(WAVEFRONTS))
    }

    /// Indices before its own that a point depends on in the wavefront before.
    fn back(&self) -> u64 {
        2 / self.spacing
    }

    /// Indices of the wavefront of a distance that a path of no more than twice [`half`](Self::half) can go through.
    pub(crate) fn indices(&self, distance: u64) -> Range<u64> {
        let (rows, cols, distance) = (self.rows as i64, self.cols as i64, distance as i64);
        let left = 2 * self.half() as i64 - distance;
        let low = (-distance).max(-cols).max(rows - cols - left);
        let high = distance.min(rows).min(rows - cols + left);
        let spacing = self.spacing as i64;
        // A diagonal of the other parity has no cell of this distance.
        let (first, last) = (
            (low + distance + spacing - 1) / spacing,
            (high + distance) / spacing,
        );
        first as u64..(last + 1).max(first) as u64
    }

    fn width(&self, distance: u64) -> u64 {
        let indices = self.indices(distance);
        indices.end - indices.start
    }

    /// Dispatches, each of [`WAVEFRONTS`] wavefronts of both directions but for the last, which has none: it looks at those before.
    pub(crate) fn passes(&self) -> u64 {
        self.half() / WAVEFRONTS + 1
    }

    /// The distance before the first wavefront of a pass, and that of its last.
    pub(crate) fn distances(&self, pass: u64) -> (u64, u64) {
        (
            pass * WAVEFRONTS,
            ((pass + 1) * WAVEFRONTS).min(self.half()),
        )
    }

    /// Wavefronts and diagonals that a workgroup completes in a pass.
    pub(crate) fn tile(&self) -> (u64, u64) {
        (WAVEFRONTS, LANES - self.back() * WAVEFRONTS)
    }

    /// Workgroups of either direction in a pass: all but the first lanes of each complete every wavefront.
    pub(crate) fn groups(&self, pass: u64) -> u64 {
        self.width(self.distances(pass).1)
            .div_ceil(self.tile().1)
            .max(1)
    }

    /// Furthest-reaching points that are computed in a pass, both directions' and those of overlapping workgroups among them; a pass
    /// that has no wavefront looks at those of one.
    pub(crate) fn points(&self, pass: u64) -> u64 {
        let (first, last) = self.distances(pass);
        2 * self.groups(pass) * LANES * (last - first).max(1)
    }

    /// Those of all passes.
    pub(crate) fn all_points(&self) -> u64 {
        (0..self.passes()).map(|pass| self.points(pass)).sum()
    }

    /// Distances from one wavefront that is kept to the next.
    pub(crate) fn spacing_of_kept(&self) -> u64 {
        self.every.unwrap_or(WAVEFRONTS)
    }

    fn kept_distances(&self) -> impl Iterator<Item = u64> + use<> {
        (0..=self.half()).step_by(self.spacing_of_kept() as usize)
    }

    /// Indices of the widest wavefront that is kept.
    pub(crate) fn widest(&self) -> u64 {
        self.kept_distances()
            .map(|distance| self.width(distance))
            .max()
            .unwrap_or(1)
    }

    /// The wavefronts that are kept; the first is that of the distance 0.
    pub(crate) fn kept(&self) -> Vec<Kept> {
        let (turn, mut next) = (self.widest(), 0);
        let keep = |(place, distance): (u64, u64)| {
            let indices = self.indices(distance);
            let at = if self.every.is_some() {
                next
            } else {
                place % TURNS * turn
            };
            next += indices.end - indices.start;
            Kept {
                distance,
                indices,
                at,
            }
        };
        (0..).zip(self.kept_distances()).map(keep).collect()
    }

    /// Words of the wavefronts that are kept.
    pub(crate) fn words(&self) -> u64 {
        match self.every {
            Some(_) => self
                .kept_distances()
                .map(|distance| self.width(distance))
                .sum(),
            None => TURNS * self.widest(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wavefront_begins_among_the_lanes_of_the_first_workgroup_and_ends_before_the_last_of_its_pass()
     {
        for (rows, cols) in [(1, 1), (500, 400), (400, 500), (90, 2000), (2000usize, 90)] {
            for bound in
                [0, 1, 31, 32, 33, 64, 100, 300, 1000, 5000].map(|more: u64| more + rows as u64 % 2)
            {
                let bound = bound + rows.abs_diff(cols) as u64;
                for front in [
                    SearchSizes::new::<1>(rows, cols, bound),
                    SearchSizes::new::<2>(rows, cols, bound),
                ] {
                    for pass in 0..front.passes() {
                        let (first, last) = front.distances(pass);
                        let end = front.indices(last);
                        for distance in first + 1..=last {
                            let wavefront = front.indices(distance);
                            assert!(wavefront.end <= end.end, "{front:?} {distance}");
                            assert!(
                                wavefront.start + front.back() * (last - distance) >= end.start,
                                "{front:?} {distance}"
                            );
                        }
                    }
                }
            }
        }
    }
}
