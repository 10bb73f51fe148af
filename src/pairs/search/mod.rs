//! Search of many short queries in texts within a bound, multi-threaded: by words of their pieces
//! ([`words`]). A block of texts with more windows around words than its tables have cells, as
//! repeats have, is compared with all queries instead.

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::OnceLock;

use super::measure::Measure;
use super::request::Request;
use crate::call::control::Control;
use crate::edit_distance::Mode;
use crate::error::Result;
use crate::host::parallel;
use crate::host::parallel::Memory;
use crate::search::batch::{Cursor, Piece};
use crate::search::words::{self, Costs, MAX_LEN, MAX_WINDOW, Plan, WordPatterns, lane_step};
use crate::sequences::bit_parallel::cpu::lane_patterns::Ends;
use crate::sequences::bit_parallel::cpu::shared_text::{LaneValues, PatternGroup};
use crate::sequences::bit_parallel::cpu::vector::Lane;
use crate::sequences::bit_parallel::recurrence::Edit;
use crate::symbols::alphabet::Alphabet;

/// Cells of calls that take no time.
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

/// The plan for queries `rows` with targets `columns`, with `max_bytes` of memory for the words of a
/// table; `None` if comparing all pairs is faster.
pub(super) fn plan(
    request: &Request<'_>,
    alphabet: &Alphabet,
    rows: Range<usize>,
    columns: Range<usize>,
    max_bytes: u64,
) -> Option<Plan> {
    let bound = usize::try_from(request.within?).ok()?;
    let is_infix = request.measure == Measure::Edit && request.mode == Mode::Infix;
    if !is_infix || bound > MAX_LEN {
        return None;
    }
    let targets = request.targets;
    let symbols = targets.symbols_before(columns.end) - targets.symbols_before(columns.start);
    let queries = rows.map(|row| (row, request.queries.len_of(row)));
    let query_symbols: usize = queries.clone().map(|(_, len)| len).sum();
    if (query_symbols as u64).saturating_mul(symbols) <= SMALL_CELLS {
        return None;
    }
    let costs = Costs {
        bound,
        codes: alphabet.codes(),
        symbols: symbols as f64,
        max_bytes,
        without: |len: usize| lane_step(len) * len.div_ceil(MAX_LEN).max(1) as f64,
    };
    costs.plan(queries)
}

/// A group of queries, ready to be searched.
pub(super) struct Search<'a, T> {
    request: &'a Request<'a>,
    alphabet: &'a Alphabet,
    bound: usize,
    patterns: Vec<Vec<u32>>,
    words: WordPatterns<T>,
    /// For blocks with many windows.
    groups: OnceLock<Vec<PatternGroup<T>>>,
}

/// Parts of texts, encoded.
#[derive(Default)]
struct Block {
    codes: Vec<u8>,
    parts: Vec<words::Part>,
    /// By part: its text, and the symbols before the part and its surroundings.
    texts: Vec<(u32, u32)>,
}

struct Scratch<T> {
    block: Block,
    words: words::Scratch<T>,
    hits: Vec<Hit>,
}

impl<'a, T: Lane> Search<'a, T> {
    pub(super) fn new(
        request: &'a Request<'a>,
        alphabet: &'a Alphabet,
        plan: &Plan,
        queries: &[usize],
    ) -> Self {
        let bound = request.within.unwrap_or(0) as usize;
        let pattern = |&query: &usize| alphabet.encoded(request.queries.string(query));
        let patterns: Vec<_> = queries.iter().map(pattern).collect();
        Self {
            request,
            alphabet,
            bound,
            words: WordPatterns::new(plan, &patterns, alphabet.codes(), bound, |_| false),
            patterns,
            groups: OnceLock::new(),
        }
    }

    /// Passes on the pairs within the bound of the queries with targets `columns`, in any order, each
    /// with its distance and perhaps with greater ones too. Reports the cells as done.
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
        let memory = Memory::new(|| Scratch {
            block: Block::default(),
            words: self.words.scratch(),
            hits: Vec::new(),
        });
        let search = |scratch: &mut Scratch<T>, block: &[Piece]| {
            control.check()?;
            let symbols: usize = block.iter().map(|piece| piece.positions.len()).sum();
            self.encode(block, &mut scratch.block);
            self.search(symbols, scratch);
            take(&scratch.hits);
            scratch.hits.clear();
            control.add_done((symbols as u64).saturating_mul(query_symbols as u64));
            Ok(())
        };
        let mut cursor = Cursor::new(columns);
        let next = || Some(cursor.next(self.request.targets, BLOCK_SYMBOLS));
        let blocks = std::iter::from_fn(next).take_while(|block| !block.is_empty());
        let blocks: Vec<_> = blocks.collect();
        parallel::try_for_each(blocks.len(), |number| {
            memory.with(|scratch| search(scratch, &blocks[number]))
        })
    }

    fn encode(&self, block: &[Piece], to: &mut Block) {
        let [before, after] = self.words.margins;
        let Block {
            codes,
            parts,
            texts,
        } = to;
        codes.clear();
        parts.clear();
        texts.clear();
        for piece in block {
            let range = &piece.positions;
            let text = self.request.targets.string(piece.text);
            let first = range.start.saturating_sub(before);
            let end = text.len().min(range.end + after);
            let start = codes.len();
            codes.resize(start + end - first, 0);
            let part = text.part(first..end);
            self.alphabet.write(part, 0, &mut codes[start..]);
            let positions = start + range.start - first;
            parts.push(words::Part {
                codes: start..codes.len(),
                positions: positions..positions + range.len(),
            });
            texts.push((piece.text as u32, first as u32));
            codes.resize(codes.len() + MAX_WINDOW, 0);
        }
    }

    /// Searches the encoded parts, `symbols` symbols in all.
    fn search(&self, symbols: usize, scratch: &mut Scratch<T>) {
        let Scratch { block, words, hits } = scratch;
        let Block {
            codes,
            parts,
            texts,
        } = &*block;
        // The columns that comparing all queries takes.
        let max_columns = symbols * self.patterns.len();
        let take = |window: words::Window, value: u64| {
            let part = window.part as usize;
            let (target, first) = texts[part];
            hits.push(Hit {
                query: window.pattern,
                target,
                value: value as u32,
                offset: first + window.start - parts[part].codes.start as u32,
            });
        };
        if !self.words.search(codes, parts, max_columns, words, take) {
            hits.clear();
            self.compare_all(block, hits);
        }
    }

    fn compare_all(&self, block: &Block, hits: &mut Vec<Hit>) {
        let groups = self.groups.get_or_init(|| {
            let lanes = PatternGroup::<T>::lanes();
            let groups = self.patterns.chunks(lanes);
            let codes = self.alphabet.codes();
            groups
                .map(|patterns| PatternGroup::new::<Edit>(patterns, codes, Ends::Free))
                .collect()
        });
        let code = |part: &words::Part| -> Vec<u32> {
            let codes = block.codes[part.codes.clone()].iter();
            codes.map(|&code| code.into()).collect()
        };
        let texts: Vec<_> = block.parts.iter().map(code).collect();
        let texts: Vec<_> = texts.iter().map(Vec::as_slice).collect();
        let mut values = LaneValues::default();
        let queries = self.patterns.chunks(PatternGroup::<T>::lanes());
        let mut first = 0;
        for (group, queries) in groups.iter().zip(queries) {
            group.values::<Edit>(&texts, None, &mut values);
            for lane in 0..queries.len() {
                for (value, &(target, offset)) in values.of_lane(lane).zip(&block.texts) {
                    if value <= self.bound as i64 {
                        hits.push(Hit {
                            query: (first + lane) as u32,
                            target,
                            value: value as u32,
                            offset,
                        });
                    }
                }
            }
            first += queries.len();
        }
    }
}
