//! Texts of classes of symbols, beside the pattern that is searched in them.
//!
//! Symbols of a text that match the same symbols of the pattern may share a class. A class may match
//! several symbols of the pattern, as the letter N of DNA does.

use std::ops::Range;

use super::super::vector::Vector;
use super::BLOCK;

/// Class of a symbol of the text: a byte or a number.
pub(crate) trait Class: Copy + Sync {
    /// Classes of a pattern up to which a block is compared with each, instead of visited symbol by
    /// symbol.
    const MAX_COMPARED: usize;

    /// The class of a number, which fits.
    fn of(number: u32) -> Self;

    fn number(self) -> usize;

    fn bytes(symbols: &[Self]) -> Option<&[u8]>;

    /// Calls `set` with each code of `pairs` (see [`Pattern`]) and the bits of the symbols of its
    /// class, bit 0 for the first.
    fn compare<X: Vector>(symbols: &[Self], pairs: &[[u32; 2]], set: impl FnMut(usize, u64));
}

impl Class for u8 {
    const MAX_COMPARED: usize = 32;

    fn of(number: u32) -> Self {
        number as u8
    }

    fn number(self) -> usize {
        self.into()
    }

    fn bytes(symbols: &[Self]) -> Option<&[u8]> {
        Some(symbols)
    }

    #[inline(always)]
    fn compare<X: Vector>(bytes: &[u8], pairs: &[[u32; 2]], mut set: impl FnMut(usize, u64)) {
        let (mut padded, mut inside) = ([0; BLOCK], !0);
        let block = match bytes.first_chunk() {
            Some(block) => block,
            None => {
                padded[..bytes.len()].copy_from_slice(bytes);
                inside = (1 << bytes.len()) - 1;
                &padded
            }
        };
        for &[class, code] in pairs {
            set(code as usize, X::equal_bytes(block, class as u8) & inside);
        }
    }
}

impl Class for u32 {
    const MAX_COMPARED: usize = 0;

    fn of(number: u32) -> Self {
        number
    }

    fn number(self) -> usize {
        self as usize
    }

    fn bytes(_: &[Self]) -> Option<&[u8]> {
        None
    }

    /// Only patterns without symbols come here.
    fn compare<X: Vector>(_: &[u32], _: &[[u32; 2]], _: impl FnMut(usize, u64)) {}
}

/// A pattern, and the classes of a text that its symbols match.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// One code per row.
    rows: Vec<u32>,
    codes: usize,
    /// Each class with a code that it matches, by class.
    pairs: Vec<[u32; 2]>,
    /// By class: its first pair, if classes are visited symbol by symbol.
    first_pair: Vec<u32>,
}

impl Pattern {
    /// A pattern of symbols, which have codes by `code_of` from 0 up to `codes`. `pairs` are the
    /// classes of a text of `C` and the codes that they match; classes are less than `classes`.
    fn new<C: Class>(
        rows: Vec<u32>,
        codes: usize,
        mut pairs: Vec<[u32; 2]>,
        classes: usize,
    ) -> Self {
        pairs.sort_unstable();
        let mut first_pair = Vec::new();
        if pairs.len() > C::MAX_COMPARED {
            first_pair.resize(classes + 1, 0);
            for &[class, _] in &pairs {
                first_pair[class as usize + 1] += 1;
            }
            let mut sum = 0;
            for count in &mut first_pair {
                sum += *count;
                *count = sum;
            }
        }
        Self {
            rows,
            codes,
            pairs,
            first_pair,
        }
    }

    /// A pattern of symbols that match the classes `matched`; all classes are less than `classes`.
    pub(crate) fn of_symbols<C: Class, S: Copy + PartialEq>(
        symbols: impl Iterator<Item = S>,
        matched: impl Fn(S) -> Vec<u32>,
        classes: usize,
    ) -> Self {
        let (mut distinct, mut rows, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
        for symbol in symbols {
            let known = distinct.iter().position(|&other| other == symbol);
            let code = known.unwrap_or_else(|| {
                let code = distinct.len();
                distinct.push(symbol);
                let classes = matched(symbol).into_iter();
                pairs.extend(classes.map(|class| [class, code as u32]));
                code
            });
            rows.push(code as u32);
        }
        Self::new::<C>(rows, distinct.len(), pairs, classes)
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        let mut code_of = [None; 256];
        let (mut rows, mut pairs) = (Vec::with_capacity(bytes.len()), Vec::new());
        for &byte in bytes {
            let code = *code_of[usize::from(byte)].get_or_insert_with(|| {
                let code = pairs.len() as u32;
                pairs.push([byte.into(), code]);
                code
            });
            rows.push(code);
        }
        let codes = pairs.len();
        Self::new::<u8>(rows, codes, pairs, 256)
    }

    /// A pattern of codes, for texts of codes up to `max`, from
    /// [`Encoded`](crate::sequences::codes::Encoded).
    pub(crate) fn of_codes(codes: &[u32], max: u32) -> Self {
        let count = max as usize + 1;
        let pairs = (0..=max).map(|code| [code, code]).collect();
        Self::new::<u32>(codes.to_vec(), count, pairs, count)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn matches(&self) -> impl Iterator<Item = (usize, u32)> {
        let rows = |code: u32| (0..).zip(&self.rows).filter(move |&(_, &row)| row == code);
        let classes = self.pairs.iter();
        classes.flat_map(move |&[class, code]| rows(code).map(move |(row, _)| (row, class)))
    }
}

pub(crate) struct Text<'a, C> {
    pub symbols: &'a [C],
    pub pattern: &'a Pattern,
}

impl<C: Class> Text<'_, C> {
    pub(super) fn len(&self) -> usize {
        self.symbols.len()
    }

    pub(super) fn rows(&self) -> &[u32] {
        &self.pattern.rows
    }

    /// Upper bound of all codes.
    pub(super) fn codes(&self) -> usize {
        self.pattern.codes
    }

    fn is_compared(&self) -> bool {
        self.pattern.first_pair.is_empty()
    }

    #[inline(always)]
    fn pairs(&self, symbol: C) -> &[[u32; 2]] {
        let Pattern {
            pairs, first_pair, ..
        } = self.pattern;
        let [first, end] = [0, 1].map(|next| first_pair[symbol.number() + next] as usize);
        &pairs[first..end]
    }

    /// Calls `set` with each code of `positions` and the bits of its places, bit 0 for the first
    /// position; codes may recur.
    #[inline(always)]
    pub(super) fn matches<X: Vector>(
        &self,
        positions: Range<usize>,
        mut set: impl FnMut(usize, u64),
    ) {
        let symbols = &self.symbols[positions];
        if self.is_compared() {
            return C::compare::<X>(symbols, &self.pattern.pairs, set);
        }
        for (index, &symbol) in symbols.iter().enumerate() {
            for &[_, code] in self.pairs(symbol) {
                set(code as usize, 1 << index);
            }
        }
    }

    /// Calls `clear` with all codes that [`matches`](Self::matches) visits.
    #[inline(always)]
    pub(super) fn visited(&self, positions: Range<usize>, mut clear: impl FnMut(usize)) {
        if self.is_compared() {
            return (0..self.codes()).for_each(clear);
        }
        for &symbol in &self.symbols[positions] {
            for &[_, code] in self.pairs(symbol) {
                clear(code as usize);
            }
        }
    }
}
