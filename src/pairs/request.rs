//! What is computed for each pair.

use super::measure::{MAX_MATCHES, Measure, SHORT};
use super::strings::List;
use super::values::Width;
use crate::edit_distance::Mode;
use crate::error::{Error, Result};
use crate::sequences::bit_parallel::cpu::lane_patterns::Ends;
use crate::sequences::typed::{Two, map_type};

/// The strings, and what is computed for their pairs.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) queries: List<'a>,
    pub(super) targets: List<'a>,
    pub(super) measure: Measure,
    pub(super) mode: Mode,
    pub(super) within: Option<u64>,
}

impl Request<'_> {
    /// # Errors
    /// [`Error::MethodUnavailable`] for a mode or bound that the measure does not have.
    pub(super) fn check(&self) -> Result<()> {
        let refuse = |reason: &str| {
            Err(Error::MethodUnavailable {
                method: self.measure.name(),
                device: "pairs with these options".to_string(),
                reason: reason.to_string(),
            })
        };
        if self.measure != Measure::Edit && self.mode != Mode::Global {
            return refuse("only the measure 'edit' has the modes 'prefix' and 'infix'");
        }
        if self.within.is_some() && self.measure == Measure::Lcs {
            return refuse("a length has no greatest distance; bound the measure 'indel'");
        }
        if self.within.is_some() && !self.measure.is_distance() {
            return refuse("a similarity has no greatest distance; leave the bound out");
        }
        if self.measure.is_fraction() {
            let lens = self.queries.lens().chain(self.targets.lens());
            let longest = lens.max().unwrap_or(0) as u64;
            if longest > MAX_MATCHES {
                return Err(Error::InputTooLong {
                    what: "a string",
                    actual: longest,
                    limit: MAX_MATCHES,
                    remedy: "compare it by the measure 'edit' or 'indel'",
                });
            }
        }
        Ok(())
    }

    pub(super) fn ends(&self) -> Ends {
        match self.mode {
            Mode::Global => Ends::Both,
            Mode::Prefix => Ends::Start,
            Mode::Infix => Ends::Free,
        }
    }

    /// True if a table ends as soon as its value exceeds the bound.
    fn ends_early(&self) -> bool {
        self.measure.is_distance() && self.measure != Measure::Indel
    }

    pub(super) fn scoring(&self) -> Scoring {
        Scoring {
            measure: self.measure,
            ends: self.ends(),
            // No value exceeds `u32::MAX`; sums with greater bounds could wrap.
            limit: self
                .within
                .filter(|&within| self.ends_early() && within < u32::MAX.into()),
            max_value: self
                .within
                .map_or(u64::MAX, |within| within.saturating_add(1)),
        }
    }

    pub(super) fn pair(&self, query: usize, target: usize) -> Result<Two<'_>> {
        let query = map_type!(self.queries, |list| list[query].into());
        Two::of_symbols(query, map_type!(self.targets, |list| list[target].into()))
    }

    pub(super) fn lens(&self, query: usize, target: usize) -> PairLens {
        PairLens {
            query: self.queries.len_of(query) as u64,
            target: self.targets.len_of(target) as u64,
        }
    }

    /// Greatest value; greater ones are cut to it.
    pub(super) fn most(&self) -> u32 {
        self.within.map_or(u32::MAX, |within| {
            u32::try_from(within.saturating_add(1)).unwrap_or(u32::MAX)
        })
    }

    pub(super) fn greatest(&self) -> u64 {
        let longest = |strings: List<'_>| strings.lens().max().unwrap_or(0) as u64;
        let (query, target) = (longest(self.queries), longest(self.targets));
        let greatest = match self.measure {
            Measure::Lcs => query.min(target),
            measure if measure.is_jaro() && query.max(target) <= SHORT => u16::MAX.into(),
            measure if measure.is_fraction() => u32::MAX.into(),
            measure => measure.greatest(self.mode, query, target),
        };
        greatest.min(
            self.within
                .map_or(u64::MAX, |within| within.saturating_add(1)),
        )
    }

    pub(super) fn width(&self) -> Width {
        Width::of(self.greatest())
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PairLens {
    pub(super) query: u64,
    pub(super) target: u64,
}

impl PairLens {
    pub(super) fn cells(self) -> u128 {
        u128::from(self.query) * u128::from(self.target)
    }

    pub(super) fn shorter(self) -> u64 {
        self.query.min(self.target)
    }

    pub(super) fn longer(self) -> u64 {
        self.query.max(self.target)
    }
}

/// How values follow from tables.
#[derive(Clone, Copy)]
pub(super) struct Scoring {
    pub(super) measure: Measure,
    pub(super) ends: Ends,
    /// Bound that ends a table early.
    pub(super) limit: Option<u64>,
    /// Greatest value: one more than the bound.
    max_value: u64,
}

impl Scoring {
    #[inline(always)]
    pub(super) fn value(&self, last: u64, lens: (u64, u64)) -> u32 {
        self.measure.value(last, lens.0, lens.1).min(self.max_value) as u32
    }
}
