//! Sequences with symbols of the few types that the solvers are compiled for.
//!
//! A solver that is generic over its symbols would be compiled again by each caller, and once for
//! each type of symbols there. So tasks hand their sequences over as bytes, numbers or letters, and
//! the solvers for these three are compiled here.

use std::borrow::Cow;
use std::collections::HashMap;

use super::codes::Symbol;
use crate::error::{Error, Result};
use crate::matching::Letter;

/// Sequences in one of three types of symbols, which are equal where those of the caller are.
pub(crate) enum Typed<Bytes, Numbers, Letters> {
    Bytes(Bytes),
    Numbers(Numbers),
    Letters(Letters),
}

/// Lists of bytes, numbers or letters.
pub(crate) type Lists<'a> = Typed<Vec<&'a [u8]>, Vec<Cow<'a, [u32]>>, Vec<&'a [Letter]>>;

/// Two sequences of bytes, numbers or letters.
pub(crate) type Two<'a> = Typed<[&'a [u8]; 2], [Cow<'a, [u32]>; 2], [&'a [Letter]; 2]>;

impl<'a> Lists<'a> {
    /// # Errors
    /// [`Error::MethodUnavailable`] for symbols of another type than [`Letter`] that match others,
    /// [`Error::OutOfRange`] for 2^32 distinct symbols.
    pub(crate) fn of<S: Symbol>(lists: &[&'a [S]]) -> Result<Self> {
        if let Some(bytes) = lists.iter().map(|list| S::bytes(list)).collect() {
            return Ok(Self::Bytes(bytes));
        }
        if let Some(letters) = lists.iter().map(|list| S::letters(list)).collect() {
            return Ok(Self::Letters(letters));
        }
        check_type::<S>()?;
        let mut numbers = Numbers::default();
        let lists = lists.iter().map(|list| numbers.of(list));
        Ok(Self::Numbers(lists.collect::<Result<_>>()?))
    }
}

impl<'a> Two<'a> {
    /// # Errors
    /// As for [`Lists::of`].
    pub(crate) fn of<S: Symbol>(a: &'a [S], b: &'a [S]) -> Result<Self> {
        if let (Some(a), Some(b)) = (S::bytes(a), S::bytes(b)) {
            return Ok(Self::Bytes([a, b]));
        }
        if let (Some(a), Some(b)) = (S::letters(a), S::letters(b)) {
            return Ok(Self::Letters([a, b]));
        }
        check_type::<S>()?;
        let mut numbers = Numbers::default();
        Ok(Self::Numbers([numbers.of(a)?, numbers.of(b)?]))
    }
}

fn check_type<S: Symbol>() -> Result<()> {
    if !S::MATCHES_OTHERS {
        return Ok(());
    }
    Err(Error::MethodUnavailable {
        method: "symbols that match others",
        device: "any device".to_string(),
        reason: "they have to be letters of a matching".to_string(),
    })
}

/// Numbers for symbols whose type has none, in order of first appearance.
struct Numbers<S>(HashMap<S, u32>);

impl<S> Default for Numbers<S> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<S: Symbol> Numbers<S> {
    fn of<'a>(&mut self, symbols: &'a [S]) -> Result<Cow<'a, [u32]>> {
        if let Some(numbers) = S::numbers(symbols) {
            return Ok(numbers);
        }
        let mut numbers = Vec::with_capacity(symbols.len());
        for &symbol in symbols {
            let next = self.0.len();
            let number = *self.0.entry(symbol).or_insert(next as u32);
            if next > u32::MAX as usize {
                return Err(Error::OutOfRange {
                    what: "the number of distinct symbols",
                    given: next as u64,
                    allowed: "less than 2^32".to_string(),
                });
            }
            numbers.push(number);
        }
        Ok(numbers.into())
    }
}

/// The error of a problem whose methods need classes of equal symbols.
pub(crate) fn needs_classes(problem: &'static str) -> Error {
    Error::MethodUnavailable {
        method: problem,
        device: "symbols that match others".to_string(),
        reason: "only edit distances and common subsequences have them".to_string(),
    }
}

/// Both sequences as slices.
pub(crate) fn two<S, L: AsRef<[S]>>([a, b]: &[L; 2]) -> (&[S], &[S]) {
    (a.as_ref(), b.as_ref())
}

/// All sequences as slices.
pub(crate) fn slices<S, L: AsRef<[S]>>(lists: &[L]) -> Vec<&[S]> {
    lists.iter().map(L::as_ref).collect()
}

/// Evaluates `$solve` with the sequences, which have another type in each case.
macro_rules! for_type {
    ($typed:expr, |$sequences:ident| $solve:expr) => {
        match $typed {
            $crate::pairwise::typed::Typed::Bytes($sequences) => $solve,
            $crate::pairwise::typed::Typed::Numbers($sequences) => $solve,
            $crate::pairwise::typed::Typed::Letters($sequences) => $solve,
        }
    };
}

/// As [`for_type`], for a problem that takes no symbols that match others.
macro_rules! for_class {
    ($typed:expr, $problem:expr, |$sequences:ident| $solve:expr) => {
        match $typed {
            $crate::pairwise::typed::Typed::Bytes($sequences) => $solve,
            $crate::pairwise::typed::Typed::Numbers($sequences) => $solve,
            $crate::pairwise::typed::Typed::Letters(_) => {
                Err($crate::pairwise::typed::needs_classes($problem))
            }
        }
    };
}

pub(crate) use {for_class, for_type};

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
        assert!(matches!(Two::of(b"a", b"bc"), Ok(Two::Bytes([_, b])) if b == b"bc"));
        assert!(matches!(Two::of(&letters, &letters), Ok(Two::Letters(_))));
    }
}
