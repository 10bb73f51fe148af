//! Search of many short queries in texts within a bound, multi-threaded.
//!
//! Where a query occurs within the bound, one of its pieces occurs with at most its share of the
//! edits ([`pieces`]). All words of text at which a piece may so begin are in one table ([`words`]),
//! so that a text is read once for all queries. Only around words of the table are distances
//! computed. A block of texts with more such places than its tables have cells, as repeats have, is
//! compared with all queries instead.

mod pieces;
#[cfg(test)]
mod tests;
mod words;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use self::pieces::{Division, Letters};
use self::words::Words;
use super::request::{Measure, Request};
use crate::call::control::Control;
use crate::edit_distance::Mode;
use crate::error::Result;
use crate::host::parallel::{self, Memory};
use crate::sequences::bit_parallel::cpu::lane_patterns::Ends;
use crate::sequences::bit_parallel::cpu::shared_text::{LaneValues, LaneWidth, PatternGroup};
use crate::sequences::bit_parallel::cpu::vector::Lane;
use crate::sequences::bit_parallel::cpu::windows::{WindowBatch, WindowPatterns};
use crate::sequences::bit_parallel::recurrence::Edit;
use crate::symbols::alphabet::Alphabet;

/// Instructions per column of a register of lanes, per looked up mask of a window, per position of
/// a text, and per word of the table.
const STEP: f64 = 12.0;
const MASK: f64 = 3.0;
const POSITION: f64 = 10.0;
const WORD: f64 = 50.0;
/// Maximum words of a table, of 12 bytes each while it is made.
const MAX_WORDS: f64 = (1 << 22) as f64;
/// Maximum symbols of a query, and cells of calls that take no time.
const MAX_LEN: usize = WindowPatterns::<u64>::MAX_LEN;
const SMALL_CELLS: u64 = 1 << 21;
/// Symbols of texts that a thread searches at once.
const BLOCK_SYMBOLS: usize = 1 << 16;

/// A pair within the bound, at this place of the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Position in the list of the searched queries.
    pub(super) query: u32,
    pub(super) target: u32,
    pub(super) value: u32,
    /// Symbols of the target before the place.
    pub(super) offset: u32,
}

/// How queries are searched.
pub(super) struct Plan {
    letters: Letters,
    /// By length of a query.
    divisions: HashMap<usize, Division>,
    /// Queries to search, in groups that have a table each.
    pub(super) groups: Vec<Vec<usize>>,
    /// All other queries.
    pub(super) others: Vec<usize>,
    /// Expected instructions, as a share of those without a search.
    pub(super) share: f64,
}

impl Plan {
    /// The plan for queries `rows` with targets `columns`; `None` if comparing all pairs is faster.
    pub(super) fn new(
        request: &Request<'_>,
        alphabet: &Alphabet,
        (rows, columns): (Range<usize>, Range<usize>),
    ) -> Option<Self> {
        let bound = usize::try_from(request.within?).ok()?;
        let is_infix = request.measure == Measure::Edit && request.mode == Mode::Infix;
        if !is_infix || bound > MAX_LEN {
            return None;
        }
        let targets = request.targets;
        let symbols = targets.symbols_before(columns.end) - targets.symbols_before(columns.start);
        let mut lens = HashMap::<usize, usize>::new();
        for row in rows.clone() {
            *lens.entry(request.queries.len_of(row)).or_default() += 1;
        }
        let query_symbols: usize = lens.iter().map(|(len, count)| len * count).sum();
        if (query_symbols as u64).saturating_mul(symbols) <= SMALL_CELLS {
            return None;
        }
        let plans = Letters::all(alphabet.codes())
            .map(|letters| Costs::new(&lens, bound, letters, symbols as f64));
        let best = plans.min_by(|a, b| a.instructions.total_cmp(&b.instructions))?;
        let share = best.instructions / best.without.max(1.0);
        if share >= 1.0 {
            return None;
        }
        let (mut groups, mut others) = (Vec::new(), Vec::new());
        let mut words = f64::INFINITY;
        for row in rows {
            match best.divisions.get(&request.queries.len_of(row)) {
                None => others.push(row),
                Some(division) => {
                    let of_row = division.rate * best.letters.words() as f64;
                    words += of_row;
                    if words > MAX_WORDS {
                        groups.push(Vec::new());
                        words = of_row;
                    }
                    groups.last_mut()?.push(row);
                }
            }
        }
        Some(Self {
            letters: best.letters,
            divisions: best.divisions,
            groups,
            others,
            share,
        })
    }
}

/// Expected instructions with words of some letters.
struct Costs {
    letters: Letters,
    divisions: HashMap<usize, Division>,
    instructions: f64,
    without: f64,
}

impl Costs {
    fn new(lens: &HashMap<usize, usize>, bound: usize, letters: Letters, symbols: f64) -> Self {
        let mut divisions = HashMap::new();
        let (mut instructions, mut without, mut words) = (0.0, 0.0, 0.0);
        for (&len, &count) in lens {
            let count = count as f64;
            let all = symbols * lane_step(len) * len.div_ceil(MAX_LEN).max(1) as f64;
            without += count * all;
            let division = if len <= MAX_LEN {
                Division::best(len, bound, letters)
            } else {
                None
            };
            let searched = division.map(|division| {
                let columns = (len + 2 * bound) as f64;
                let found = division.rate * columns * (MASK + lane_step(len));
                let of_table = division.rate * letters.words() as f64;
                (symbols * found + of_table * WORD, of_table, division)
            });
            match searched {
                Some((searched, of_table, division)) if searched < all => {
                    instructions += count * searched;
                    words += count * of_table;
                    divisions.insert(len, division);
                }
                _ => instructions += count * all,
            }
        }
        let tables = (words / MAX_WORDS).ceil();
        Self {
            letters,
            divisions,
            instructions: instructions + tables * symbols * POSITION,
            without,
        }
    }
}

/// Instructions per column of one query.
fn lane_step(len: usize) -> f64 {
    let width = LaneWidth::of(len, Ends::Free);
    // A register has half of the lanes of a group.
    2.0 * STEP / width.lanes() as f64
}

/// A group of queries, ready to be searched.
pub(super) struct Search<'a, T> {
    request: &'a Request<'a>,
    alphabet: &'a Alphabet,
    bound: usize,
    patterns: Vec<Vec<u32>>,
    windows: WindowPatterns<T>,
    words: Words,
    /// Places of pieces in their queries.
    pieces: Vec<Place>,
    /// For blocks with many places.
    groups: OnceLock<Vec<PatternGroup<T>>>,
}

/// Place of a piece in its query.
#[derive(Clone, Copy)]
struct Place {
    query: u32,
    /// Maximum symbols of an occurrence of the query before the piece, and from it on.
    before: u32,
    after: u32,
}

/// Codes of a part of a text.
struct Part {
    target: u32,
    /// Symbols of the text before the part and its surroundings.
    offset: u32,
    /// Codes of the part and its surroundings in those of the block.
    codes: Range<usize>,
    /// Positions where words are looked up.
    positions: Range<usize>,
}

/// Memory of a thread.
struct Scratch<T> {
    codes: Vec<u8>,
    parts: Vec<Part>,
    /// Positions in the codes, and the entries of the words there.
    found: Vec<(u32, u32)>,
    batch: WindowBatch<T>,
    /// By window of the batch: query, target and offset.
    pending: Vec<(u32, u32, u32)>,
    hits: Vec<Hit>,
}

impl<'a, T: Lane> Search<'a, T> {
    /// Prepares the search of these queries, which the plan divides.
    pub(super) fn new(
        request: &'a Request<'a>,
        alphabet: &'a Alphabet,
        plan: &Plan,
        queries: &[usize],
    ) -> Self {
        let letters = plan.letters;
        let bound = request.within.unwrap_or(0) as usize;
        let pattern = |&query: &usize| alphabet.encoded(request.queries.string(query));
        let patterns: Vec<_> = queries.iter().map(pattern).collect();
        let mut pieces = Vec::new();
        let mut jobs = Vec::new();
        for (query, pattern) in (0..).zip(&patterns) {
            let division = plan.divisions.get(&pattern.len());
            for &piece in division.iter().flat_map(|division| &division.pieces) {
                jobs.push((pieces.len() as u32, pattern, piece));
                pieces.push(Place {
                    query,
                    // An occurrence begins with its first piece.
                    before: match piece.start {
                        0 => 0,
                        start => (start + bound) as u32,
                    },
                    after: (pattern.len() - piece.start + bound) as u32,
                });
            }
        }
        let add = |job: usize, words: &mut Vec<(u32, u32)>| {
            let (number, pattern, piece): (u32, &Vec<u32>, _) = jobs[job];
            let query: Vec<_> = pattern.iter().map(|&code| letters.of(code)).collect();
            words::neighbours(&query, piece, letters, |range| {
                words.extend(range.map(|word| (word, number)));
            });
        };
        let mut words = Vec::new();
        let of_range = parallel::range_len(jobs.len(), 1);
        parallel::extend(&mut words, jobs.len(), of_range, add);
        Self {
            request,
            alphabet,
            bound,
            windows: WindowPatterns::new(&patterns, alphabet.codes()),
            words: Words::new(letters, &mut words),
            pieces,
            patterns,
            groups: OnceLock::new(),
        }
    }

    /// Passes on the pairs within the bound of the queries with targets `columns`, in any order, each
    /// with its distance and perhaps with greater ones too. Reports the cells as done.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(super) fn run(
        &self,
        columns: Range<usize>,
        control: &Control,
        take: impl Fn(&[Hit]) + Sync,
    ) -> Result<()> {
        let query_symbols: usize = self
            .patterns
            .iter()
            .map(|pattern| pattern.len().max(1))
            .sum();
        let max_columns = self.pieces.iter().map(|place| place.before + place.after);
        let max_columns = max_columns.max().unwrap_or(0) as usize;
        let memory = Memory::new(|| Scratch {
            codes: Vec::new(),
            parts: Vec::new(),
            found: Vec::new(),
            batch: WindowBatch::new(max_columns),
            pending: Vec::new(),
            hits: Vec::new(),
        });
        let search = |scratch: &mut Scratch<T>, block: &[(usize, Range<usize>)]| {
            control.check()?;
            let symbols: usize = block.iter().map(|(_, range)| range.len()).sum();
            self.encode(block, scratch);
            self.search(symbols, scratch);
            take(&scratch.hits);
            scratch.hits.clear();
            control.add_done((symbols as u64).saturating_mul(query_symbols as u64));
            Ok(())
        };
        let blocks: Vec<_> = self.blocks(columns).collect();
        parallel::try_for_each(blocks.len(), |number| {
            memory.with(|scratch| search(scratch, &blocks[number]))
        })
    }

    /// Parts of texts, in blocks of about [`BLOCK_SYMBOLS`] symbols.
    fn blocks(&self, columns: Range<usize>) -> impl Iterator<Item = Vec<(usize, Range<usize>)>> {
        let targets = self.request.targets;
        let (mut target, mut from) = (columns.start, 0);
        std::iter::from_fn(move || {
            let (mut block, mut left) = (Vec::new(), BLOCK_SYMBOLS);
            while target < columns.end && left > 0 {
                let end = targets.len_of(target).min(from + left);
                // An empty text costs time as well.
                left = left.saturating_sub((end - from).max(1));
                block.push((target, from..end));
                (target, from) = if end == targets.len_of(target) {
                    (target + 1, 0)
                } else {
                    (target, end)
                };
            }
            (!block.is_empty()).then_some(block)
        })
    }

    fn encode(&self, block: &[(usize, Range<usize>)], scratch: &mut Scratch<T>) {
        let margin = |of: fn(&Place) -> u32| self.pieces.iter().map(of).max().unwrap_or(0) as usize;
        let (before, after) = (margin(|place| place.before), margin(|place| place.after));
        let Scratch { codes, parts, .. } = scratch;
        codes.clear();
        parts.clear();
        for (target, range) in block {
            let text = self.request.targets.string(*target);
            let first = range.start.saturating_sub(before);
            let end = text.len().min(range.end + after);
            let start = codes.len();
            codes.resize(start + end - first, 0);
            let part = text.part(first..end);
            self.alphabet.write(part, 0, &mut codes[start..]);
            let positions = start + range.start - first;
            parts.push(Part {
                target: *target as u32,
                offset: first as u32,
                codes: start..codes.len(),
                positions: positions..positions + range.len(),
            });
            // Words at the end of a text go on with symbols of no query.
            codes.resize(codes.len() + self.words.letters.window, 0);
        }
    }

    /// Searches the encoded parts, `symbols` symbols in all.
    fn search(&self, symbols: usize, scratch: &mut Scratch<T>) {
        // The columns that comparing all queries takes.
        let max_columns = symbols * self.patterns.len();
        let mut columns = 0;
        let parts = std::mem::take(&mut scratch.parts);
        for part in &parts {
            let count = self.look_up(part, scratch);
            let found = std::mem::take(&mut scratch.found);
            for &(position, entry) in &found[..count] {
                for &piece in self.words.pieces(&entry) {
                    let place = &self.pieces[piece as usize];
                    let position = position as usize;
                    let first = position.saturating_sub(place.before as usize);
                    let end = position + place.after as usize;
                    let window = first.max(part.codes.start)..end.min(part.codes.end);
                    columns += window.len();
                    let offset = part.offset + (window.start - part.codes.start) as u32;
                    let window = &scratch.codes[window];
                    let query = place.query as usize;
                    scratch.batch.push(&self.windows, query, window);
                    let pending = (place.query, part.target, offset);
                    scratch.pending.push(pending);
                    if scratch.batch.is_full() {
                        self.verify(scratch);
                    }
                }
                if columns > max_columns {
                    break;
                }
            }
            scratch.found = found;
            if columns > max_columns {
                break;
            }
        }
        self.verify(scratch);
        if columns > max_columns {
            scratch.hits.clear();
            self.compare_all(&parts, scratch);
        }
        scratch.parts = parts;
    }

    /// Finds the words of a part that are in the table. Returns their number.
    ///
    /// Words are looked up stage by stage, so that the loads of a stage do not wait for each other.
    fn look_up(&self, part: &Part, scratch: &mut Scratch<T>) -> usize {
        let words = &self.words;
        let Letters { bits, window } = words.letters;
        let all = (words.letters.words() - 1) as u32;
        let letters: [u8; 256] = std::array::from_fn(|code| words.letters.of(code as u32));
        let Scratch { codes, found, .. } = scratch;
        let (first, len) = (part.positions.start, part.positions.len());
        if found.len() <= len {
            found.resize(len + 1, (0, 0));
        }
        let extend =
            |word: u32, code: u8| (word << bits | u32::from(letters[usize::from(code)])) & all;
        let begin = codes[first..][..window - 1].iter();
        let mut word = begin.fold(0, |word, &code| extend(word, code));
        let mut count = 0;
        let ends = &codes[first + window - 1..][..len];
        // Without branches, which would often be mispredicted.
        for (position, &code) in (first as u32..).zip(ends) {
            word = extend(word, code);
            found[count] = (position, word);
            count += usize::from(words.may_contain(word));
        }
        let maybe = std::mem::take(&mut count);
        for place in 0..maybe {
            found[count] = found[place];
            count += usize::from(words.contains(found[place].1));
        }
        for (_, word) in &mut found[..count] {
            *word = words.rank(*word);
        }
        for (_, rank) in &mut found[..count] {
            *rank = words.entry(*rank);
        }
        count
    }

    /// Computes the distances of the windows in the batch.
    fn verify(&self, scratch: &mut Scratch<T>) {
        let values = scratch.batch.take_values();
        for ((query, target, offset), value) in scratch.pending.drain(..).zip(values) {
            if value <= self.bound as u64 {
                scratch.hits.push(Hit {
                    query,
                    target,
                    value: value as u32,
                    offset,
                });
            }
        }
    }

    /// Compares parts with all queries.
    fn compare_all(&self, parts: &[Part], scratch: &mut Scratch<T>) {
        let groups = self.groups.get_or_init(|| {
            let lanes = PatternGroup::<T>::lanes();
            let groups = self.patterns.chunks(lanes);
            let codes = self.alphabet.codes();
            groups
                .map(|patterns| PatternGroup::new::<Edit>(patterns, codes, Ends::Free))
                .collect()
        });
        let code = |part: &Part| -> Vec<u32> {
            let codes = scratch.codes[part.codes.clone()].iter();
            codes.map(|&code| code.into()).collect()
        };
        let texts: Vec<_> = parts.iter().map(code).collect();
        let texts: Vec<_> = texts.iter().map(Vec::as_slice).collect();
        let mut values = LaneValues::default();
        let queries = self.patterns.chunks(PatternGroup::<T>::lanes());
        let mut first = 0;
        for (group, queries) in groups.iter().zip(queries) {
            group.values::<Edit>(&texts, None, &mut values);
            for lane in 0..queries.len() {
                for (value, part) in values.of_lane(lane).zip(parts) {
                    if value <= self.bound as i64 {
                        scratch.hits.push(Hit {
                            query: (first + lane) as u32,
                            target: part.target,
                            value: value as u32,
                            offset: part.offset,
                        });
                    }
                }
            }
            first += queries.len();
        }
    }
}
