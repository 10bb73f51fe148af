//! Search of many short patterns at once within a bound, on one thread.
//!
//! Where a pattern occurs within the bound, one of its pieces occurs with at most its share of the
//! edits ([`pieces`]). All words of text at which a piece may so begin are in one table ([`table`]),
//! so that a text is read once for all patterns. Only in windows around words of the table are
//! distances computed.

mod pieces;
mod table;

use std::collections::HashMap;
use std::ops::Range;

pub(crate) use self::pieces::{Division, Letters};
use self::table::Words;
use crate::host::parallel;
use crate::host::simd::Instructions;
use crate::sequences::bit_parallel::cpu::lane_patterns::Ends;
use crate::sequences::bit_parallel::cpu::shared_text::LaneWidth;
use crate::sequences::bit_parallel::cpu::vector::Lane;
use crate::sequences::bit_parallel::cpu::windows::{WindowBatch, WindowPatterns};

/// Instructions per column of a register of lanes, per looked up mask of a window, per position of a text, and per word of the table.
const STEP: f64 = 12.0;
const MASK: f64 = 3.0;
const POSITION: f64 = 10.0;
const WORD: f64 = 50.0;
/// Host memory of a table, and of a word while it is made.
const TABLE_BYTES: u64 = 1 << 22;
const WORD_BYTES: u64 = 12;
const MAX_WORDS: f64 = (1 << 22) as f64;
/// Maximum symbols of a pattern.
pub(crate) const MAX_LEN: usize = WindowPatterns::<u64>::MAX_LEN;
/// Maximum letters of a word: symbols of no pattern that follow each text.
pub(crate) const MAX_WINDOW: usize = pieces::WORD_BITS as usize;

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) letters: Letters,
    /// By length of a pattern.
    pub(crate) divisions: HashMap<usize, Division>,
    /// Patterns to search, in groups that have a table each.
    pub(crate) groups: Vec<Vec<usize>>,
    pub(crate) others: Vec<usize>,
    /// Expected instructions, as a share of those without a search.
    pub(crate) share: f64,
    /// Maximum words of a table of several patterns.
    pub(crate) max_words: f64,
}

impl Plan {
    /// Expected host memory of all tables, `kept` at the same time.
    pub(crate) fn host_bytes(&self, kept: usize) -> u64 {
        kept as u64 * TABLE_BYTES + (self.words() * WORD_BYTES as f64) as u64
    }

    /// Expected words of the greatest table.
    fn words(&self) -> f64 {
        let of_all = self.divisions.values().map(|division| division.rate);
        let most = of_all.fold(0.0, f64::max) * self.letters.words() as f64;
        let patterns: usize = self.groups.iter().map(Vec::len).max().unwrap_or(0);
        (most * patterns as f64).min(self.max_words.max(most))
    }
}

/// Instructions per column of one pattern in a lane.
pub(crate) fn lane_step(len: usize) -> f64 {
    let width = LaneWidth::of(len, Ends::Free);
    // A register has half of the lanes of a group.
    2.0 * STEP / width.lanes() as f64
}

/// Inputs of the choice between words and sweeps.
pub(crate) struct Costs<W> {
    pub(crate) bound: usize,
    /// Number of codes of the patterns.
    pub(crate) codes: usize,
    /// Symbols of all texts.
    pub(crate) symbols: f64,
    /// Memory for the words of a table while it is made.
    pub(crate) max_bytes: u64,
    /// Instructions of a pattern of a length per symbol of a text that is searched without words.
    pub(crate) without: W,
}

impl<W: Fn(usize) -> f64> Costs<W> {
    fn max_words(&self) -> f64 {
        MAX_WORDS.min((self.max_bytes / WORD_BYTES) as f64)
    }

    /// The plan for patterns of these numbers and lengths; `None` if none is faster without words.
    pub(crate) fn plan(
        &self,
        patterns: impl Iterator<Item = (usize, usize)> + Clone,
    ) -> Option<Plan> {
        let mut lens = HashMap::<usize, usize>::new();
        for (_, len) in patterns.clone() {
            *lens.entry(len).or_default() += 1;
        }
        let plans = Letters::all(self.codes).map(|letters| self.with(&lens, letters));
        let best = plans.min_by(|a, b| a.instructions.total_cmp(&b.instructions))?;
        let share = best.instructions / best.without.max(1.0);
        if share >= 1.0 {
            return None;
        }
        let (mut groups, mut others) = (Vec::new(), Vec::new());
        let mut words = f64::INFINITY;
        for (number, len) in patterns {
            match best.divisions.get(&len) {
                None => others.push(number),
                Some(division) => {
                    let of_pattern = division.rate * best.letters.words() as f64;
                    words += of_pattern;
                    if words > self.max_words() {
                        groups.push(Vec::new());
                        words = of_pattern;
                    }
                    groups.last_mut()?.push(number);
                }
            }
        }
        Some(Plan {
            letters: best.letters,
            divisions: best.divisions,
            groups,
            others,
            share,
            max_words: self.max_words(),
        })
    }

    fn with(&self, lens: &HashMap<usize, usize>, letters: Letters) -> Candidate {
        let (bound, symbols) = (self.bound, self.symbols);
        let mut divisions = HashMap::new();
        let (mut instructions, mut without, mut words) = (0.0, 0.0, 0.0);
        for (&len, &count) in lens {
            let count = count as f64;
            let all = symbols * (self.without)(len);
            without += count * all;
            let division = if len <= MAX_LEN && bound <= MAX_LEN {
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
        let tables = (words / self.max_words()).ceil();
        Candidate {
            letters,
            divisions,
            instructions: instructions + tables * symbols * POSITION,
            without,
        }
    }
}

/// Expected instructions with words of some letters.
struct Candidate {
    letters: Letters,
    divisions: HashMap<usize, Division>,
    instructions: f64,
    without: f64,
}

pub(crate) struct WordPatterns<T> {
    bound: usize,
    windows: WindowPatterns<T>,
    words: Words,
    pieces: Vec<PlacedPiece>,
    /// Maximum symbols of an occurrence before a word, and from it on.
    pub(crate) margins: [usize; 2],
}

#[derive(Clone, Copy)]
struct PlacedPiece {
    pattern: u32,
    /// Maximum symbols of an occurrence of the pattern before the piece, and from it on.
    before: u32,
    after: u32,
}

/// A part of a text among codes.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The part and its surroundings.
    pub(crate) codes: Range<usize>,
    /// Positions where words are looked up. [`MAX_WINDOW`] codes follow them.
    pub(crate) positions: Range<usize>,
}

/// A pattern, and codes in which it occurs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) pattern: u32,
    /// Number of the part.
    pub(crate) part: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

pub(crate) struct Scratch<T> {
    /// Positions in the codes, and the entries of the words there.
    found: Vec<(u32, u32)>,
    batch: WindowBatch<T>,
    /// The windows of the batch.
    pending: Vec<Window>,
}

impl<T: Lane> WordPatterns<T> {
    /// Patterns of codes from 1 to `codes`, of lengths that the plan divides. Windows have all ends of
    /// the occurrences of their pattern, and where `has_starts` is true for its index also all starts.
    pub(crate) fn new(
        plan: &Plan,
        patterns: &[Vec<u32>],
        codes: usize,
        bound: usize,
        has_starts: impl Fn(usize) -> bool,
    ) -> Self {
        let letters = plan.letters;
        let mut placed = Vec::new();
        let mut jobs = Vec::new();
        for (number, pattern) in (0..).zip(patterns) {
            let division = plan.divisions.get(&pattern.len());
            for &piece in division.iter().flat_map(|division| &division.pieces) {
                jobs.push((placed.len() as u32, pattern, piece));
                placed.push(PlacedPiece {
                    pattern: number,
                    // Every end has an occurrence that begins with its first piece.
                    before: match piece.start {
                        0 if !has_starts(number as usize) => 0,
                        start => (start + bound) as u32,
                    },
                    after: (pattern.len() - piece.start + bound) as u32,
                });
            }
        }
        let add = |job: usize, words: &mut Vec<(u32, u32)>| {
            let (number, pattern, piece): (u32, &Vec<u32>, _) = jobs[job];
            let pattern: Vec<_> = pattern.iter().map(|&code| letters.of(code)).collect();
            table::neighbours(&pattern, piece, letters, |range| {
                words.extend(range.map(|word| (word, number)));
            });
        };
        let mut words = Vec::new();
        let of_range = parallel::range_len(jobs.len(), 1);
        parallel::extend(&mut words, jobs.len(), of_range, add);
        let margin =
            |of: fn(&PlacedPiece) -> u32| placed.iter().map(of).max().unwrap_or(0) as usize;
        Self {
            bound,
            windows: WindowPatterns::new(patterns, codes),
            words: Words::new(letters, &mut words),
            margins: [margin(|piece| piece.before), margin(|piece| piece.after)],
            pieces: placed,
        }
    }

    pub(crate) fn scratch(&self) -> Scratch<T> {
        Scratch {
            found: Vec::new(),
            batch: WindowBatch::new(self.margins.iter().sum()),
            pending: Vec::new(),
        }
    }

    /// Passes on windows with all occurrences of the patterns that have words in the parts, each with
    /// the least distance of its pattern there. False if the windows have more than `max_columns`
    /// symbols: some are not passed on.
    pub(crate) fn search(
        &self,
        codes: &[u8],
        parts: &[Part],
        max_columns: usize,
        scratch: &mut Scratch<T>,
        mut take: impl FnMut(Window, u64),
    ) -> bool {
        let mut columns = 0;
        for (number, part) in (0..).zip(parts) {
            let mut found = std::mem::take(&mut scratch.found);
            let count = self.look_up(codes, part, &mut found);
            for &(position, entry) in &found[..count] {
                for &piece in self.words.pieces(&entry) {
                    let piece = &self.pieces[piece as usize];
                    let position = position as usize;
                    let first = position.saturating_sub(piece.before as usize);
                    let end = position + piece.after as usize;
                    let window = first.max(part.codes.start)..end.min(part.codes.end);
                    columns += window.len();
                    scratch.pending.push(Window {
                        pattern: piece.pattern,
                        part: number,
                        start: window.start as u32,
                        end: window.end as u32,
                    });
                    let pattern = piece.pattern as usize;
                    scratch.batch.push(&self.windows, pattern, &codes[window]);
                    if scratch.batch.is_full() {
                        self.verify(scratch, &mut take);
                    }
                }
                if columns > max_columns {
                    break;
                }
            }
            scratch.found = found;
            if columns > max_columns {
                scratch.batch.take_values().for_each(drop);
                scratch.pending.clear();
                return false;
            }
        }
        self.verify(scratch, &mut take);
        true
    }

    /// Finds the words of a part that are in the table, and their entries. Returns their number.
    ///
    /// Words are looked up stage by stage, so that the loads of a stage do not wait for each other,
    /// and without branches that would often be mispredicted.
    fn look_up(&self, codes: &[u8], part: &Part, found: &mut Vec<(u32, u32)>) -> usize {
        let words = &self.words;
        if found.len() < part.positions.len() + 8 {
            found.resize(part.positions.len() + 8, (0, 0));
        }
        let maybe = match Instructions::chosen() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `chosen` has checked the processor.
            Instructions::Avx512 | Instructions::Avx2 => unsafe {
                words_avx2(words, codes, part, found)
            },
            _ => words_at(words, codes, part, found, |letters| {
                words.may_contain(letters)
            }),
        };
        let mut count = 0;
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

    /// Computes the distances in the windows of the batch.
    fn verify(&self, scratch: &mut Scratch<T>, take: &mut impl FnMut(Window, u64)) {
        let values = scratch.batch.take_values();
        for (window, value) in scratch.pending.drain(..).zip(values) {
            if value <= self.bound as u64 {
                take(window, value);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn words_avx2(words: &Words, codes: &[u8], part: &Part, found: &mut [(u32, u32)]) -> usize {
    words_at(words, codes, part, found, |letters| {
        words.may_contain_avx2(letters)
    })
}

/// Writes the positions of a part and their words that may be in the table, eight at a time; up to
/// eight places behind them are overwritten, too. Returns their number.
#[inline(always)]
fn words_at(
    words: &Words,
    codes: &[u8],
    part: &Part,
    found: &mut [(u32, u32)],
    may_contain: impl Fn(u64) -> u32,
) -> usize {
    let Letters { bits, window } = words.letters;
    let (first, len) = (part.positions.start, part.positions.len());
    let begin = codes[first..][..window - 1].iter();
    // All letters up to the last one, as far as they fit.
    let mut letters = begin.fold(0, |letters, &code| {
        letters << bits | u64::from(words.letters.of(code.into()))
    });
    let (ends, rest) = codes[first + window - 1..][..len].as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mut count = 0;
    // The loop has no closure: that would be compiled without the instructions of the caller.
    for (number, &codes) in ends.iter().chain([&last]).enumerate() {
        letters = letters << (8 * bits) | words.letters.pack(codes);
        let maybe = may_contain(letters) & !(!0u32).unbounded_shl((len - 8 * number) as u32);
        // Often mispredicted where many are in the table.
        if words.is_sparse && maybe == 0 {
            continue;
        }
        let (room, mut kept) = (&mut found[count..][..8], 0);
        for place in 0..8 {
            let position = (first + 8 * number) as u32 + place;
            room[kept % 8] = (position, words.letters.word(letters, place));
            kept += (maybe >> place & 1) as usize;
        }
        count += kept;
    }
    count
}
