//! Alignments of short pairs whose distance is known.
//!
//! At distance `d` every best path stays on `d + 1` diagonals (Ukkonen 1985,
//! doi:10.1016/S0019-9958(85)80046-2). Only these are computed, by a bit-vector that moves down one
//! row with each column (Hyyrö 2003). Cells beside the band count as unreachable, so that cells on
//! best paths have their exact values and no other cell has a lower one: the traceback takes the
//! steps that it takes in the whole table.

use std::ops::Range;

use super::{Alignment, Mode};
use crate::error::{Error, Result};
use crate::host::simd::array;
use crate::sequences::affixes::Stripped;
use crate::sequences::blocks::{Block, Blocks};
use crate::sequences::codes::Symbol;
use crate::symbols::alphabet::Alphabet;

/// Maximum words of a column of the band.
const MAX_WORDS: usize = 32;
/// Maximum words of all columns.
const MAX_TABLE_WORDS: usize = 1 << 22;
/// Maximum cells of a search for the ends of a piece.
const MAX_SEARCH_CELLS: usize = 1 << 28;

/// Memory for one pair after the other.
#[derive(Default)]
pub(crate) struct KnownDistance {
    alphabet: Alphabet,
    /// `[code][word]` match masks of the query.
    masks: Vec<u64>,
    /// Columns of the band: vertical differences of +1, then of -1.
    columns: Vec<u64>,
}

impl KnownDistance {
    /// The alignment that [`solve`](super::solve) finds; `None` if the pair is too large. No best
    /// piece lies in the first `offset` symbols of the target.
    pub(crate) fn align<S: Symbol>(
        &mut self,
        a: &[S],
        b: &[S],
        offset: usize,
        mode: Mode,
        distance: u64,
    ) -> Result<Option<Alignment>> {
        let wrong = || wrong(distance);
        let Ok(distance) = usize::try_from(distance) else {
            return Err(wrong());
        };
        // A piece at this distance is at most so long.
        let longest = a.len().saturating_add(distance);
        let searched = match mode {
            Mode::Global => 0,
            Mode::Prefix => b.len().min(longest),
            Mode::Infix => b.len(),
        };
        if searched.saturating_mul(a.len()) > MAX_SEARCH_CELLS {
            return Ok(None);
        }
        let piece = match mode {
            Mode::Global => 0..b.len(),
            Mode::Prefix | Mode::Infix => self
                .piece(a, &b[..searched], offset, mode, distance)
                .ok_or_else(wrong)?,
        };
        let stripped = Stripped::new(a, &b[piece.clone()]);
        let (rows, cols) = (stripped.rows, stripped.cols);
        let Some(band) = Band::new(rows.len(), cols.len(), distance) else {
            return Err(wrong());
        };
        if band.words > MAX_WORDS || band.table_words(cols.len()) > MAX_TABLE_WORDS {
            return Ok(None);
        }
        let path = self.path(rows, cols, &band).ok_or_else(wrong)?;
        verified(&stripped, path, a, b, piece, distance as u64).map(Some)
    }

    /// The first piece at this distance, and of those with its end the longest.
    fn piece<S: Symbol>(
        &mut self,
        a: &[S],
        b: &[S],
        offset: usize,
        mode: Mode,
        distance: usize,
    ) -> Option<Range<usize>> {
        let is_infix = mode == Mode::Infix;
        // The empty piece lies in no symbols.
        let offset = if is_infix && distance < a.len() {
            offset.min(b.len())
        } else {
            0
        };
        let near = (!is_infix).then_some(distance);
        let mut ends = self.ends::<false, _>(a.iter(), b[offset..].iter(), near);
        let end = offset + ends.position(|found| found == distance)?;
        drop(ends);
        let len = if is_infix {
            self.longest(a, &b[..end], distance, true)?
        } else {
            end
        };
        Some(end - len..end)
    }

    /// Length of the longest piece of `b` at this distance from `a`: a suffix, or a prefix.
    pub(crate) fn longest<S: Symbol>(
        &mut self,
        a: &[S],
        b: &[S],
        distance: usize,
        is_suffix: bool,
    ) -> Option<usize> {
        let max_len = b.len().min(a.len().saturating_add(distance));
        if is_suffix {
            let b = b[b.len() - max_len..].iter().rev();
            self.longest_prefix(a.iter().rev(), b, distance)
        } else {
            self.longest_prefix(a.iter(), b[..max_len].iter(), distance)
        }
    }

    fn longest_prefix<'a, S: Symbol>(
        &'a mut self,
        a: impl ExactSizeIterator<Item = &'a S> + Clone,
        b: impl Iterator<Item = &'a S> + Clone,
        distance: usize,
    ) -> Option<usize> {
        let of_len = |(len, found)| (found == distance).then_some(len);
        let near = Some(distance);
        if a.len() <= 64 {
            let lens = self.ends::<false, _>(a, b, near);
            lens.enumerate().filter_map(of_len).last()
        } else {
            let lens = self.ends::<true, _>(a, b, near);
            lens.enumerate().filter_map(of_len).last()
        }
    }

    /// Writes the match masks of the query, between words without matches. Returns the words of a
    /// code. The codes are those of the query, or for symbols that match others of the target.
    fn encode<'a, S: Symbol>(
        &mut self,
        query: impl ExactSizeIterator<Item = &'a S> + Clone,
        target: impl Iterator<Item = &'a S>,
        before: usize,
        behind: usize,
    ) -> usize {
        let stride = before + query.len().div_ceil(64) + behind;
        self.alphabet.clear();
        self.masks.clear();
        self.masks.resize(stride, 0);
        if S::MATCHES_OTHERS {
            for &symbol in target {
                let first = self.alphabet.add(symbol.place()) as usize * stride;
                if first < self.masks.len() {
                    continue;
                }
                self.masks.resize(first + stride, 0);
                for (row, _) in query.clone().enumerate().filter(|&(_, &one)| one == symbol) {
                    self.masks[first + before + row / 64] |= 1 << (row % 64);
                }
            }
            return stride;
        }
        for (row, &symbol) in query.enumerate() {
            let code = self.alphabet.add(symbol.place()) as usize;
            let size = self.masks.len().max((code + 1) * stride);
            self.masks.resize(size, 0);
            self.masks[code * stride + before + row / 64] |= 1 << (row % 64);
        }
        stride
    }

    fn code<S: Symbol>(&self, symbol: S) -> usize {
        self.alphabet.code(symbol.place()) as usize
    }

    /// Distances of the query to all prefixes of the target, from the empty one on; exact up
    /// to `near`, and greater ones greater than it. Without `near` to the best piece with each end.
    /// In a band only the words with diagonals within `near` are computed.
    fn ends<'a, const IN_BAND: bool, S: Symbol>(
        &'a mut self,
        query: impl ExactSizeIterator<Item = &'a S> + Clone,
        target: impl Iterator<Item = &'a S> + Clone,
        near: Option<usize>,
    ) -> impl Iterator<Item = usize> {
        let (rows, words) = (query.len(), self.encode(query, target.clone(), 0, 0));
        let mut column = vec![(!0u64, 0u64); words];
        let band = near.unwrap_or(usize::MAX);
        let (mut first, mut end, mut last) = (0, words, rows.wrapping_sub(1) % 64);
        // Value of the last row of the words, plus the number of rows below it.
        let mut value = rows;
        let next = move |(index, &symbol): (usize, &S)| {
            if IN_BAND {
                first = index.saturating_sub(band) / 64;
                end = words.min(index.saturating_add(band) / 64 + 1);
                last = rows.min(64 * end).wrapping_sub(1) % 64;
            }
            let masks = &self.masks[self.code(symbol) * words..][first..end];
            let (mut more_in, mut less_in) = (u64::from(near.is_some()), 0);
            let mut below = (more_in << last, 0);
            for ((more, less), &mask) in column[first..end].iter_mut().zip(masks) {
                let vertical = mask | *less;
                let mask = mask | less_in;
                let diagonal = (((mask & *more).wrapping_add(*more)) ^ *more) | mask;
                let right = (*less | !(diagonal | *more), *more & diagonal);
                below = right;
                let (plus, minus) = (right.0 << 1 | more_in, right.1 << 1 | less_in);
                (*more, *less) = (minus | !(vertical | plus), plus & vertical);
                (more_in, less_in) = (right.0 >> 63, right.1 >> 63);
            }
            value += (below.0 >> last & 1) as usize;
            value -= (below.1 >> last & 1) as usize;
            value
        };
        std::iter::once(rows).chain(target.enumerate().map(next))
    }

    /// Runs of diagonal steps; `None` if no path has the distance of the band.
    fn path<S: Symbol>(&mut self, a: &[S], b: &[S], band: &Band) -> Option<Blocks> {
        let stride = self.encode(
            a.iter(),
            b.iter(),
            band.empty_words(),
            band.filled_words() + 1,
        );
        match band.words {
            0..=1 => self.fill::<1, _>(b, stride, band),
            2 => self.fill::<2, _>(b, stride, band),
            3..=4 => self.fill::<4, _>(b, stride, band),
            5..=8 => self.fill::<8, _>(b, stride, band),
            9..=16 => self.fill::<16, _>(b, stride, band),
            _ => self.fill::<MAX_WORDS, _>(b, stride, band),
        }
        self.walk(a, b, band)
    }

    /// Writes the columns of the band. Bit `r` of column `j` is the difference between row
    /// `j + 1 - last + r` and the one above it, with the last diagonal of the band `last`.
    fn fill<const WORDS: usize, S: Symbol>(&mut self, b: &[S], stride: usize, band: &Band) {
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        columns.resize((b.len() + 1) * 2 * WORDS, 0);
        // Rows above the table are as its first row.
        let mut more: [u64; WORDS] = array(|word| match band.above.saturating_sub(64 * word) {
            above @ 0..64 => !0 << above,
            _ => 0,
        });
        let mut less = [0; WORDS];
        let (first_column, later) = columns.split_at_mut(2 * WORDS);
        first_column[..WORDS].copy_from_slice(&more);
        let bits = band.empty_words() * 64 - band.above..;
        let columns_of_b = b.iter().zip(later.chunks_exact_mut(2 * WORDS));
        for (first, (&symbol, column)) in bits.zip(columns_of_b) {
            let masks = &self.masks[self.code(symbol) * stride + first / 64..][..WORDS + 1];
            let shift = (first % 64) as u32;
            let mut carry = false;
            let (mut plus, mut minus, mut diagonal) = ([0; WORDS], [0; WORDS], [0; WORDS]);
            // The carry goes from word to word of five arrays.
            #[allow(clippy::needless_range_loop)]
            for word in 0..WORDS {
                let mask = masks[word] >> shift | masks[word + 1] << 1 << (63 - shift);
                let (sum, over) = (mask & more[word]).overflowing_add(more[word]);
                let (sum, over_again) = sum.overflowing_add(carry.into());
                carry = over | over_again;
                diagonal[word] = (sum ^ more[word]) | mask | less[word];
                plus[word] = less[word] | !(diagonal[word] | more[word]);
                minus[word] = diagonal[word] & more[word];
            }
            for word in 0..WORDS {
                let next = diagonal.get(word + 1).map_or(0, |next| next << 63);
                let below = diagonal[word] >> 1 | next;
                more[word] = minus[word] | !(below | plus[word]);
                less[word] = below & plus[word];
            }
            column[..WORDS].copy_from_slice(&more);
            column[WORDS..].copy_from_slice(&less);
        }
        self.columns = columns;
    }

    fn walk<S: Symbol>(&self, a: &[S], b: &[S], band: &Band) -> Option<Blocks> {
        let words = band.filled_words();
        let bit = |column: usize, part: usize, row: usize| {
            let word = (row / 64 < words).then(|| (2 * column + part) * words + row / 64);
            Some(self.columns.get(word?)? >> (row % 64) & 1 == 1)
        };
        let (mut i, mut j) = (a.len(), b.len());
        let mut runs: Vec<Block> = Vec::new();
        let mut run = 0;
        while i > 0 && j > 0 {
            // Bit of the row in the column before; there is none for the first row of the band here.
            let row = (i + band.above).checked_sub(j)?;
            let is_up = row > 0 && bit(j, 0, row - 1)?;
            if !is_up && (a[i - 1] == b[j - 1] || !bit(j - 1, 1, row)?) {
                (i, j, run) = (i - 1, j - 1, run + 1);
                continue;
            }
            if run > 0 {
                runs.push(Block {
                    a: i,
                    b: j,
                    len: run,
                });
                run = 0;
            }
            if is_up { i -= 1 } else { j -= 1 }
        }
        if run > 0 {
            runs.push(Block {
                a: i,
                b: j,
                len: run,
            });
        }
        runs.reverse();
        Some(Blocks::of(runs))
    }
}

/// Error for a pair with another distance.
pub(crate) fn wrong(distance: u64) -> Error {
    Error::CertificateFailed(format!("a pair does not have distance {distance}"))
}

/// Alignment of a pair from the path between its common affixes, replayed.
fn verified<S: Symbol>(
    stripped: &Stripped<'_, S>,
    path: Blocks,
    a: &[S],
    b: &[S],
    piece: Range<usize>,
    distance: u64,
) -> Result<Alignment> {
    let blocks = stripped.with_affixes(path);
    let alignment = Alignment::new(blocks, a.len(), piece);
    alignment.verify(a, b, distance)?;
    Ok(alignment)
}

/// The diagonals of a table that best paths may be on.
struct Band {
    /// Diagonals right of the first cell's.
    above: usize,
    /// Words of 64 diagonals.
    words: usize,
}

impl Band {
    /// `None` if the lengths differ by more than the distance.
    fn new(rows: usize, cols: usize, distance: usize) -> Option<Self> {
        // Steps off the diagonal that a path has beside those that the lengths require.
        let spare = distance.checked_sub(rows.abs_diff(cols))? / 2;
        let above = cols.saturating_sub(rows).saturating_add(spare);
        let below = rows.saturating_sub(cols).saturating_add(spare);
        let words = above.saturating_add(below).saturating_add(1).div_ceil(64);
        Some(Self { above, words })
    }

    /// Words of a column as it is computed.
    fn filled_words(&self) -> usize {
        self.words.next_power_of_two()
    }

    fn table_words(&self, cols: usize) -> usize {
        (cols + 1).saturating_mul(2 * self.filled_words())
    }

    /// Words of a mask before the first row, for rows above the table.
    fn empty_words(&self) -> usize {
        self.above.div_ceil(64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference;
    use super::*;
    use crate::sequences::bit_parallel::inputs::{self, Random};

    fn expected(a: &[u32], b: &[u32], mode: Mode) -> (u64, Alignment) {
        let (distance, ends) = reference::ends(a, b, mode);
        let end = ends[0];
        let start = match mode {
            Mode::Infix => reference::start(a, b, end, distance),
            _ => 0,
        };
        let stripped = Stripped::new(a, &b[start..end]);
        let path = reference::path(stripped.rows, stripped.cols);
        let blocks = stripped.with_affixes(path);
        (distance, Alignment::new(blocks, a.len(), start..end))
    }

    fn assert_aligned(known: &mut KnownDistance, a: &[u32], b: &[u32]) {
        for mode in Mode::ALL {
            let (distance, alignment) = expected(a, b, mode);
            let found = known
                .align(a, b, 0, mode, distance)
                .expect("it is its distance");
            assert_eq!(
                found.as_ref(),
                Some(&alignment),
                "{mode}, a = {a:?}, b = {b:?}"
            );
            if mode == Mode::Infix {
                for offset in [alignment.piece().start / 2, alignment.piece().start] {
                    let found = known.align(a, b, offset, mode, distance);
                    let found = found.expect("it is its distance");
                    assert_eq!(found.as_ref(), Some(&alignment), "{offset}, {a:?}, {b:?}");
                }
            }
            // A piece may have a greater distance.
            let greater = (mode == Mode::Global).then_some(distance + 2);
            for wrong in distance.checked_sub(1).into_iter().chain(greater) {
                let refused = known.align(a, b, 0, mode, wrong);
                let is_refused = matches!(refused, Err(Error::CertificateFailed(_)));
                assert!(is_refused, "{mode} {wrong}, a = {a:?}, b = {b:?}");
            }
        }
    }

    #[test]
    fn alignments_are_those_of_the_whole_table() {
        let mut known = KnownDistance::default();
        for (a, b) in inputs::pairs(150, 141) {
            assert_aligned(&mut known, &a, &b);
        }
        let mut random = Random::new(31);
        for len in [1, 2, 31, 63, 64, 65, 127, 128, 129, 200, 256, 300] {
            for letters in [1, 2, 4, 40] {
                for edits in [0, 1, 2, 5, 20, 70] {
                    let a = random.codes(len, letters);
                    let mut b = a.clone();
                    for _ in 0..edits {
                        let place = random.below(b.len() + 1);
                        match random.below(3) {
                            0 => b.insert(place, random.below(letters as usize) as u32),
                            1 if place < b.len() => drop(b.remove(place)),
                            _ if place < b.len() => {
                                b[place] = random.below(letters as usize) as u32
                            }
                            _ => {}
                        }
                    }
                    assert_aligned(&mut known, &a, &b);
                    assert_aligned(&mut known, &b, &a);
                    let len = random.below(2 * len + 2);
                    let other = random.codes(len, letters);
                    assert_aligned(&mut known, &a, &other);
                }
            }
        }
    }

    #[test]
    fn pairs_that_are_too_large_are_left_to_other_methods() {
        let mut known = KnownDistance::default();
        let (a, b) = (vec![0u8; 5000], vec![1u8; 5000]);
        assert_eq!(
            known
                .align(&a, &b, 0, Mode::Global, 5000)
                .expect("no error"),
            None
        );
        let b = vec![1u8; MAX_SEARCH_CELLS / 5000 + 1];
        assert_eq!(
            known.align(&a, &b, 0, Mode::Infix, 5000).expect("no error"),
            None
        );
    }
}
