//! The strings of a call and its bound, and how much memory they take.

use std::sync::{Arc, OnceLock};

use super::gpu;
use super::join::{Found, Join, Room, Row};
use super::plan::{Costs, Lengths, Plan, Tuning, any_rows, lengths};
use super::shard::Shard;
use super::side::Side;
use super::unique::Unique;
use crate::call::control::Control;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::host::parallel;
use crate::pairs::strings::List;
use crate::pairs::{Measure, each};
use crate::sequences::typed::Typed;
use crate::substring::{Strand, dna};
use crate::symbols::hash::mix;

/// Shares of the host memory left by the fixed tables.
const INDEX_SHARE: u64 = 2;
const FOUND_SHARE: u64 = 16;
/// Their least sizes, below which the call would take for ever.
const MIN_INDEX_BYTES: u64 = 1 << 18;
const MIN_FOUND_BYTES: u64 = 1 << 16;
/// Maximum groups that are told apart for an estimate.
const MAX_COUNTED_GROUPS: usize = 1 << 20;
/// Pairs that a thread measures at least.
const MIN_MEASURED: usize = 1 << 8;

/// The strings of a call, and the bound.
pub(super) struct Request<'a> {
    pub(super) rows: List<'a>,
    /// `None` for pairs of one list.
    pub(super) columns: Option<List<'a>>,
    /// Groups of the rows and of the columns; empty without groups.
    pub(super) groups: [&'a [u32]; 2],
    /// Looks up the reverse complements of the rows, too.
    pub(super) both_strands: bool,
    /// Edit distances, or Hamming distances or optimal string alignments.
    pub(super) measure: Measure,
    pub(super) within: u64,
    pub(super) shard: Shard,
    pub(super) tuning: &'a Tuning,
    /// Numbers of strings by length, once they are counted: of the rows, and of a list of columns.
    pub(super) lengths: OnceLock<Vec<Arc<Lengths>>>,
}

/// Distinct strings of a call.
pub(super) struct Sides<'a> {
    pub(super) rows: Side<'a>,
    pub(super) columns: Option<Side<'a>>,
}

impl<'a> Sides<'a> {
    pub(super) fn columns(&self) -> &Side<'a> {
        self.columns.as_ref().unwrap_or(&self.rows)
    }
}

impl<'a> Request<'a> {
    pub(super) fn lists(&self) -> Vec<List<'a>> {
        std::iter::once(self.rows).chain(self.columns).collect()
    }

    pub(super) fn columns(&self) -> List<'a> {
        self.columns.unwrap_or(self.rows)
    }

    pub(super) fn lengths(&self) -> &[Arc<Lengths>] {
        let of_list = |list: List<'_>| {
            let count = || lengths(list.len(), |index| list.len_of(index));
            match list.kept() {
                Some(kept) => kept.get_or_make(count),
                None => Arc::new(count()),
            }
        };
        let make = || self.lists().into_iter().map(of_list).collect();
        self.lengths.get_or_init(make)
    }

    /// Edits within which all pairs are found: no more than the longest string has symbols.
    pub(super) fn k(&self) -> usize {
        let longest = self.lengths().iter().flat_map(|of_list| of_list.keys());
        let longest = longest.copied().max().unwrap_or(0);
        let edits = match self.measure {
            // An exchange of neighbouring symbols is two edits.
            Measure::Osa => self.within.saturating_mul(2),
            _ => self.within,
        };
        usize::try_from(edits).map_or(longest, |edits| edits.min(longest))
    }

    /// Leaves the pairs within the bound, with their values, if these are not edit distances.
    pub(super) fn measured(
        &self,
        engine: &Engine,
        sides: &Sides<'_>,
        rows: &[Row],
        found: &mut Vec<Found>,
    ) {
        if self.measure == Measure::Edit {
            return;
        }
        let value = |found: &Found| match [
            sides.rows.string(rows[found.index as usize].number),
            sides.columns().string(found.column),
        ] {
            [Typed::Bytes(a), Typed::Bytes(b)] => each::of_pair(self.measure, a, b),
            [Typed::Numbers(a), Typed::Numbers(b)] => each::of_pair(self.measure, a, b),
            _ => u64::MAX, // Letters have no neighbours.
        };
        let all = std::mem::take(found);
        let add = |index: usize, kept: &mut Vec<Found>| {
            let value = value(&all[index]);
            kept.extend((value <= self.within).then_some(Found {
                distance: value as u32,
                ..all[index]
            }));
        };
        let range_len = parallel::range_len(all.len(), MIN_MEASURED);
        engine.on_threads(|| parallel::extend(found, all.len(), range_len, add));
    }

    pub(super) fn cells(&self) -> u128 {
        let symbols = |strings: List<'_>| u128::from(strings.symbols_before(strings.len()));
        let cells = match self.columns {
            Some(columns) => symbols(self.rows) * symbols(columns),
            None => {
                let lengths = self.lengths()[0].iter();
                let squares = lengths.map(|(&len, &count)| (len as u128).pow(2) * count as u128);
                (symbols(self.rows).pow(2) - squares.sum::<u128>()) / 2
            }
        };
        cells * self.strands().len() as u128
    }

    pub(super) fn strands(&self) -> &'static [Strand] {
        &Strand::ALL[..1 + usize::from(self.both_strands)]
    }

    fn reverse_bytes(&self) -> u64 {
        let rows = self.rows.len();
        let bytes = self.rows.symbols_before(rows) + rows as u64 * size_of::<u64>() as u64;
        bytes * u64::from(self.both_strands)
    }

    /// Share of all pairs whose strings are of one group, from above; `None` without groups.
    fn group_share(&self) -> Option<f64> {
        let [rows, columns] = self.groups;
        let most = rows.len().max(columns.len());
        if most == 0 {
            return None;
        }
        let size = most.next_power_of_two().min(MAX_COUNTED_GROUPS);
        let mut counts = vec![[0u32; 2]; size];
        for (side, groups) in [rows, columns].into_iter().enumerate() {
            for &group in groups {
                counts[mix(group.into()) as usize % size][side] += 1;
            }
        }
        let pairs = counts
            .iter()
            .map(|&[rows, columns]| f64::from(rows) * f64::from(columns));
        let all = rows.len() as f64 * columns.len() as f64;
        Some(pairs.sum::<f64>() / all.max(1.0))
    }

    /// Bytes of the tables of all strings.
    pub(super) fn fixed_bytes(&self) -> u64 {
        let (rows, columns) = (
            self.rows.len(),
            self.columns.map_or(0, |columns| columns.len()),
        );
        let (of_rows, while_made) = Unique::size_bytes(rows.max(columns));
        let unique = of_rows + if columns > 0 { while_made } else { of_rows };
        let columns = self.shard.count(self.columns().len());
        unique + Join::size_bytes(columns) + self.reverse_bytes()
    }

    /// # Errors
    /// [`Error::MethodUnavailable`] for another measure; [`Error::OutOfRange`] for too many strings;
    /// [`Error::MemoryBudget`] if the tables of the strings do not fit. For both strands errors of
    /// strings that are no DNA.
    pub(super) fn check(&self, engine: &Engine) -> Result<()> {
        if !matches!(
            self.measure,
            Measure::Edit | Measure::Hamming | Measure::Osa
        ) {
            return Err(Error::MethodUnavailable {
                method: self.measure.name(),
                device: "neighbors".to_string(),
                reason: "they are by the measures 'edit', 'hamming' and 'osa'".to_string(),
            });
        }
        engine.on_threads(|| self.lengths());
        let most = self.rows.len().max(self.columns().len());
        // Reverse complements have numbers, too.
        let allowed = u32::MAX as usize / self.strands().len();
        if most >= allowed {
            return Err(Error::OutOfRange {
                what: "the number of strings",
                given: most as u64,
                allowed: format!("less than {allowed}"),
            });
        }
        if self.both_strands {
            for (input, list) in self.lists().into_iter().enumerate() {
                dna_check(engine, input, list)?;
            }
        }
        engine.check_host_budget("the tables of the strings", self.fixed_bytes().into())
    }

    /// Host memory for the pairs of a call that keeps them.
    pub(super) fn kept_bytes(&self, engine: &Engine) -> u64 {
        let rest = engine.host_budget().saturating_sub(self.fixed_bytes());
        rest - rest / INDEX_SHARE - rest / FOUND_SHARE
    }

    pub(super) fn room(&self, engine: &Engine) -> Room {
        let rest = engine.host_budget().saturating_sub(self.fixed_bytes());
        Room {
            index_bytes: (rest / INDEX_SHARE).max(MIN_INDEX_BYTES),
            found_bytes: (rest / FOUND_SHARE / self.strands().len() as u64).max(MIN_FOUND_BYTES),
        }
    }

    /// Collapses equal strings. Runs on the threads of the engine.
    pub(super) fn sides(&self, engine: &Engine, control: &Control) -> Result<Sides<'a>> {
        let [rows, columns] = self.groups;
        engine.on_threads(|| {
            Ok(Sides {
                rows: Side::new(self.rows, rows, self.both_strands, control)?,
                columns: self
                    .columns
                    .map(|list| Side::new(list, columns, false, control))
                    .transpose()?,
            })
        })
    }

    pub(super) fn plan(
        &self,
        mut rows: Lengths,
        columns: Option<Lengths>,
        is_on_gpu: bool,
    ) -> Plan {
        // A string may equal the reverse complement of another one.
        let is_same = columns.is_none() && !self.both_strands;
        let columns = columns.unwrap_or_else(|| rows.clone());
        rows.values_mut()
            .for_each(|count| *count *= self.strands().len());
        let kept = self.kept();
        let own_rows = rows.values().sum::<usize>() as f64;
        if kept.is_some() {
            rows = any_rows(&columns, self.k());
        }
        let share = own_rows / (rows.values().sum::<usize>() as f64).max(1.0);
        let costs = if is_on_gpu { gpu::COSTS } else { Costs::CPU };
        let (k, group_share) = (self.k(), self.group_share());
        let mut plan = Plan::new(k, rows, &columns, is_same, group_share, costs, self.tuning);
        if let Some(kept) = kept {
            plan.lookup_seconds *= share;
            if kept.is_indexed(self, is_on_gpu) {
                plan.index_seconds = 0.0;
            }
        }
        plan
    }

    /// Plan as if all strings were distinct.
    pub(super) fn plan_of_all(&self, is_on_gpu: bool) -> Plan {
        let all = self.lengths();
        let columns = self.has_own_columns().then(|| match self.shard {
            Shard::ALL => Lengths::clone(&all[1]),
            shard => {
                let columns = self.columns();
                let len_of = |rank| columns.len_of(shard.number(rank as u32) as usize);
                lengths(shard.count(columns.len()), len_of)
            }
        });
        self.plan(Lengths::clone(&all[0]), columns, is_on_gpu)
    }

    /// True unless the columns are all rows.
    pub(super) fn has_own_columns(&self) -> bool {
        self.columns.is_some() || self.shard != Shard::ALL
    }
}

/// # Errors
/// [`Error::NotDna`], and [`Error::MethodUnavailable`] for symbols that are no bytes.
fn dna_check(engine: &Engine, input: usize, list: List<'_>) -> Result<()> {
    let Typed::Bytes(strings) = list else {
        return Err(Error::MethodUnavailable {
            method: "neighbors",
            device: "symbols that are not bytes".to_string(),
            reason: "reverse strands need bytes".to_string(),
        });
    };
    engine.on_threads(|| {
        let all = dna::check(input, &[strings.symbols()]);
        all.or_else(|_| dna::check(input, &strings.iter().collect::<Vec<_>>()))
    })
}
