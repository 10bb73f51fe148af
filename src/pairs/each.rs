//! Measures that the CPU computes pair by pair: Hamming distances and Jaro similarities.

use std::ops::Range;

use super::cpu::Texts;
use super::measure::{MAX_PREFIX, Measure, jaro_value};
use super::request::{Request, Scoring};
use super::solve::Work;
use super::values::Value;
use crate::call::control::Control;
use crate::error::Result;
use crate::host::parallel;
use crate::sequences::codes::Symbol;
use crate::symbols::alphabet::Alphabet;

/// Pairs that a thread takes at least, and targets of one task.
const MIN_PAIRS: usize = 1 << 12;
const TASK_TARGETS: usize = 1 << 12;
/// Symbols of all pairs that the calling thread compares before a thread of the pool has woken up.
const SYMBOLS_OF_ONE_THREAD: u64 = 1 << 16;

/// Value of a pair.
pub(super) fn of_pair<S: Symbol>(measure: Measure, a: &[S], b: &[S]) -> u64 {
    let alphabet = Alphabet::of([a]);
    let query = Query::new(alphabet.encoded(a), alphabet.codes());
    query.value(measure, &alphabet.encoded(b), &mut Scratch::default())
}

/// Values of queries with targets, row by row.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(super) fn rectangle<V: Value>(
    work: &Work<'_>,
    rows: Range<usize>,
    columns: Range<usize>,
    control: &Control,
) -> Result<Vec<V>> {
    let (request, targets) = (&work.request, work.request.targets);
    let symbols = targets.symbols_before(columns.end) - targets.symbols_before(columns.start);
    let is_small = symbols * rows.len() as u64 <= SYMBOLS_OF_ONE_THREAD;
    let shared = work.alphabet.as_ref().map(|alphabet| {
        let texts = Texts::new(targets, columns.clone(), alphabet);
        (alphabet, texts)
    });
    let scoring = request.scoring();
    let of_row = |row: usize, control: &Control| {
        let own;
        let (alphabet, texts) = match &shared {
            Some((alphabet, texts)) => (*alphabet, texts),
            None => {
                let alphabet = Alphabet::of([request.queries.string(row)]);
                let texts = Texts::new(targets, columns.clone(), &alphabet);
                own = (alphabet, texts);
                (&own.0, &own.1)
            }
        };
        let query = Query::new(
            alphabet.encoded(request.queries.string(row)),
            alphabet.codes(),
        );
        let of_range = |range: Range<usize>| {
            control.check()?;
            let mut scratch = Scratch::default();
            let value =
                |target| query.scored(request.measure, &scoring, texts.text(target), &mut scratch);
            Ok(range.map(value).map(V::narrowed).collect::<Vec<V>>())
        };
        let task = if is_small {
            columns.len()
        } else {
            TASK_TARGETS
        };
        let found = parallel::try_map_ranges(columns.len(), task.max(1), of_range)?;
        Ok(parallel::concat(found))
    };
    if is_small {
        let rows: Vec<Vec<V>> = rows
            .map(|row| of_row(row, control))
            .collect::<Result<_>>()?;
        return Ok(rows.concat());
    }
    let found = parallel::try_map(rows.len(), |row| of_row(rows.start + row, control))?;
    Ok(parallel::concat(found))
}

/// Values of single pairs, in their order.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(super) fn entries(
    work: &Work<'_>,
    pairs: &[(usize, usize)],
    control: &Control,
) -> Result<Vec<u32>> {
    let request = &work.request;
    let scoring = request.scoring();
    let of_range = |range: Range<usize>| {
        control.check()?;
        let mut scratch = Scratch::default();
        let mut known: Option<(usize, Alphabet, Query)> = None;
        let value = |&(query, target): &(usize, usize)| {
            let known = match &mut known {
                Some(known) if known.0 == query => known,
                other => other.insert(of_query(request, query)),
            };
            let text = known.1.encoded(request.targets.string(target));
            known
                .2
                .scored(request.measure, &scoring, &text, &mut scratch)
        };
        Ok(pairs[range].iter().map(value).collect::<Vec<_>>())
    };
    let range_len = parallel::range_len(pairs.len(), MIN_PAIRS);
    let found = parallel::try_map_ranges(pairs.len(), range_len.max(1), of_range)?;
    Ok(parallel::concat(found))
}

fn of_query(request: &Request<'_>, query: usize) -> (usize, Alphabet, Query) {
    let string = request.queries.string(query);
    let alphabet = Alphabet::of([string]);
    let prepared = Query::new(alphabet.encoded(string), alphabet.codes());
    (query, alphabet, prepared)
}

/// A query in limbs of 64 rows.
struct Query {
    codes: Vec<u32>,
    limbs: usize,
    /// `[code][limb]`; code 0 matches nothing.
    masks: Vec<u64>,
}

/// Flags of rows and of columns that are matched.
#[derive(Default)]
struct Scratch {
    rows: Vec<u64>,
    columns: Vec<u64>,
}

impl Query {
    /// A query of codes from 1 to `greatest`.
    fn new(codes: Vec<u32>, greatest: usize) -> Self {
        let limbs = codes.len().div_ceil(64);
        let mut masks = vec![0; (greatest + 1) * limbs];
        for (row, &code) in codes.iter().enumerate() {
            masks[code as usize * limbs + row / 64] |= 1 << (row % 64);
        }
        Self {
            codes,
            limbs,
            masks,
        }
    }

    #[inline(always)]
    fn scored(
        &self,
        measure: Measure,
        scoring: &Scoring,
        target: &[u32],
        scratch: &mut Scratch,
    ) -> u32 {
        let lens = (self.codes.len() as u64, target.len() as u64);
        scoring.value(self.value(measure, target, scratch), lens)
    }

    #[inline(always)]
    fn value(&self, measure: Measure, target: &[u32], scratch: &mut Scratch) -> u64 {
        if measure == Measure::Hamming {
            let pairs = self.codes.iter().zip(target);
            let differ = pairs.map(|(a, b)| u32::from(a != b)).sum::<u32>();
            return u64::from(differ) + self.codes.len().abs_diff(target.len()) as u64;
        }
        let similar = if self.codes.is_empty() || target.is_empty() {
            0
        } else if self.limbs == 1 && target.len() <= 64 {
            self.jaro_of_limb(target)
        } else {
            self.jaro(target, scratch)
        };
        if measure == Measure::Jaro {
            return similar;
        }
        let common = self.codes.iter().zip(target).take(MAX_PREFIX);
        let prefix = common.take_while(|(a, b)| a == b).count() as u64;
        similar | prefix
    }

    fn longer(&self, target: &[u32]) -> u64 {
        self.codes.len().max(target.len()) as u64
    }

    /// Symbols beside the same place that may match.
    fn reach(&self, target: &[u32]) -> usize {
        (self.longer(target) as usize / 2).saturating_sub(1)
    }

    /// [`jaro`](Self::jaro) of two strings of at most 64 symbols each.
    fn jaro_of_limb(&self, target: &[u32]) -> u64 {
        let reach = self.reach(target) as u32;
        // Rows within reach of the column: at first those up to `reach`.
        let mut within = u64::MAX >> (63 - reach);
        let (mut rows, mut columns) = (0u64, 0u64);
        for (column, &code) in (0..).zip(target) {
            let free = self.masks[code as usize] & within & !rows;
            rows |= free & free.wrapping_neg();
            columns |= u64::from(free != 0) << column;
            within = within << 1 | u64::from(column < reach);
        }
        let matches = rows.count_ones().into();
        let mut unequal = 0;
        while columns != 0 {
            let code = target[columns.trailing_zeros() as usize];
            let row = rows & rows.wrapping_neg();
            unequal += u64::from(self.masks[code as usize] & row == 0);
            columns &= columns - 1;
            rows ^= row;
        }
        jaro_value(self.longer(target), matches, unequal / 2)
    }

    /// Matches and half of the transpositions.
    fn jaro(&self, target: &[u32], Scratch { rows, columns }: &mut Scratch) -> u64 {
        let (reach, len) = (self.reach(target), self.codes.len());
        rows.clear();
        rows.resize(self.limbs, 0);
        columns.clear();
        columns.resize(target.len().div_ceil(64), 0);
        let mut matches = 0;
        for (column, &code) in target.iter().enumerate().take(len + reach) {
            let masks = &self.masks[code as usize * self.limbs..][..self.limbs];
            let (first, end) = (column.saturating_sub(reach), len.min(column + reach + 1));
            for limb in first / 64..end.div_ceil(64) {
                let below = (end - 64 * limb).min(64);
                let within = !0 << first.saturating_sub(64 * limb) & (!0 >> (64 - below));
                let free = masks[limb] & within & !rows[limb];
                if free != 0 {
                    rows[limb] |= free & free.wrapping_neg();
                    columns[column / 64] |= 1 << (column % 64);
                    matches += 1;
                    break;
                }
            }
        }
        let pairs = ones(rows).zip(ones(columns));
        let unequal = pairs.filter(|&(row, column)| self.codes[row] != target[column]);
        jaro_value(self.longer(target), matches, unequal.count() as u64 / 2)
    }
}

/// Places of the set bits.
fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(place, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(64 * place + bit)
        })
    })
}
