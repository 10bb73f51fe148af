//! Choice of the wavefront search: forced, or expected to be faster than every sweep.

use std::marker::PhantomData;

use super::plan::{Packed, SearchPlan};
use super::sizes::SearchSizes;
use crate::engine::placement::Cost;
use crate::error::{Error, Result};
use crate::path_mode::PathMode;
use crate::sequences::bit_parallel::gpu::Sizing;
use crate::sequences::bit_parallel::shape::Shape;
use crate::sequences::cost_estimate::CostEstimate;
use crate::sequences::diagonal_transition::WavefrontRecurrence;
use crate::sequences::request::Request;

/// First bound without a cost estimate.
const FIRST_BOUND: u64 = 256;
const GROWTH: u64 = 2;
/// Divisor of the margin on the first bound. Wavefronts past the distance cost little, a second
/// search costs everything again.
const MARGIN: u64 = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchChoice<'a, R> {
    pub sizing: Sizing<'a>,
    pub request: Request<'a>,
    /// The full table.
    whole: Shape,
    bits: u32,
    recurrence: PhantomData<R>,
}

impl<'a, R: WavefrontRecurrence> SearchChoice<'a, R> {
    pub(crate) fn new(sizing: Sizing<'a>, request: Request<'a>, whole: Shape) -> Self {
        Self {
            sizing,
            request,
            whole,
            bits: Packed::bits(whole.alphabet.shared),
            recurrence: PhantomData,
        }
    }

    fn up_to(&self, bound: u64) -> SearchSizes {
        SearchSizes::new::<R>(self.whole.rows as usize, self.whole.cols as usize, bound)
    }

    fn within(&self, bound: u64) -> SearchSizes {
        let front = self.up_to(bound);
        let fits = |front: &SearchSizes| front.check(&self.sizing, self.bits).is_ok();
        if self.request.path {
            front.for_path(fits)
        } else {
            front
        }
    }

    /// The first search; `None` if a sweep is expected to be faster or the device lacks the memory.
    pub(crate) fn first(&self) -> Result<Option<SearchSizes>> {
        match self.request.estimate {
            Some(CostEstimate { upper, .. }) => {
                self.wavefronts(upper.saturating_add(upper / MARGIN))
            }
            None if self.request.forced() => self.wavefronts(FIRST_BOUND),
            None => Ok(None),
        }
    }

    pub(crate) fn next(&self, front: &SearchSizes) -> Result<Option<SearchSizes>> {
        self.wavefronts(front.bound.saturating_mul(GROWTH))
    }

    pub(crate) fn is_enough(&self, front: &SearchSizes) -> bool {
        front.bound >= self.up_to(self.request.max_cost).bound
    }

    fn wavefronts(&self, bound: u64) -> Result<Option<SearchSizes>> {
        let skew = self.whole.rows.abs_diff(self.whole.cols);
        let bound = bound.max(skew).min(self.request.max_cost);
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
                // Memory that suffices for every distance.
                let smallest =
                    SearchPlan::size_bytes(&self.within(self.request.max_cost), self.bits);
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

    /// Whether a search up to `bound` is expected to be faster than sweeping the band or the full
    /// table.
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
            // Wavefronts do not depend on the alphabet size, and their memory depends on the
            // distance.
            Err(
                Error::TooManySymbols { .. }
                | Error::MemoryBudget { .. }
                | Error::InputTooLong { .. },
            ) => Ok(true),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn cost(&self, front: &SearchSizes) -> Cost {
        let kept = front.half() / front.spacing_of_kept() + 1;
        let expected = front.expected(self.request.path, self.sizing.capabilities);
        Cost {
            path_mode: PathMode::Wavefronts.if_path(self.request.path),
            tile: front.tile(),
            strips: front.bound,
            passes: front.passes(),
            device_bytes: SearchPlan::size_bytes(front, self.bits),
            // Packed symbols and the table of stored wavefronts, before the upload.
            host_bytes: 4 * (Packed::size(front.rows, front.cols, self.bits) + 6 * kept),
            ..Cost::new(expected.as_secs_f64())
        }
    }
}
