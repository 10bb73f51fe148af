//! What is computed for each pair.

use super::strings::List;
use super::values::Width;
use crate::edit_distance::Mode;
use crate::error::{Error, Result};
use crate::sequences::affixes::Stripped;
use crate::sequences::bit_parallel::cpu::lane_patterns::Ends;
use crate::sequences::bit_parallel::cpu::small;
use crate::sequences::bit_parallel::recurrence;
use crate::sequences::codes::Symbol;
use crate::sequences::typed::{Two, map_type};
use crate::sequences::ways::one_thread::is_tiny;

/// Value of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Measure {
    /// Edit distance with unit costs: insertions, deletions and substitutions.
    #[default]
    Edit,
    /// Insertions and deletions only: `a.len() + b.len() - 2 * lcs`.
    Indel,
    /// Length of the longest common subsequence.
    Lcs,
}

impl Measure {
    /// All measures, in documentation order.
    pub const ALL: [Measure; 3] = [Measure::Edit, Measure::Indel, Measure::Lcs];

    /// Name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Edit => "edit",
            Measure::Indel => "indel",
            Measure::Lcs => "lcs",
        }
    }

    /// Value of one small pair, computed on the calling thread without an engine; `None` if the
    /// pair is larger than some hundred symbols each, or has letters that match others.
    ///
    /// For callers with one pair at a time, whose table takes about as long as a call of an engine.
    ///
    /// ```
    /// use swath::pairs::Measure;
    ///
    /// assert_eq!(Measure::Edit.of_small_pair(b"kitten", b"sitting"), Some(3));
    /// assert_eq!(Measure::Lcs.of_small_pair(&[1u8; 5000], &[1; 5000]), None);
    /// ```
    pub fn of_small_pair<S: Symbol>(self, a: &[S], b: &[S]) -> Option<u64> {
        if S::MATCHES_OTHERS || !is_tiny(a.len(), b.len()) {
            return None;
        }
        let stripped = Stripped::new(a, b);
        let (rows, cols) = (stripped.rows, stripped.cols);
        let last = match self {
            Measure::Edit => small::last_value::<recurrence::Edit, S>(rows, cols) as u64,
            Measure::Indel | Measure::Lcs => {
                let length = small::last_value::<recurrence::Lcs, S>(rows, cols) as u64;
                length + (stripped.prefix + stripped.suffix) as u64
            }
        };
        Some(self.value(last, (a.len() as u64, b.len() as u64)))
    }

    /// Value of a pair from the last value of its table.
    #[inline(always)]
    fn value(self, last: u64, (query, target): (u64, u64)) -> u64 {
        match self {
            Measure::Edit | Measure::Lcs => last,
            Measure::Indel => query + target - 2 * last,
        }
    }
}

crate::names::named!(Measure, "measure");

/// The strings, and what is computed for their pairs.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) queries: List<'a>,
    pub(super) targets: List<'a>,
    pub(super) measure: Measure,
    pub(super) mode: Mode,
    /// Greatest distance of interest.
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
        if self.measure == Measure::Lcs && self.within.is_some() {
            return refuse("a length has no greatest distance; bound the measure 'indel'");
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

    pub(super) fn scoring(&self) -> Scoring {
        Scoring {
            measure: self.measure,
            ends: self.ends(),
            // No value exceeds `u32::MAX`; sums with greater bounds could wrap.
            limit: self
                .within
                .filter(|&within| self.measure == Measure::Edit && within < u32::MAX.into()),
            max_value: self
                .within
                .map_or(u64::MAX, |within| within.saturating_add(1)),
        }
    }

    /// Strings of a pair.
    ///
    /// # Errors
    /// None for lists of one type.
    pub(super) fn pair(&self, (query, target): (usize, usize)) -> Result<Two<'_>> {
        let query = map_type!(self.queries, |list| list[query].into());
        Two::of_symbols(query, map_type!(self.targets, |list| list[target].into()))
    }

    /// Lengths of the strings of a pair.
    pub(super) fn lens(&self, (query, target): (usize, usize)) -> (u64, u64) {
        (
            self.queries.len_of(query) as u64,
            self.targets.len_of(target) as u64,
        )
    }

    /// Greatest value; greater ones are cut to it.
    pub(super) fn most(&self) -> u32 {
        self.within.map_or(u32::MAX, |within| {
            u32::try_from(within.saturating_add(1)).unwrap_or(u32::MAX)
        })
    }

    /// Greatest possible value.
    pub(super) fn greatest(&self) -> u64 {
        let longest = |strings: List<'_>| strings.lens().max().unwrap_or(0) as u64;
        let (query, target) = (longest(self.queries), longest(self.targets));
        let greatest = match (self.measure, self.mode) {
            (Measure::Edit, Mode::Global) => query.max(target),
            (Measure::Edit, _) => query,
            (Measure::Indel, _) => query + target,
            (Measure::Lcs, _) => query.min(target),
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

/// How values follow from tables.
#[derive(Clone, Copy)]
pub(super) struct Scoring {
    measure: Measure,
    pub(super) ends: Ends,
    /// Bound that ends a table early.
    pub(super) limit: Option<u64>,
    /// Greatest value: one more than the bound.
    max_value: u64,
}

impl Scoring {
    /// Value of a pair from the last value of its table.
    #[inline(always)]
    pub(super) fn value(&self, last: u64, lens: (u64, u64)) -> u32 {
        self.measure.value(last, lens).min(self.max_value) as u32
    }
}
