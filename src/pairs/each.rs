//! Measures that the CPU computes pair by pair: Hamming distances, Jaro similarities, and ratios of
//! substrings and of tokens.

use std::cmp::Ordering;
use std::ops::Range;

use super::measure::{MAX_PREFIX, Measure, jaro_value, ratio_value};
use super::request::{Request, Scoring};
use super::texts::Texts;
use super::tokens;
use super::values::Value;
use super::work::Work;
use crate::call::control::Control;
use crate::error::Result;
use crate::host::parallel;
use crate::sequences::affixes::Stripped;
use crate::sequences::bit_parallel::cpu::jaro::reach;
use crate::sequences::bit_parallel::cpu::lane_patterns::{Ends, Osa};
use crate::sequences::bit_parallel::cpu::shared_text::{LaneValues, PatternGroup};
use crate::sequences::bit_parallel::cpu::small::{self, PreparedRows};
use crate::sequences::bit_parallel::recurrence::{Edit, Lcs};
use crate::sequences::codes::Symbol;
use crate::sequences::tiny::is_tiny;
use crate::sequences::typed::SymbolSlice;
use crate::symbols::alphabet::Alphabet;
use crate::symbols::places::Places;

/// Pairs that a thread takes at least, and targets of one task.
const MIN_PAIRS: usize = 1 << 12;
const TASK_TARGETS: usize = 1 << 12;
/// Symbols of all pairs that the calling thread compares before a thread of the pool has woken up.
const SYMBOLS_OF_ONE_THREAD: u64 = 1 << 16;

impl Measure {
    /// Value of one small pair, computed on the calling thread without an engine; `None` if the
    /// pair is larger than some hundred symbols each, or has letters that match others.
    ///
    /// For callers with one pair at a time, whose table takes about as long as a call of an engine.
    ///
    /// ```
    /// use swath::pairs::Measure;
    ///
    /// assert_eq!(Measure::Edit.of_small_pair(b"kitten", b"sitting"), Some(3));
    /// assert_eq!(Measure::Osa.of_small_pair(b"form", b"from"), Some(1));
    /// assert_eq!(Measure::Lcs.of_small_pair(&[1u8; 5000], &[1; 5000]), None);
    /// ```
    pub fn of_small_pair<S: Symbol>(self, a: &[S], b: &[S]) -> Option<u64> {
        if S::MATCHES_OTHERS || !is_tiny(a.len(), b.len()) {
            return None;
        }
        if matches!(self, Measure::TokenSort | Measure::TokenSet) {
            let distinct = self == Measure::TokenSet;
            return tokens::of_small_pair([a, b], distinct, |a, b| of_tokens(self, a, b));
        }
        if self.is_of_each() || self == Measure::Osa {
            return Some(of_pair(self, a, b));
        }
        let stripped = Stripped::new(a, b);
        let (rows, cols) = (stripped.rows, stripped.cols);
        let last = match self {
            Measure::Edit => small::last_value::<Edit, S>(rows, cols) as u64,
            _ => {
                let length = small::last_value::<Lcs, S>(rows, cols) as u64;
                length + (stripped.prefix + stripped.suffix) as u64
            }
        };
        Some(self.value(last, a.len() as u64, b.len() as u64))
    }
}

/// Value of a pair by a measure that is [computed so](Measure::is_of_each), without tokens, or by
/// [`Measure::Osa`].
pub(crate) fn of_pair<S: Symbol>(measure: Measure, a: &[S], b: &[S]) -> u64 {
    if measure == Measure::Hamming {
        return measure.value(equal(a, b), a.len() as u64, b.len() as u64);
    }
    let alphabet = Alphabet::of([a]);
    if measure == Measure::Osa {
        let query = alphabet.encoded(a);
        let group = PatternGroup::<u64>::new::<Osa>(&[query], alphabet.codes(), Ends::Both);
        let mut found = LaneValues::default();
        group.values::<Osa>(&[&alphabet.encoded(b)], None, &mut found);
        return found.of_lane(0).map(|value| value as u64).sum();
    }
    let query = Query::new(measure, &alphabet, a);
    query.value(measure, &alphabet.encoded(b), &mut Scratch::default())
}

/// Value of a pair of strings of [sorted tokens](tokens).
pub(super) fn of_tokens(measure: Measure, a: SymbolSlice<'_>, b: SymbolSlice<'_>) -> u64 {
    let alphabet = Alphabet::of([a]);
    let query = Query::new(measure, &alphabet, a);
    let target = alphabet.encoded(b);
    if measure == Measure::TokenSet {
        return query.token_set([a, b], &target, &mut Scratch::default());
    }
    let (rows, cols) = (query.codes.len() as u64, target.len() as u64);
    measure.value(common(&query.rows, &target), rows, cols)
}

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
        let string = request.queries.string(row);
        let query = Query::new(request.measure, alphabet, string);
        let of_range = |range: Range<usize>| {
            control.check()?;
            let mut scratch = Scratch::default();
            let value = |target: usize| {
                let strings = [string, targets.string(columns.start + target)];
                query.scored(&scoring, strings, texts.text(target), &mut scratch)
            };
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
            let target = request.targets.string(target);
            let strings = [request.queries.string(query), target];
            let text = known.1.encoded(target);
            known.2.scored(&scoring, strings, &text, &mut scratch)
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
    let prepared = Query::new(request.measure, &alphabet, string);
    (query, alphabet, prepared)
}

/// A query, and its rows in limbs of 64.
struct Query {
    codes: Vec<u32>,
    limbs: usize,
    rows: PreparedRows,
    /// From the last row to the first one, for ratios of substrings.
    reversed: PreparedRows,
    /// Number of codes; 0 is that of other symbols.
    places: usize,
}

#[derive(Default)]
struct Scratch {
    /// Flags of rows and of columns that are matched.
    rows: Vec<u64>,
    columns: Vec<u64>,
    /// Codes of the tokens that the other string does not have.
    rest: [Vec<u32>; 2],
}

impl Query {
    fn new(measure: Measure, alphabet: &Alphabet, string: impl Places) -> Self {
        let (codes, places) = (alphabet.encoded(string), alphabet.codes() + 1);
        let of = |is_needed: bool| if is_needed { &codes[..] } else { &[] };
        Self {
            limbs: codes.len().div_ceil(64),
            rows: prepared(of(measure != Measure::Hamming), places),
            reversed: reversed(of(measure == Measure::PartialRatio), places),
            codes,
            places,
        }
    }

    #[inline(always)]
    fn scored(
        &self,
        scoring: &Scoring,
        strings: [SymbolSlice<'_>; 2],
        target: &[u32],
        scratch: &mut Scratch,
    ) -> u32 {
        let lens = (self.codes.len() as u64, target.len() as u64);
        let value = match scoring.measure {
            Measure::TokenSet => self.token_set(strings, target, scratch),
            measure => self.value(measure, target, scratch),
        };
        scoring.value(value, lens)
    }

    #[inline(always)]
    fn value(&self, measure: Measure, target: &[u32], scratch: &mut Scratch) -> u64 {
        if measure == Measure::Hamming {
            return equal(&self.codes, target);
        }
        if measure == Measure::PartialRatio {
            return self.partial_ratio(target);
        }
        let (matches, transposed) = if self.codes.is_empty() || target.is_empty() {
            (0, 0)
        } else if self.limbs == 1 && target.len() <= 64 {
            self.jaro_of_limb(target)
        } else {
            self.jaro(target, scratch)
        };
        jaro_of(measure, &self.codes, target, matches, transposed)
    }

    /// [`jaro`](Self::jaro) of two strings of at most 64 symbols each.
    fn jaro_of_limb(&self, target: &[u32]) -> (u64, u64) {
        let reach = reach(self.codes.len(), target.len()) as u32;
        // Rows within reach of the column: at first those up to `reach`.
        let mut within = u64::MAX >> (63 - reach);
        let (mut rows, mut columns) = (0u64, 0u64);
        for (column, &code) in (0..).zip(target) {
            let free = self.rows.masks(code)[0] & within & !rows;
            rows |= free & free.wrapping_neg();
            columns |= u64::from(free != 0) << column;
            within = within << 1 | u64::from(column < reach);
        }
        let matches = rows.count_ones().into();
        let mut unequal = 0;
        while columns != 0 {
            let code = target[columns.trailing_zeros() as usize];
            let row = rows & rows.wrapping_neg();
            unequal += u64::from(self.rows.masks(code)[0] & row == 0);
            columns &= columns - 1;
            rows ^= row;
        }
        (matches, unequal)
    }

    /// Matches, and symbols that are transposed.
    fn jaro(&self, target: &[u32], Scratch { rows, columns, .. }: &mut Scratch) -> (u64, u64) {
        let (reach, len) = (reach(self.codes.len(), target.len()), self.codes.len());
        rows.clear();
        rows.resize(self.limbs, 0);
        columns.clear();
        columns.resize(target.len().div_ceil(64), 0);
        let mut matches = 0;
        for (column, &code) in target.iter().enumerate().take(len + reach) {
            let masks = self.rows.masks(code);
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
        (matches, unequal.count() as u64)
    }

    fn partial_ratio(&self, target: &[u32]) -> u64 {
        let (query, len) = (&self.codes, target.len());
        if query.is_empty() || target.is_empty() {
            return ratio_value(u64::from(query.len() != len), 1);
        }
        let by_query = || best_window([&self.rows, &self.reversed], query.len(), target);
        let by_target = || {
            let rows = [
                &prepared(target, self.places),
                &reversed(target, self.places),
            ];
            best_window(rows, len, query)
        };
        let best = match query.len().cmp(&len) {
            Ordering::Less => by_query(),
            Ordering::Equal => by_query().better(by_target()),
            Ordering::Greater => by_target(),
        };
        best.value()
    }

    /// Value of two strings of sorted, distinct tokens, of which the target has these codes.
    fn token_set(
        &self,
        strings: [SymbolSlice<'_>; 2],
        target: &[u32],
        scratch: &mut Scratch,
    ) -> u64 {
        let (len, other) = (self.codes.len() as u64, target.len() as u64);
        if len == 0 || other == 0 {
            return ratio_value(1, 1);
        }
        let rest = &mut scratch.rest;
        let shared = tokens::divide(strings, [&self.codes, target], rest) as u64;
        if shared == 0 {
            return Ratio::new(common(&self.rows, target), len + other).value();
        }
        let [a, b] = rest;
        if a.is_empty() || b.is_empty() {
            return ratio_value(0, 1);
        }
        // The common tokens with themselves and the others of one string.
        let shorter = shared + 1 + a.len().min(b.len()) as u64;
        let best = Ratio::new(shared, shared + shorter);
        let longest = a.len().min(b.len()) as u64 + shared + 1;
        let all = 2 * (shared + 1) + (a.len() + b.len()) as u64;
        if !Ratio::new(longest, all).exceeds(best) {
            return best.value();
        }
        let found = common(&prepared(a, self.places), b) + shared + 1;
        best.better(Ratio::new(found, all)).value()
    }
}

/// Number of equal positions.
#[inline(always)]
fn equal<S: Symbol>(a: &[S], b: &[S]) -> u64 {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| u32::from(a == b)).sum::<u32>().into()
}

#[inline(always)]
pub(super) fn jaro_of(
    measure: Measure,
    query: &[u32],
    target: &[u32],
    matches: u64,
    transposed: u64,
) -> u64 {
    let longer = query.len().max(target.len()) as u64;
    let similar = jaro_value(longer, matches, transposed / 2);
    if measure == Measure::Jaro {
        return similar;
    }
    let common = query.iter().zip(target).take(MAX_PREFIX);
    similar | common.take_while(|(a, b)| a == b).count() as u64
}

fn prepared(codes: &[u32], places: usize) -> PreparedRows {
    PreparedRows::new(codes.iter().map(|&code| code as usize), places)
}

fn reversed(codes: &[u32], places: usize) -> PreparedRows {
    PreparedRows::new(codes.iter().rev().map(|&code| code as usize), places)
}

/// Length of the longest common subsequence.
fn common(rows: &PreparedRows, text: &[u32]) -> u64 {
    rows.last_value::<Lcs>(text.iter().map(|&code| code as usize)) as u64
}

/// A share of symbols that two strings have in common.
#[derive(Clone, Copy)]
struct Ratio {
    /// In each of them.
    common: u64,
    /// Of both.
    symbols: u64,
}

impl Ratio {
    fn new(common: u64, symbols: u64) -> Self {
        Self { common, symbols }
    }

    fn exceeds(self, other: Self) -> bool {
        self.common * other.symbols > other.common * self.symbols
    }

    fn better(self, other: Self) -> Self {
        if other.exceeds(self) { other } else { self }
    }

    /// The value, in lowest terms.
    fn value(self) -> u64 {
        let distance = self.symbols - 2 * self.common;
        let (mut divisor, mut rest) = (self.symbols, distance);
        while rest > 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        ratio_value(distance / divisor, self.symbols / divisor)
    }
}

/// Best ratio of rows, from the first and from the last one, with a window of a text that is no
/// shorter: one of their length, or a shorter one at an end of the text.
fn best_window([rows, reversed]: [&PreparedRows; 2], len: usize, text: &[u32]) -> Ratio {
    let (mut most, mut start) = (0, 0);
    while start + len <= text.len() && most < len {
        let here = common(rows, &text[start..start + len]) as usize;
        most = most.max(here);
        // Windows that are a symbol apart differ by one at most.
        start += most + 1 - here;
    }
    let mut best = Ratio::new(most as u64, 2 * len as u64);
    let code = |&code: &u32| code as usize;
    let first = text[..len - 1].iter().map(code);
    let last = text[text.len() - (len - 1)..].iter().rev().map(code);
    let mut take = |part: &mut u64, common: i64| {
        *part += 1;
        best = best.better(Ratio::new(common as u64, len as u64 + *part));
    };
    let mut part = 0;
    rows.prefix_values::<Lcs>(first, |common| take(&mut part, common));
    part = 0;
    reversed.prefix_values::<Lcs>(last, |common| take(&mut part, common));
    best
}

/// Places of the set bits.
fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(64 * index + bit)
        })
    })
}
