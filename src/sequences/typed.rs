//! Sequences with symbols of the few types that solvers take.
//!
//! A solver that is generic over its symbols would be compiled again by each caller, and once for
//! each type of symbols there. So tasks hand their sequences over as bytes, numbers or letters, and
//! only code that compares symbols is compiled for each of the three.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::codes::{Encoded, Symbol};
use super::pair::Pair;
use crate::edit_distance::{Alignment, Op};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::matching::Letter;
use crate::pairs::Measure;

/// Evaluates `$solve` with the sequences, which have another type in each case.
macro_rules! for_type {
    ($typed:expr, |$sequences:pat_param| $solve:expr) => {{
        use $crate::sequences::typed::Typed;
        match $typed {
            Typed::Bytes($sequences) => $solve,
            Typed::Numbers($sequences) => $solve,
            Typed::Letters($sequences) => $solve,
        }
    }};
}

/// As [`for_type`], for a result of the same type.
macro_rules! map_type {
    ($typed:expr, |$sequences:pat_param| $value:expr) => {{
        use $crate::sequences::typed::Typed;
        match $typed {
            Typed::Bytes($sequences) => Typed::Bytes($value),
            Typed::Numbers($sequences) => Typed::Numbers($value),
            Typed::Letters($sequences) => Typed::Letters($value),
        }
    }};
}

/// As [`for_type`], for a problem that takes no symbols that match others.
macro_rules! for_class {
    ($typed:expr, $problem:expr, |$sequences:ident| $solve:expr) => {{
        use $crate::sequences::typed::{Typed, needs_classes};
        match $typed {
            Typed::Bytes($sequences) => $solve,
            Typed::Numbers($sequences) => $solve,
            Typed::Letters(_) => Err(needs_classes($problem)),
        }
    }};
}

pub(crate) use {for_class, for_type, map_type};

/// Values for bytes, for numbers of 32 bits, or for letters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Typed<Bytes, Numbers, Letters> {
    /// For bytes.
    Bytes(Bytes),
    /// For numbers.
    Numbers(Numbers),
    /// For letters of one [`Matching`](crate::Matching).
    Letters(Letters),
}

/// Symbols of one sequence, borrowed or owned.
///
/// Bytes may be compared with numbers: a byte equals the number of its value. Letters are compared
/// with letters of the same [`Matching`](crate::Matching) only.
pub type Symbols<'a> = Typed<Cow<'a, [u8]>, Cow<'a, [u32]>, Cow<'a, [Letter]>>;

pub(crate) type SymbolSlice<'a> = Typed<&'a [u8], &'a [u32], &'a [Letter]>;

pub(crate) type SymbolPair<'a> = Typed<Pair<'a, u8>, Pair<'a, u32>, Pair<'a, Letter>>;

pub(crate) type Lists<'a> = Typed<Vec<Cow<'a, [u8]>>, Vec<Cow<'a, [u32]>>, Vec<Cow<'a, [Letter]>>>;

/// Two sequences of bytes, numbers or letters.
///
/// ```
/// use swath::pairs::Measure;
/// use swath::query::{Pair, Symbols};
///
/// let bytes = Symbols::Bytes(b"grosse".into());
/// let numbers = Symbols::Numbers("große".chars().map(u32::from).collect());
/// let pair = Pair::of_symbols(bytes, numbers)?;
/// assert_eq!((pair.lens(), pair.small_value(Measure::Edit)), ([6, 5], Some(2)));
/// # Ok::<(), swath::Error>(())
/// ```
pub type Two<'a> = Typed<[Cow<'a, [u8]>; 2], [Cow<'a, [u32]>; 2], [Cow<'a, [Letter]>; 2]>;

impl<B, N, L> Typed<B, N, L> {
    /// True for symbols that match others.
    pub(crate) fn match_others(&self) -> bool {
        matches!(self, Self::Letters(_))
    }
}

impl<B, N, L> Typed<Vec<B>, Vec<N>, Vec<L>> {
    /// Values in one type: `widened` turns those of bytes into those of numbers where there are any.
    pub(crate) fn unified(
        values: impl IntoIterator<Item = Typed<B, N, L>>,
        widened: impl Fn(B) -> N,
    ) -> Result<Self> {
        let mut all = Self::Bytes(Vec::new());
        for value in values {
            match (&mut all, value) {
                (Self::Bytes(all), Typed::Bytes(value)) => all.push(value),
                (Self::Numbers(all), Typed::Numbers(value)) => all.push(value),
                (Self::Letters(all), Typed::Letters(value)) => all.push(value),
                (Self::Numbers(all), Typed::Bytes(value)) => all.push(widened(value)),
                (Self::Bytes(bytes), Typed::Numbers(value)) => {
                    let bytes = std::mem::take(bytes).into_iter();
                    all = Self::Numbers(bytes.map(&widened).chain([value]).collect());
                }
                (Self::Bytes(bytes), Typed::Letters(value)) if bytes.is_empty() => {
                    all = Self::Letters(vec![value]);
                }
                _ => return Err(not_letters(MIXED)),
            }
        }
        Ok(all)
    }
}

const MIXED: &str = "all sequences have to be letters";

fn widened<'a>(bytes: &[u8]) -> Cow<'a, [u32]> {
    bytes.iter().copied().map(u32::from).collect()
}

impl Symbols<'_> {
    /// Number of symbols.
    #[must_use]
    pub fn len(&self) -> usize {
        for_type!(self, |symbols| symbols.len())
    }

    /// True if there are no symbols.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl SymbolSlice<'_> {
    pub(crate) fn len(self) -> usize {
        for_type!(self, |symbols| symbols.len())
    }

    pub(crate) fn part(self, range: Range<usize>) -> Self {
        map_type!(self, |symbols| &symbols[range])
    }
}

impl<'a> SymbolPair<'a> {
    pub(crate) fn lens(self) -> (usize, usize) {
        for_type!(self, |pair| (pair.a.len(), pair.b.len()))
    }

    /// The first sequence and a part of the second one.
    pub(crate) fn with_part(self, b: Range<usize>) -> Self {
        map_type!(self, |pair| Pair::new(pair.a, &pair.b[b]))
    }

    /// Codes with `b` as rows and `a` as columns.
    pub(crate) fn encode_swapped(self, engine: &Engine) -> Encoded {
        for_type!(self, |pair| Encoded::by(engine, pair.b, pair.a))
    }
}

impl<'a> Lists<'a> {
    pub(crate) fn len(&self) -> usize {
        for_type!(self, |lists| lists.len())
    }

    pub(crate) fn of<S: Symbol>(lists: &[&'a [S]]) -> Result<Self> {
        let bytes = |list: &&'a [S]| S::bytes(list).map(Cow::Borrowed);
        if let Some(bytes) = lists.iter().map(bytes).collect() {
            return Ok(Self::Bytes(bytes));
        }
        let letters = |list: &&'a [S]| S::letters(list).map(Cow::Borrowed);
        if let Some(letters) = lists.iter().map(letters).collect() {
            return Ok(Self::Letters(letters));
        }
        if S::MATCHES_OTHERS {
            return Err(not_letters("they have to be letters of a matching"));
        }
        let mut known = HashMap::new();
        let lists = lists.iter().map(|list| numbers(&mut known, list));
        Ok(Self::Numbers(lists.collect::<Result<_>>()?))
    }

    pub(crate) fn of_symbols(sequences: impl IntoIterator<Item = Symbols<'a>>) -> Result<Self> {
        Self::unified(sequences, |bytes| widened(&bytes))
    }
}

impl<'a> Two<'a> {
    pub(crate) fn of<S: Symbol>(a: &'a [S], b: &'a [S]) -> Result<Self> {
        Ok(map_type!(Lists::of(&[a, b])?, |lists| {
            lists.try_into().unwrap_or_default()
        }))
    }

    /// Brings two sequences to one type: bytes beside numbers become numbers.
    ///
    /// # Errors
    /// [`Error::MethodUnavailable`] for letters beside other symbols.
    #[inline]
    pub fn of_symbols(a: Symbols<'a>, b: Symbols<'a>) -> Result<Self> {
        Ok(match (a, b) {
            (Typed::Bytes(a), Typed::Bytes(b)) => Self::Bytes([a, b]),
            (Typed::Numbers(a), Typed::Numbers(b)) => Self::Numbers([a, b]),
            (Typed::Letters(a), Typed::Letters(b)) => Self::Letters([a, b]),
            (Typed::Numbers(a), Typed::Bytes(b)) => Self::Numbers([a, widened(&b)]),
            (Typed::Bytes(a), Typed::Numbers(b)) => Self::Numbers([widened(&a), b]),
            _ => return Err(not_letters(MIXED)),
        })
    }

    /// Lengths of both sequences in symbols.
    #[must_use]
    #[inline]
    pub fn lens(&self) -> [usize; 2] {
        for_type!(self, |[a, b]| [a.len(), b.len()])
    }

    pub(crate) fn slices(&self) -> SymbolPair<'_> {
        map_type!(self, |[a, b]| Pair::new(a, b))
    }

    /// Value of a small pair, as [`Measure::of_small_pair`].
    #[must_use]
    #[inline]
    pub fn small_value(&self, measure: Measure) -> Option<u64> {
        for_type!(self, |[a, b]| measure.of_small_pair(a, b))
    }

    /// CIGAR with `=` and `X` of an alignment of these sequences.
    ///
    /// # Errors
    /// As [`Alignment::ops`].
    pub fn cigar_extended(&self, alignment: &Alignment) -> Result<String> {
        Ok(Op::cigar(&self.ops(alignment)?))
    }

    /// Steps of an alignment of these sequences.
    ///
    /// # Errors
    /// As [`Alignment::ops`].
    pub fn ops(&self, alignment: &Alignment) -> Result<Vec<(Op, usize)>> {
        for_type!(self, |[a, b]| alignment.ops(a, b))
    }
}

fn not_letters(reason: &str) -> Error {
    Error::MethodUnavailable {
        method: "symbols that match others",
        device: "any device".to_string(),
        reason: reason.to_string(),
    }
}

/// Numbers of symbols, in order of first appearance if their type has none.
fn numbers<'a, S: Symbol>(known: &mut HashMap<S, u32>, symbols: &'a [S]) -> Result<Cow<'a, [u32]>> {
    if let Some(numbers) = S::numbers(symbols) {
        return Ok(numbers);
    }
    let number = |&symbol: &S| {
        let next = known.len();
        let number = u32::try_from(next).map_err(|_| Error::OutOfRange {
            what: "the number of distinct symbols",
            given: next as u64,
            allowed: "less than 2^32".to_string(),
        })?;
        Ok(*known.entry(symbol).or_insert(number))
    };
    symbols.iter().map(number).collect()
}

/// The error of a problem whose methods need classes of equal symbols.
pub(crate) fn needs_classes(problem: &'static str) -> Error {
    Error::MethodUnavailable {
        method: problem,
        device: "symbols that match others".to_string(),
        reason: "only edit distances and common subsequences have them".to_string(),
    }
}

pub(crate) fn slices<S, L: AsRef<[S]>>(lists: &[L]) -> Vec<&[S]> {
    lists.iter().map(L::as_ref).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers<S: Symbol>(a: &[S], b: &[S]) -> [Vec<u32>; 2] {
        let Ok(Two::Numbers(two)) = Two::of(a, b) else {
            panic!("not numbers");
        };
        let Ok(Lists::Numbers(lists)) = Lists::of(&[a, b]) else {
            panic!("not numbers");
        };
        let two = two.map(Cow::into_owned);
        assert!(two.iter().eq(lists.iter().map(|list| &**list)));
        two
    }

    #[test]
    fn equal_symbols_of_any_type_become_equal_numbers() {
        assert_eq!(numbers(&[9u32, 7], &[7]), [vec![9, 7], vec![7]]);
        assert_eq!(numbers(&[u16::MAX, 7], &[7]), [vec![0xffff, 7], vec![7]]);
        assert_eq!(numbers(&['ß', 'a'], &['a']), [vec![0xdf, 0x61], vec![0x61]]);
        let large = 1 << 40;
        assert_eq!(
            numbers(&[large, 7u64, large], &[7, 8]),
            [vec![0, 1, 0], vec![1, 2]]
        );
    }

    #[test]
    fn bytes_and_letters_are_borrowed() {
        let letters = crate::matching::Matching::iupac().letters(b"GATTACA");
        assert!(
            matches!(Two::of(b"a", b"bc"), Ok(Two::Bytes([Cow::Borrowed(_), b])) if *b == *b"bc")
        );
        assert!(matches!(Two::of(&letters, &letters), Ok(Two::Letters(_))));
    }
}
