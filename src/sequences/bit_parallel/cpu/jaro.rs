//! Matches and transpositions of Jaro similarities: many short patterns with one text after the
//! other, one pattern per SIMD lane.
//!
//! A lane takes, column by column, the first free row of its symbol within reach. Rows in order are
//! then paired with the columns that took one: those of different symbols are transposed.

use super::lane_patterns::Ends;
use super::shared_text::{CHAINS, LaneValues, PatternGroup, load, store};
use super::vector::{Lane, Register, with_registers};
use crate::sequences::bit_parallel::recurrence::Lcs;

/// Maximum symbols of a text: the columns before rows leave reach are counted in signed numbers of 8
/// bits.
pub(crate) const MAX_TEXT: usize = 127;

/// Symbols that may match beside the same position of strings of these lengths.
pub(crate) fn reach(a: usize, b: usize) -> usize {
    (a.max(b) / 2).saturating_sub(1)
}

pub(crate) struct JaroGroup<T> {
    group: PatternGroup<T>,
    /// By length of a text: `[part][lane]`, the rows below the upper end of what is in reach of the
    /// first column, those below its lower end, and the columns until the latter moves, less one.
    reach: Vec<Vec<T>>,
}

/// Bits of a value below the number of matches: the number of symbols that are transposed.
fn matches_bit<T: Lane>() -> u32 {
    if T::BITS == 8 { 4 } else { 8 }
}

/// Matches, and symbols that are transposed, from a value of a lane.
#[inline(always)]
pub(crate) fn parts<T: Lane>(value: i64) -> (u64, u64) {
    let (value, bit) = (T::truncated(value as u64).extended(), matches_bit::<T>());
    (value >> bit, value & ((1 << bit) - 1))
}

impl<T: Lane> JaroGroup<T> {
    /// As [`PatternGroup::new`], for texts of these lengths; none exceeds the maximum.
    pub(crate) fn new(
        patterns: &[Vec<u32>],
        codes: usize,
        lens: impl Iterator<Item = usize>,
    ) -> Self {
        let lanes = PatternGroup::<T>::lanes();
        let mut of_len = vec![Vec::new(); MAX_TEXT + 1];
        for len in lens {
            if of_len[len].is_empty() {
                let pattern = |lane: usize| patterns[lane.min(patterns.len() - 1)].len();
                let both =
                    |lane: usize| (T::BITS as usize - pattern(lane), reach(pattern(lane), len));
                let below = |end: usize| {
                    T::truncated(u64::MAX.checked_shr(64 - end.min(64) as u32).unwrap_or(0))
                };
                let upper = (0..lanes)
                    .map(both)
                    .map(|(first, reach)| below(first + reach + 1));
                let lower = (0..lanes)
                    .map(both)
                    .map(|(first, reach)| below(first.saturating_sub(reach)));
                let until = (0..lanes).map(both).map(|(first, reach)| {
                    T::truncated((reach as u64).wrapping_sub(first as u64 + 1))
                });
                of_len[len] = upper.chain(lower).chain(until).collect();
            }
        }
        Self {
            group: PatternGroup::new::<Lcs>(patterns, codes, Ends::Both),
            reach: of_len,
        }
    }

    /// [Matches and transposed symbols](parts) of all patterns with texts of codes.
    pub(crate) fn values(&self, texts: &[&[u32]], values: &mut LaneValues<T>) {
        values.reset(texts.len(), PatternGroup::<T>::lanes());
        with_registers!(all [] T, (self, texts, values));
    }
}

#[inline(always)]
fn all<X: Register>(
    group: &JaroGroup<X::Lane>,
    texts: &[&[u32]],
    values: &mut LaneValues<X::Lane>,
) {
    let mut taken = Vec::with_capacity(MAX_TEXT);
    for (text, rest) in texts.iter().zip(values.of_texts()) {
        of_text::<X>(group, text, &mut taken, rest);
    }
}

/// `taken` is memory for the columns that take a row.
#[inline(always)]
fn of_text<X: Register>(
    JaroGroup { group, reach }: &JaroGroup<X::Lane>,
    text: &[u32],
    taken: &mut Vec<[X; CHAINS]>,
    values: &mut [X::Lane],
) {
    let (zero, one, ones) = (X::splat(0), X::splat(1), X::splat(!0));
    let mut parts = reach[text.len()].chunks_exact(CHAINS * X::LANES);
    let mut next = || parts.next().map_or([zero; CHAINS], load::<X>);
    let (mut upper, mut lower, mut until) = (next(), next(), next());
    let mut rows = [zero; CHAINS];
    taken.clear();
    for &code in text {
        let masks = load::<X>(group.masks(code));
        let mut takes = [zero; CHAINS];
        for chain in 0..CHAINS {
            let open = zero.or_nor(lower[chain], rows[chain]).and(upper[chain]);
            let free = masks[chain].and(open);
            let row = free.and(zero.sub(free));
            rows[chain] = rows[chain].or3(row, row);
            takes[chain] = is_some(free);
            upper[chain] = upper[chain].shift_up(ones);
            lower[chain] = lower[chain].shift_up(until[chain]);
            until[chain] = until[chain].sub(one);
        }
        taken.push(takes);
    }
    let (mut left, mut equal) = (rows, [zero; CHAINS]);
    for (&code, takes) in text.iter().zip(&*taken) {
        let masks = load::<X>(group.masks(code));
        for chain in 0..CHAINS {
            let row = left[chain].and(zero.sub(left[chain])).and(takes[chain]);
            left[chain] = left[chain].xor3(row, zero);
            equal[chain] = equal[chain].sub(is_some(masks[chain].and(row)));
        }
    }
    let mut both = rows;
    for chain in 0..CHAINS {
        let matches = rows[chain].count_ones();
        let mut moved = matches;
        for _ in 0..matches_bit::<X::Lane>() {
            moved = moved.add(moved);
        }
        both[chain] = moved.add(matches.sub(equal[chain]));
    }
    store(both, values);
}

/// All ones in lanes with a set bit.
#[inline(always)]
fn is_some<X: Register>(bits: X) -> X {
    let negative = X::splat(0).sub(bits);
    bits.or3(negative, negative).sign()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit_distance::Mode;
    use crate::pairs::{Measure, reference};
    use crate::sequences::bit_parallel::inputs::Random;

    fn check<T: Lane>(random: &mut Random, letters: u32) {
        let longest = T::BITS as usize;
        let count = 1 + random.below(PatternGroup::<T>::lanes());
        let mut list = |count: usize, longest: usize| -> Vec<Vec<u32>> {
            let mut string = || {
                let len = random.below(longest + 1);
                random
                    .codes(len, letters)
                    .iter()
                    .map(|code| code + 1)
                    .collect()
            };
            (0..count).map(|_| string()).collect()
        };
        let (patterns, mut texts) = (list(count, longest), list(20, MAX_TEXT.min(2 * longest)));
        texts.push(vec![1; MAX_TEXT]);
        texts.push((0..MAX_TEXT as u32).map(|at| 1 + at % letters).collect());
        let lens = texts.iter().map(Vec::len);
        let group = JaroGroup::<T>::new(&patterns, letters as usize, lens);
        let mut values = LaneValues::default();
        let borrowed: Vec<_> = texts.iter().map(Vec::as_slice).collect();
        group.values(&borrowed, &mut values);
        for (lane, pattern) in patterns.iter().enumerate() {
            for (text, value) in texts.iter().zip(values.of_lane(lane)) {
                let (matches, transposed) = parts::<T>(value);
                let expected = reference::value(Measure::Jaro, Mode::Global, pattern, text);
                // Of short strings.
                let found = matches << 9 | (transposed / 2) << 3;
                assert_eq!(found, expected, "{pattern:?} {text:?}");
            }
        }
    }

    #[test]
    fn lanes_of_every_width_match_the_reference() {
        let mut random = Random::new(19);
        for letters in [1, 2, 3, 5, 60] {
            for _ in 0..4 {
                check::<u8>(&mut random, letters);
                check::<u16>(&mut random, letters);
                check::<u32>(&mut random, letters);
                check::<u64>(&mut random, letters);
            }
        }
    }
}
