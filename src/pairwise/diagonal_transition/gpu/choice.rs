//! Which wavefronts a call takes: those that are asked for, or expected to be faster than every sweep.

use super::plan::{Packed, Search};
use super::sizes::SearchSizes;
use crate::engine::report::PlanSummary;
use crate::error::{Error, Result};
use crate::pairwise::bit_parallel::gpu::Sizing;
use crate::pairwise::bit_parallel::shape::Shape;
use crate::pairwise::guess::Guess;
use crate::pairwise::request::{Request, Strategy};

/// The first bound without a guess.
const FIRST_BOUND: u64 = 256;
/// How much greater the next bound is.
const GROWTH: u64 = 2;
/// By which part of a guess the first bound is greater: wavefronts past the distance cost little, a search again costs all.
const MARGIN: u64 = 4;

/// What the wavefronts of a call are chosen by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice<'a, const SPACING: i64> {
    pub sizing: Sizing<'a>,
    pub request: Request<'a>,
    /// All cells.
    whole: Shape,
    /// Bits of a packed symbol.
    bits: u32,
}

impl<'a, const SPACING: i64> Choice<'a, SPACING> {
    pub(crate) fn new(sizing: Sizing<'a>, request: Request<'a>, whole: Shape) -> Self {
        Self {
            sizing,
            request,
            whole,
            bits: Packed::bits(whole.shared),
        }
    }

    /// The wavefronts up to a bound, of which none is kept.
    fn up_to(&self, bound: u64) -> SearchSizes {
        SearchSizes::new::<SPACING>(self.whole.rows as usize, self.whole.cols as usize, bound)
    }

    /// The wavefronts up to a bound, of which those that the path needs are kept.
    fn within(&self, bound: u64) -> SearchSizes {
        let front = self.up_to(bound);
        let fits = |front: &SearchSizes| front.check(&self.sizing, self.bits).is_ok();
        if self.request.path {
            front.for_path(fits)
        } else {
            front
        }
    }

    /// The first wavefronts; `None` where a sweep is expected to be faster, or the device has no room for wavefronts.
    ///
    /// # Errors
    /// Where wavefronts are asked for, as [`SearchSizes::check`].
    pub(crate) fn first(&self) -> Result<Option<SearchSizes>> {
        match self.request.guess {
            Some(Guess { most, .. }) => self.wavefronts(most.saturating_add(most / MARGIN)),
            None if self.request.forced() => self.wavefronts(FIRST_BOUND),
            None => Ok(None),
        }
    }

    /// The wavefronts after those that were not enough.
    ///
    /// # Errors
    /// As [`first`](Self::first).
    pub(crate) fn next(&self, front: &SearchSizes) -> Result<Option<SearchSizes>> {
        self.wavefronts(front.bound.saturating_mul(GROWTH))
    }

    /// Whether there is no distance of interest beyond these wavefronts.
    pub(crate) fn is_enough(&self, front: &SearchSizes) -> bool {
        front.bound >= self.up_to(self.request.most).bound
    }

    fn wavefronts(&self, bound: u64) -> Result<Option<SearchSizes>> {
        let skew = self.whole.rows.abs_diff(self.whole.cols);
        let bound = bound.max(skew).min(self.request.most);
        if !self.request.forced() && !self.faster(bound)? {
            return Ok(None);
        }
        let front = self.within(bound);
        match front.check(&self.sizing, self.bits) {
            Err(Error::MemoryBudget {
                what,
                needed,
                limit,
                ..
            }) if self.request.forced() => {
                // Whatever the distance, that much is enough.
                let smallest = Search::size_bytes(&self.within(self.request.most), self.bits);
                Err(Error::MemoryBudget {
                    what,
                    needed,
                    limit,
                    smallest,
                })
            }
            Err(Error::MemoryBudget { .. } | Error::InputTooLong { .. })
                if !self.request.forced() =>
            {
                Ok(None)
            }
            checked => checked.map(|()| Some(front)),
        }
    }

    /// Whether wavefronts up to a bound are expected to be faster than a sweep of the whole table and of a band.
    fn faster(&self, bound: u64) -> Result<bool> {
        let sizing = &self.sizing;
        let shape = sizing
            .band(self.whole, bound, false)
            .map(|band| band.unwrap_or(self.whole));
        match shape.and_then(|shape| sizing.seconds(shape)) {
            Ok(swept) => {
                let wavefronts = self
                    .up_to(bound)
                    .expected(self.request.path, sizing.capabilities);
                Ok(wavefronts.as_secs_f64() < swept)
            }
            // Wavefronts compare symbols, however many there are, and take memory by what inputs differ in.
            Err(
                Error::TooManySymbols { .. }
                | Error::MemoryBudget { .. }
                | Error::InputTooLong { .. },
            ) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// What these wavefronts would do.
    pub(crate) fn summarize(&self, front: &SearchSizes) -> PlanSummary<Strategy> {
        let kept = front.half() / front.spacing_of_kept() + 1;
        PlanSummary {
            method: Strategy::Wavefronts,
            device: self.sizing.name.to_string(),
            path_mode: if self.request.path {
                "wavefronts"
            } else {
                "none"
            },
            cells: u128::from(self.whole.rows) * u128::from(self.whole.cols),
            tile: front.tile(),
            strips: front.bound,
            passes: front.passes(),
            device_bytes: Search::size_bytes(front, self.bits),
            // Packed symbols and the table of wavefronts, before they are uploaded.
            host_bytes: 4 * (Packed::size(front.rows, front.cols, self.bits) + 6 * kept),
            expected: front.expected(self.request.path, self.sizing.capabilities),
        }
    }
}
