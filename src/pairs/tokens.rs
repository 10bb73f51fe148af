//! Tokens of strings: what white space divides.

use std::cmp::Ordering;

use super::measure::Measure;
use super::strings::{Sides, Strings, TypedSides};
use crate::sequences::codes::Symbol;
use crate::sequences::typed::{SymbolSlice, Typed};

/// The lists of a measure of tokens: the tokens of each string in order, with one space between
/// them, for [`Measure::TokenSet`] each of them once. `None` for other measures, and for letters.
pub(super) fn sorted(measure: Measure, sides: &TypedSides<'_>) -> Option<TypedSides<'static>> {
    let distinct = match measure {
        Measure::TokenSort => false,
        Measure::TokenSet => true,
        _ => return None,
    };
    match sides {
        Typed::Bytes(sides) => Some(Typed::Bytes(sorted_of(sides, distinct))),
        Typed::Numbers(sides) => Some(Typed::Numbers(sorted_of(sides, distinct))),
        Typed::Letters(_) => None,
    }
}

fn sorted_of<S: Symbol + Ord + From<u8>>(
    (one, other): &Sides<'_, S>,
    distinct: bool,
) -> Sides<'static, S> {
    let sorted = |list: &Strings<'_, S>| {
        Strings::from_slices(list.iter().map(|string| of_string(string, distinct)))
    };
    (sorted(one), other.as_ref().map(sorted))
}

/// The tokens of a string in order, with one space between them.
fn of_string<S: Symbol + Ord + From<u8>>(string: &[S], distinct: bool) -> Vec<S> {
    let parts = string.split(|symbol| is_space::<S>(symbol.place()));
    let mut tokens: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    tokens.sort_unstable();
    if distinct {
        tokens.dedup();
    }
    tokens.join(&S::from(b' '))
}

/// The white space of rapidfuzz: of bytes that of ASCII, of code points that of Unicode.
pub(crate) fn is_space<S: Symbol>(index: usize) -> bool {
    match index {
        0x09..=0x0D | 0x1C..=0x20 => true,
        0x85 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000 => {
            S::TABLE != 1 << 8
        }
        _ => false,
    }
}

/// Tokens of two small strings of bytes or of code points, as [`sorted`] has them, with the value that
/// `value` finds; `None` for symbols that are neither.
pub(super) fn of_small_pair<S: Symbol>(
    [a, b]: [&[S]; 2],
    distinct: bool,
    value: impl Fn(SymbolSlice<'_>, SymbolSlice<'_>) -> u64,
) -> Option<u64> {
    if let (Some(a), Some(b)) = (S::bytes(a), S::bytes(b)) {
        let [a, b] = [a, b].map(|string| of_string(string, distinct));
        return Some(value(Typed::Bytes(&a), Typed::Bytes(&b)));
    }
    let (a, b) = (S::numbers(a)?, S::numbers(b)?);
    let [a, b] = [a, b].map(|string| of_string(&string, distinct));
    Some(value(Typed::Numbers(&a), Typed::Numbers(&b)))
}

/// Divides two strings of sorted, distinct tokens: the symbols of the tokens that both have, joined,
/// and in `rest` the codes of the others of each string, joined.
pub(super) fn divide(
    strings: [SymbolSlice<'_>; 2],
    codes: [&[u32]; 2],
    rest: &mut [Vec<u32>; 2],
) -> usize {
    match strings {
        [Typed::Bytes(a), Typed::Bytes(b)] => divide_of([a, b], codes, rest),
        [Typed::Numbers(a), Typed::Numbers(b)] => divide_of([a, b], codes, rest),
        _ => 0, // Letters have no tokens.
    }
}

fn divide_of<S: Symbol + Ord + From<u8>>(
    strings: [&[S]; 2],
    codes: [&[u32]; 2],
    rest: &mut [Vec<u32>; 2],
) -> usize {
    let token = |side: usize, start: usize| {
        let string = &strings[side][start.min(strings[side].len())..];
        let len = string.iter().position(|&symbol| symbol == S::from(b' '));
        &string[..len.unwrap_or(string.len())]
    };
    let mut starts = [0, 0];
    let mut common = 0;
    rest.iter_mut().for_each(Vec::clear);
    loop {
        let tokens = [token(0, starts[0]), token(1, starts[1])];
        let order = match tokens {
            [[], []] => return common,
            [[], _] => Ordering::Greater,
            [_, []] => Ordering::Less,
            [a, b] => a.cmp(b),
        };
        if order == Ordering::Equal {
            common += tokens[0].len() + usize::from(common > 0);
            starts = starts.map(|start| start + tokens[0].len() + 1);
            continue;
        }
        let side = usize::from(order == Ordering::Greater);
        let (start, end) = (starts[side], starts[side] + tokens[side].len());
        // A space is before every token but the first one.
        let start = start - usize::from(!rest[side].is_empty());
        rest[side].extend(&codes[side][start..end]);
        starts[side] = end + 1;
    }
}
