//! Sizes of a search from both ends: the diagonals of each wavefront, and which wavefronts are
//! stored.

use std::ops::Range;

use crate::sequences::diagonal_transition::WavefrontRecurrence;

pub(super) const WAVEFRONTS: u64 = 32;
pub(super) const LANES: u64 = 256;
/// Minimum distance between wavefronts stored for a path; the host recomputes those between.
const MIN_STORED_DISTANCE: u64 = 8;
/// Maximum words of both directions' wavefronts stored for a path, unless each dispatch stores only
/// its last.
const MAX_STORED_WORDS: u64 = 1 << 26;

/// Wavefronts of one direction of a search up to a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SearchSizes {
    pub rows: u64,
    pub cols: u64,
    /// At least the difference of the lengths; of the same parity if `diagonal_step` is 2.
    pub bound: u64,
    pub diagonal_step: u64,
    /// Distance between stored wavefronts, a divisor of [`WAVEFRONTS`]. `None` without a path: then
    /// only the last [`ROTATING_BUFFERS`] are stored.
    pub every: Option<u64>,
}

/// Rotating buffers for wavefronts if no path is requested: the one where the directions meet, its
/// predecessor, and one that a workgroup writes before it sees the meeting.
const ROTATING_BUFFERS: u64 = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredWavefront {
    pub distance: u64,
    /// Index range; index `i` is the diagonal `diagonal_step * i - distance`.
    pub indices: Range<u64>,
    /// Word offset in the buffer of stored wavefronts.
    pub at: u64,
}

impl SearchSizes {
    /// A search up to distance `bound`, which is at least the difference of the lengths.
    pub(crate) fn new<R: WavefrontRecurrence>(rows: usize, cols: usize, bound: u64) -> Self {
        let (rows, cols) = (rows as u64, cols as u64);
        // Mismatches and gaps, or gaps alone, always give a path.
        let bound = bound.min(if R::DIAGONAL_STEP == 1 {
            rows.max(cols)
        } else {
            rows + cols
        });
        let odd =
            R::DIAGONAL_STEP == 2 && !bound.saturating_sub(rows.abs_diff(cols)).is_multiple_of(2);
        Self {
            rows,
            cols,
            bound: bound - u64::from(odd),
            diagonal_step: R::DIAGONAL_STEP as u64,
            every: None,
        }
    }

    /// The backward direction: both sequences reversed and exchanged.
    pub(crate) fn reversed(self) -> Self {
        Self {
            rows: self.cols,
            cols: self.rows,
            ..self
        }
    }

    /// Greatest distance of each direction: half the bound, rounded up to full passes.
    pub(crate) fn half(&self) -> u64 {
        self.bound.div_ceil(2).next_multiple_of(WAVEFRONTS)
    }

    /// The same search with the maximum number of stored wavefronts that fits, for the path.
    pub(crate) fn for_path(self, fits: impl Fn(&Self) -> bool) -> Self {
        let every = |every| Self {
            every: Some(every),
            ..self
        };
        let finer = [MIN_STORED_DISTANCE, 2 * MIN_STORED_DISTANCE].map(every);
        finer
            .into_iter()
            .find(|front| 2 * front.words() <= MAX_STORED_WORDS && fits(front))
            .unwrap_or(every(WAVEFRONTS))
    }

    /// Indices of the preceding wavefront before its own that a point depends on.
    fn back(&self) -> u64 {
        2 / self.diagonal_step
    }

    /// Indices at this distance that a path of at most twice [`half`](Self::half) can cross.
    pub(crate) fn indices(&self, distance: u64) -> Range<u64> {
        let (rows, cols, distance) = (self.rows as i64, self.cols as i64, distance as i64);
        let left = 2 * self.half() as i64 - distance;
        let low = (-distance).max(-cols).max(rows - cols - left);
        let high = distance.min(rows).min(rows - cols + left);
        let step = self.diagonal_step as i64;
        // Diagonals of the other parity have no cell at this distance.
        let (first, last) = ((low + distance + step - 1) / step, (high + distance) / step);
        first as u64..(last + 1).max(first) as u64
    }

    fn width(&self, distance: u64) -> u64 {
        let indices = self.indices(distance);
        indices.end - indices.start
    }

    /// Dispatches of [`WAVEFRONTS`] wavefronts in both directions. The last one computes none and
    /// only checks the preceding ones.
    pub(crate) fn passes(&self) -> u64 {
        self.half() / WAVEFRONTS + 1
    }

    /// Distance before the first wavefront of a pass, and distance of its last.
    pub(crate) fn distances(&self, pass: u64) -> (u64, u64) {
        (
            pass * WAVEFRONTS,
            ((pass + 1) * WAVEFRONTS).min(self.half()),
        )
    }

    /// Wavefronts and diagonals that a workgroup completes per pass.
    pub(crate) fn tile(&self) -> (u64, u64) {
        (WAVEFRONTS, LANES - self.back() * WAVEFRONTS)
    }

    /// Workgroups per direction in a pass. All lanes but the first few of each complete every
    /// wavefront.
    pub(crate) fn groups(&self, pass: u64) -> u64 {
        self.width(self.distances(pass).1)
            .div_ceil(self.tile().1)
            .max(1)
    }

    /// Points computed in a pass, in both directions, including the overlap of workgroups. A pass
    /// without wavefronts checks those of one.
    pub(crate) fn points(&self, pass: u64) -> u64 {
        let (first, last) = self.distances(pass);
        2 * self.groups(pass) * LANES * (last - first).max(1)
    }

    pub(crate) fn all_points(&self) -> u64 {
        (0..self.passes()).map(|pass| self.points(pass)).sum()
    }

    pub(crate) fn spacing_of_kept(&self) -> u64 {
        self.every.unwrap_or(WAVEFRONTS)
    }

    fn kept_distances(&self) -> impl Iterator<Item = u64> + use<> {
        (0..=self.half()).step_by(self.spacing_of_kept() as usize)
    }

    pub(crate) fn widest(&self) -> u64 {
        self.kept_distances()
            .map(|distance| self.width(distance))
            .max()
            .unwrap_or(1)
    }

    /// The stored wavefronts; the first is at distance 0.
    pub(crate) fn kept(&self) -> Vec<StoredWavefront> {
        let (turn, mut next) = (self.widest(), 0);
        let keep = |(index, distance): (u64, u64)| {
            let indices = self.indices(distance);
            let at = if self.every.is_some() {
                next
            } else {
                index % ROTATING_BUFFERS * turn
            };
            next += indices.end - indices.start;
            StoredWavefront {
                distance,
                indices,
                at,
            }
        };
        (0..).zip(self.kept_distances()).map(keep).collect()
    }

    pub(crate) fn words(&self) -> u64 {
        match self.every {
            Some(_) => self
                .kept_distances()
                .map(|distance| self.width(distance))
                .sum(),
            None => ROTATING_BUFFERS * self.widest(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit_distance::wavefront::Levenshtein;
    use crate::lcs::wavefront::Indel;

    #[test]
    fn workgroups_of_a_pass_cover_its_wavefronts() {
        for (rows, cols) in [(1, 1), (500, 400), (400, 500), (90, 2000), (2000usize, 90)] {
            for bound in
                [0, 1, 31, 32, 33, 64, 100, 300, 1000, 5000].map(|more: u64| more + rows as u64 % 2)
            {
                let bound = bound + rows.abs_diff(cols) as u64;
                for front in [
                    SearchSizes::new::<Levenshtein>(rows, cols, bound),
                    SearchSizes::new::<Indel>(rows, cols, bound),
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
