//! Distances of some pairs of a call, by which its method is chosen.

use std::ops::Range;

use super::bands::{Bands, LIMB_ROWS};
use super::long::LongPairs;
use super::request::{PairLens, Request};
use super::selection::Selection;
use super::wavefront::{PROBE, max_distance, search};
use crate::call::control::Control;
use crate::edit_distance::wavefront::Levenshtein;
use crate::host::parallel;
use crate::sequences::diagonal_transition::{self, SearchOutcome};

const SAMPLE: u64 = 64;
/// Quantiles of the sampled edits per symbol that windows are chosen by.
const QUANTILES: [f64; 5] = [0.0, 0.5, 0.75, 0.9, 1.0];

/// Some pairs of a call with their distances.
#[derive(Debug)]
pub(super) struct Sample(Vec<SampledPair>);

#[derive(Clone, Copy, Debug)]
struct SampledPair {
    lens: PairLens,
    distance: SampledDistance,
}

#[derive(Clone, Copy, Debug)]
enum SampledDistance {
    Exactly(u64),
    /// More than this, which no window proves.
    TooFar(u64),
    /// Too many edits for any window: the kernel stops after a few columns.
    Unrelated,
}

impl Sample {
    pub(super) fn of(
        request: &Request<'_>,
        selection: &Selection<'_>,
        positions: &Range<u64>,
        long: &LongPairs,
    ) -> Self {
        let count = positions.end - positions.start;
        let sampled = count.min(SAMPLE);
        // In the middle of equal ranges, so that neither the first nor the last query is preferred.
        let pair = |index: usize| {
            let twice = (2 * index + 1) as u128 * u128::from(count);
            let position = positions.start + (twice / u128::from(2 * sampled)) as u64;
            let is_short = !long.contains(position);
            is_short.then(|| SampledPair::of(request, selection, position))
        };
        let pairs = parallel::map(sampled as usize, pair);
        Self(pairs.into_iter().flatten().collect())
    }

    /// Expected time of wavefronts on one thread, relative to whole tables at `cells_per_second`.
    /// Includes the whole tables of pairs for which wavefronts fail.
    pub(super) fn share_by_wavefronts(&self, cells_per_second: f64) -> f64 {
        let seconds: f64 = self
            .0
            .iter()
            .map(|pair| pair.seconds(cells_per_second))
            .sum();
        let all: f64 = self.0.iter().map(SampledPair::table_cells).sum();
        seconds * cells_per_second / all.max(1.0)
    }

    /// The windows of these limbs that are expected to take the least time.
    pub(super) fn bands(&self, classes: &[u32]) -> Option<Bands> {
        let rates = self.rates();
        let subsets = 1usize..1 << classes.len();
        let bands = subsets.flat_map(|subset| {
            let chosen = classes.iter().enumerate();
            let limbs: Vec<u32> = chosen
                .filter(|(index, _)| subset >> index & 1 == 1)
                .map(|(_, &limbs)| limbs)
                .collect();
            rates.map(move |rate| Bands {
                limbs: limbs.clone(),
                rate,
                share: 0.0,
            })
        });
        let bands = bands.map(|bands| Bands {
            share: self.share(&bands),
            ..bands
        });
        bands.min_by(|a, b| a.share.total_cmp(&b.share))
    }

    /// Quantiles of the edits per symbol; pairs that are too far apart count as the last ones.
    fn rates(&self) -> [f64; QUANTILES.len()] {
        let mut rates: Vec<f64> = self.0.iter().filter_map(SampledPair::rate).collect();
        rates.sort_by(f64::total_cmp);
        QUANTILES.map(|quantile| {
            let index = (quantile * rates.len() as f64).ceil() as usize;
            // No pair has less than none.
            index.checked_sub(1).map_or(0.0, |index| rates[index])
        })
    }

    /// Cells by these windows, and by whole tables where they fail, as a share of those of whole
    /// tables.
    fn share(&self, bands: &Bands) -> f64 {
        let cells: f64 = self.0.iter().map(|pair| pair.cells(bands)).sum();
        let all: f64 = self.0.iter().map(SampledPair::table_cells).sum();
        cells / all.max(1.0)
    }
}

impl SampledPair {
    fn of(request: &Request<'_>, selection: &Selection<'_>, position: u64) -> Self {
        let (query, target) = selection.pair(position, request.targets.len());
        let max_distance = max_distance(request, query, target);
        let distance = match search(request, query, target, &Control::default()) {
            Ok(SearchOutcome::Distance { distance, .. }) => SampledDistance::Exactly(distance),
            Ok(SearchOutcome::GaveUp) => SampledDistance::Unrelated,
            Ok(SearchOutcome::TooFar { .. }) if request.within == Some(max_distance) => {
                SampledDistance::Exactly(max_distance + 1)
            }
            // This control is never cancelled.
            Ok(SearchOutcome::TooFar { .. }) | Err(_) => SampledDistance::TooFar(max_distance),
        };
        Self {
            lens: request.lens(query, target),
            distance,
        }
    }

    fn table_cells(&self) -> f64 {
        self.lens.cells() as f64
    }

    fn seconds(&self, cells_per_second: f64) -> f64 {
        let (rows, cols) = (self.lens.query as usize, self.lens.target as usize);
        let by_wavefronts =
            |distance| diagonal_transition::seconds::<Levenshtein>(rows, cols, distance);
        let table = self.table_cells() / cells_per_second;
        match self.distance {
            SampledDistance::Exactly(distance) => by_wavefronts(distance),
            SampledDistance::TooFar(searched) => by_wavefronts(searched) + table,
            SampledDistance::Unrelated => by_wavefronts(PROBE.isqrt()) + table,
        }
    }

    /// Edits per symbol, if they are known.
    fn rate(&self) -> Option<f64> {
        match self.distance {
            SampledDistance::Exactly(distance) => {
                Some(distance as f64 / self.lens.longer().max(1) as f64)
            }
            _ => None,
        }
    }

    fn cells(&self, bands: &Bands) -> f64 {
        let mut cells = 0.0;
        for &limbs in &bands.limbs {
            let Some(proven) = bands.proven(limbs, self.lens) else {
                continue;
            };
            // Random letters differ in at least half of the columns of a best path.
            let columns = match self.distance {
                SampledDistance::Unrelated => self.lens.target.min(2 * proven),
                _ => self.lens.target,
            };
            cells += (columns * u64::from(limbs) * LIMB_ROWS) as f64;
            if matches!(self.distance, SampledDistance::Exactly(distance) if distance <= proven) {
                return cells;
            }
        }
        cells + self.table_cells()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::bands::LIMBS;

    fn equal(len: u64) -> PairLens {
        PairLens {
            query: len,
            target: len,
        }
    }

    fn sample(pairs: impl Iterator<Item = (u64, SampledDistance)>) -> Sample {
        let pair = |(len, distance)| SampledPair {
            lens: equal(len),
            distance,
        };
        Sample(pairs.map(pair).collect())
    }

    #[test]
    fn pairs_of_mixed_lengths_begin_with_the_window_of_their_length() {
        let lens = (0..SAMPLE).map(|number| (100.0 * 100f64.powf(number as f64 / 63.0)) as u64);
        let mixed = sample(lens.map(|len| (len, SampledDistance::Exactly(len * 9 / 200))));
        let bands = mixed.bands(&LIMBS).expect("there are windows");
        assert!(bands.limbs.len() > 3, "{bands:?}");
        assert_eq!(bands.proven(4, equal(10_000)), None);
        assert!(bands.proven(4, equal(1000)).is_some());
        assert!(bands.proven(16, equal(10_000)).is_some());
        // Each pair computes one window.
        let chained = Bands {
            rate: 0.0,
            ..bands.clone()
        };
        let (once, chained) = (mixed.share(&bands), mixed.share(&chained));
        assert!(once < 0.6 * chained, "{once} {chained}");
    }

    #[test]
    fn unrelated_pairs_do_not_choose_the_windows_of_the_others() {
        let distance = |number: u64| match number % 2 {
            0 => SampledDistance::Exactly(300),
            _ => SampledDistance::Unrelated,
        };
        let mixed = sample((0..SAMPLE).map(|number| (30_000, distance(number))));
        let bands = mixed.bands(&LIMBS).expect("there are windows");
        assert_eq!(bands.limbs, [12]);
        assert!(bands.proven(12, equal(30_000)).is_some());
    }

    #[test]
    fn a_few_pairs_that_are_left_try_all_wider_windows() {
        let few = sample((0..SAMPLE).map(|_| (30_000, SampledDistance::Exactly(50))));
        let bands = few.bands(&LIMBS).expect("there are windows");
        assert_eq!(bands.limbs, [4]);
        assert!(bands.wider(24, 10, 1000).eq([8, 12, 16, 24]));
        assert_eq!(bands.wider(24, 500, 1000).count(), 0);
    }
}
