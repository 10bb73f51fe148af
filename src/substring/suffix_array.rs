//! Suffix array of the concatenated texts, with its LCP array.
//!
//! There are no separators: a suffix counts for a length only if its own text continues that far.
//! Suffixes that share a prefix of one length are adjacent, so one scan finds the prefixes of that
//! length in enough texts; the greatest such length is found by bisection. Cost: O(n log n) for n
//! symbols of all texts.
//!
//! Sources: suffix sorting by divsufsort (Fischer and Kurpicz 2017, arXiv:1710.01896); LCP array by
//! way of each suffix's predecessor (Kärkkäinen, Manzini and Puglisi 2009,
//! doi:10.1007/978-3-642-02441-2_17).

use std::ops::Range;

use super::query::{LongestSubstrings, SubstringQuery};
use super::suffix_sort;
use super::texts::Code;
use crate::call::control::Control;
use crate::error::{Error, Result};

/// Positions are signed 32-bit integers.
const LIMIT: u64 = i32::MAX as u64;
/// Predecessor of the first suffix.
const NONE: u32 = u32::MAX;

pub(crate) struct SuffixArray {
    /// Start of each text in the concatenation, and the end of the last.
    starts: Vec<usize>,
    /// Start positions of the suffixes, in lexicographic order.
    suffixes: Vec<u32>,
    /// LCP array: length of the prefix shared with the previous suffix, across text boundaries.
    lcp: Vec<u32>,
}

/// Peak host memory of the array in bytes.
fn size_bytes<C: Code>(symbols: usize, max_code: u32) -> Result<u64> {
    let (symbols, width) = (symbols as u64, width(max_code));
    let limit = LIMIT / width;
    if symbols > limit {
        let remedy = "take another method, or give shorter inputs";
        return Err(Error::InputTooLong {
            what: "the text of the method 'suffix-array'",
            actual: symbols,
            limit,
            remedy,
        });
    }
    // The codes, their bytes and the byte suffixes; or the codes and three position arrays.
    let coded = size_of::<C>() as u64;
    Ok(symbols * (coded + (5 * width).max(12)))
}

/// Bytes per code.
fn width(max_code: u32) -> u64 {
    u64::from((u32::BITS - max_code.leading_zeros()).div_ceil(8).max(1))
}

/// Cells that a text of this many symbols announces: its order, its LCP array and the search.
pub(crate) fn work(symbols: usize) -> u64 {
    3 * symbols as u64
}

/// Name of the array in error messages.
pub(super) const WHAT: &str = "the suffix array of all inputs";

/// Peak host memory of the array of these texts in bytes.
pub(super) fn host_bytes<C: Code>(texts: &[&[C]]) -> Result<u64> {
    let symbols = texts.iter().map(|text| text.len()).sum();
    size_bytes::<C>(symbols, max_code(texts))
}

fn max_code<C: Code>(texts: &[&[C]]) -> u32 {
    texts
        .iter()
        .copied()
        .flatten()
        .map(|code| code.number())
        .max()
        .unwrap_or_default()
}

impl SuffixArray {
    /// Sorts the suffixes of all texts and computes the LCP array.
    pub(crate) fn new<C: Code>(texts: &[&[C]], control: &Control) -> Result<Self> {
        let mut starts = vec![0];
        starts.extend(texts.iter().scan(0, |end, text| {
            *end += text.len();
            Some(*end)
        }));
        let codes = texts.concat();
        let max_code = max_code(texts);
        size_bytes::<C>(codes.len(), max_code)?;
        control.add_total(work(codes.len()));
        let suffixes = sort_suffixes(&codes, width(max_code) as usize, control)?;
        control.add_done(codes.len() as u64);
        let lcp = lcp_array(&codes, &suffixes);
        control.check()?;
        control.add_done(codes.len() as u64);
        Ok(Self {
            starts,
            suffixes,
            lcp,
        })
    }

    /// The text that contains a position.
    fn text(&self, position: usize) -> usize {
        self.starts.partition_point(|&start| start <= position) - 1
    }

    /// Calls `each` with the ranks of each group of two or more suffixes that share `length`
    /// symbols, until it returns false.
    fn classes(&self, length: usize, mut each: impl FnMut(Range<usize>) -> bool) {
        let mut start = 0;
        while start < self.suffixes.len() {
            let more = self.lcp[start + 1..]
                .iter()
                .take_while(|&&shared| shared as usize >= length)
                .count();
            if more > 0 && !each(start..start + 1 + more) {
                return;
            }
            start += 1 + more;
        }
    }

    /// Text and offset of the suffixes at these ranks that are at least `length` long within their
    /// text.
    fn occurrences(
        &self,
        places: Range<usize>,
        length: usize,
    ) -> impl Iterator<Item = (usize, usize)> {
        self.suffixes[places].iter().filter_map(move |&position| {
            let text = self.text(position as usize);
            let fits = position as usize + length <= self.starts[text + 1];
            fits.then(|| (text, position as usize - self.starts[text]))
        })
    }

    /// True if some substring of this length occurs in enough texts.
    fn has_common(&self, length: usize, inputs: usize, last_class: &mut [usize]) -> bool {
        last_class.fill(NONE as usize);
        let mut found = false;
        self.classes(length, |places| {
            let class = places.start;
            let mut texts = 0;
            for (text, _) in self.occurrences(places, length) {
                texts += usize::from(last_class[text] != class);
                last_class[text] = class;
            }
            found = texts >= inputs;
            !found
        });
        found
    }
}

/// The longest substrings that occur in enough texts.
pub(crate) fn longest<C: Code>(
    query: SubstringQuery<'_, C>,
    control: &Control,
) -> Result<LongestSubstrings> {
    let SubstringQuery { texts, inputs } = query;
    let array = SuffixArray::new(texts, control)?;
    let mut last_class = vec![0; texts.len()];
    let mut lengths: Vec<_> = texts.iter().map(|text| text.len()).collect();
    lengths.sort_unstable();
    let longest = array.lcp.iter().copied().max().unwrap_or_default() as usize;
    // Invariant: a common substring of `low` symbols exists, and none exceeds `high`.
    let (mut low, mut high) = (0, lengths[lengths.len() - inputs].min(longest));
    while low < high {
        control.check()?;
        let length = high - (high - low) / 2;
        if array.has_common(length, inputs, &mut last_class) {
            low = length
        } else {
            high = length - 1
        }
    }
    let mut occurrences = Vec::new();
    if low > 0 {
        array.classes(low, |places| {
            let class: Vec<_> = array.occurrences(places, low).collect();
            let mut in_texts: Vec<_> = class.iter().map(|&(text, _)| text).collect();
            in_texts.sort_unstable();
            in_texts.dedup();
            if in_texts.len() >= inputs {
                occurrences.push(class);
            }
            true
        });
    }
    Ok(LongestSubstrings::sorted(low, occurrences))
}

/// Finds all maximal matches of at least `min_length` symbols between two texts. Examines every
/// pair of suffixes that share `min_length` symbols, including those that start inside a match.
/// `push` takes a match as (position in `a`, position in `b`, length) and the share of suffixes
/// examined so far.
pub(crate) fn matches<C: Code>(
    a: &[C],
    b: &[C],
    min_length: usize,
    control: &Control,
    mut push: impl FnMut((usize, usize, usize), f64) -> Result<()>,
) -> Result<()> {
    let array = SuffixArray::new(&[a, b], control)?;
    let mut result = Ok(());
    array.classes(min_length, |places| {
        let share = places.end as f64 / array.suffixes.len() as f64;
        let mut pairs = places
            .clone()
            .flat_map(|x| (x + 1..places.end).map(move |y| (x, y)));
        let mut reach = 0;
        result = pairs.try_for_each(|(x, y)| {
            let shared = array.lcp[y] as usize;
            if y == x + 1 {
                control.check()?;
                reach = shared;
            }
            // The common prefix shrinks as y grows.
            reach = reach.min(shared);
            let (x, y) = (array.suffixes[x] as usize, array.suffixes[y] as usize);
            let (i, j) = (x.min(y), x.max(y));
            if (i < a.len()) == (j < a.len()) {
                return Ok(());
            }
            let j = j - a.len();
            let length = reach.min(a.len() - i).min(b.len() - j);
            let is_first = i == 0 || j == 0 || a[i - 1] != b[j - 1];
            if length >= min_length && is_first {
                push((i, j, length), share)
            } else {
                Ok(())
            }
        });
        result.is_ok()
    });
    result
}

/// Start positions of all suffixes in order. Codes wider than a byte are sorted as `width`
/// big-endian bytes.
fn sort_suffixes<C: Code>(codes: &[C], width: usize, control: &Control) -> Result<Vec<u32>> {
    let bytes: Vec<u8> = match width {
        1 => codes.iter().map(|code| code.number() as u8).collect(),
        _ => codes
            .iter()
            .flat_map(|code| {
                code.number()
                    .to_be_bytes()
                    .into_iter()
                    .skip(size_of::<u32>() - width)
            })
            .collect(),
    };
    let positions = suffix_sort::sort(bytes, control)?
        .into_iter()
        .map(|position| position as usize);
    Ok(positions
        .filter(|position| position % width == 0)
        .map(|position| (position / width) as u32)
        .collect())
}

/// LCP array by rank.
fn lcp_array<C: Code>(codes: &[C], suffixes: &[u32]) -> Vec<u32> {
    let mut of_position = vec![NONE; codes.len()];
    for pair in suffixes.windows(2) {
        of_position[pair[1] as usize] = pair[0];
    }
    let mut length = 0;
    for (position, slot) in of_position.iter_mut().enumerate() {
        if *slot == NONE {
            (*slot, length) = (0, 0);
            continue;
        }
        let before = &codes[*slot as usize + length..];
        length += codes[position + length..]
            .iter()
            .zip(before)
            .take_while(|(x, y)| x == y)
            .count();
        *slot = length as u32;
        length = length.saturating_sub(1);
    }
    suffixes
        .iter()
        .map(|&position| of_position[position as usize])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffix_array_is_sorted_and_its_lcp_array_exact() {
        for words in [
            &[&[3u32, 1, 3, 1, 3][..], &[70_000, 3, 1]][..],
            &[&[1; 9], &[], &[1; 4]],
            &[&[]],
        ] {
            let array = SuffixArray::new(words, &Control::default()).expect("it is short");
            let codes = words.concat();
            let suffix = |place: usize| &codes[array.suffixes[place] as usize..];
            assert_eq!(array.suffixes.len(), codes.len());
            for place in 1..array.suffixes.len() {
                let (x, y) = (suffix(place - 1), suffix(place));
                assert!(x < y);
                assert_eq!(
                    array.lcp[place] as usize,
                    x.iter().zip(y).take_while(|(x, y)| x == y).count()
                );
            }
        }
    }

    #[test]
    fn suffix_array_refuses_texts_beyond_32_bit_positions() {
        assert!(size_bytes::<u8>(LIMIT as usize, 255).is_ok());
        assert!(matches!(
            size_bytes::<u32>(LIMIT as usize / 2 + 1, 256),
            Err(Error::InputTooLong { .. })
        ));
    }
}
