//! Encoding of inputs as texts of dense codes. A text concatenates the records of an input, and
//! their reverse complements if both strands are searched, with a separator that no other text
//! contains. A common substring therefore never crosses the end of a record.

use std::borrow::Cow;
use std::ops::Range;

use super::dna;
use super::place::{Place, Strand};
use crate::sequences::codes::Symbol;
use crate::symbols::alphabet::{Alphabet, seen};

/// Code of a symbol.
pub trait Code: Symbol + Ord {
    /// In the loops that pack texts.
    #[inline(always)]
    fn number(self) -> u32 {
        self.place() as u32
    }

    /// Complement of a letter of DNA. Only bytes are searched on both strands.
    fn complement(self) -> Self {
        self
    }
}

impl Code for u8 {
    fn complement(self) -> Self {
        dna::complement(self)
    }
}

impl Code for u32 {}

/// A record on one strand, as a range of the text.
#[derive(Clone, Debug)]
struct Piece {
    symbols: Range<usize>,
    record: usize,
    strand: Strand,
}

/// An encoded input.
#[derive(Clone, Debug)]
pub(crate) struct Text<'a, C: Code> {
    /// All pieces, separated by one separator each.
    pub codes: Cow<'a, [C]>,
    input: usize,
    pieces: Vec<Piece>,
}

impl<C: Code> Text<'_, C> {
    pub(crate) fn forward(&self) -> &[C] {
        let last = self
            .pieces
            .iter()
            .rfind(|piece| piece.strand == Strand::Forward);
        &self.codes[..last.map_or(0, |piece| piece.symbols.end)]
    }

    /// Maps a range of codes inside a piece to its place in the input.
    pub(crate) fn place(&self, codes: Range<usize>) -> Place {
        // Empty pieces share their start with a separator; the last piece at or before the start
        // contains it.
        let next = self
            .pieces
            .partition_point(|piece| piece.symbols.start <= codes.start);
        let piece = &self.pieces[next.saturating_sub(1)];
        let start = match piece.strand {
            Strand::Forward => codes.start - piece.symbols.start,
            Strand::Reverse => piece.symbols.end - codes.end,
        };
        Place {
            input: self.input,
            record: piece.record,
            start,
            strand: piece.strand,
        }
    }
}

/// All inputs, in the narrowest code type.
pub(crate) enum Texts<'a> {
    /// At most 256 codes including separators.
    Narrow(Vec<Text<'a, u8>>),
    /// More than 256 codes.
    Wide(Vec<Text<'static, u32>>),
}

impl<'a> Texts<'a> {
    /// Encodes inputs of records; `both_strands` is true for inputs whose reverse strand is searched,
    /// too.
    pub(crate) fn new<S: Code>(
        inputs: &[Vec<&'a [S]>],
        both_strands: impl Fn(usize) -> bool,
    ) -> Self {
        let both_strands: Vec<_> = (0..inputs.len()).map(both_strands).collect();
        let is_joined = |input: usize| inputs[input].len() > 1 || both_strands[input];
        let separators = (0..inputs.len()).filter(|&input| is_joined(input)).count();
        let mut narrow = Vec::with_capacity(inputs.len());
        let as_bytes = |records: &Vec<&'a [S]>| {
            records
                .iter()
                .copied()
                .map(S::bytes)
                .collect::<Option<Vec<_>>>()
        };
        // Inputs without records fit any symbol type.
        if let Some(bytes) = inputs.iter().map(as_bytes).collect::<Option<Vec<_>>>() {
            let free = if separators > 0 {
                unused(&bytes)
            } else {
                Vec::new()
            };
            if free.len() < separators {
                let separators = BYTES as u32..;
                return Texts::Wide(texts(inputs, &both_strands, Code::number, separators));
            }
            let mut free = free.into_iter();
            for (input, records) in bytes.iter().enumerate() {
                narrow.push(match (&records[..], is_joined(input)) {
                    ([record], false) => borrowed(input, record),
                    ([], false) => borrowed(input, &[]),
                    _ => {
                        let separator = free.next().unwrap_or_default();
                        let code = |symbol: S| symbol.place() as u8;
                        text(input, &inputs[input], both_strands[input], &code, separator)
                    }
                });
            }
            return Texts::Narrow(narrow);
        }
        let alphabet = Alphabet::of(inputs.iter().flatten().copied());
        let number = |symbol: S| alphabet.code(symbol.place()).saturating_sub(1);
        let separators_from = alphabet.codes() as u32;
        if alphabet.codes() + inputs.len() <= BYTES {
            return Texts::Narrow(texts(
                inputs,
                &both_strands,
                |symbol| number(symbol) as u8,
                separators_from as u8..=u8::MAX,
            ));
        }
        Texts::Wide(texts(inputs, &both_strands, number, separators_from..))
    }
}

const BYTES: usize = 1 << 8;

/// Bytes that occur in no record.
fn unused(inputs: &[Vec<&[u8]>]) -> Vec<u8> {
    let seen = seen(inputs.iter().flatten().copied(), BYTES);
    let unused = (0..=u8::MAX).zip(seen).filter(|(_, seen)| !seen);
    unused.map(|(byte, _)| byte).collect()
}

fn borrowed(input: usize, symbols: &[u8]) -> Text<'_, u8> {
    let pieces = vec![Piece {
        symbols: 0..symbols.len(),
        record: 0,
        strand: Strand::Forward,
    }];
    Text {
        codes: Cow::Borrowed(symbols),
        input,
        pieces,
    }
}

fn texts<S: Code, C: Code>(
    inputs: &[Vec<&[S]>],
    both_strands: &[bool],
    code: impl Fn(S) -> C,
    separators: impl IntoIterator<Item = C>,
) -> Vec<Text<'static, C>> {
    let each = inputs.iter().zip(both_strands).zip(separators).enumerate();
    each.map(|(input, ((records, both_strands), separator))| {
        text(input, records, *both_strands, &code, separator)
    })
    .collect()
}

fn text<S: Code, C: Code>(
    input: usize,
    records: &[&[S]],
    both_strands: bool,
    code: &impl Fn(S) -> C,
    separator: C,
) -> Text<'static, C> {
    let symbols: usize = records.iter().map(|record| record.len() + 1).sum();
    let strands = &Strand::ALL[..1 + usize::from(both_strands)];
    let mut codes = Vec::with_capacity(strands.len() * symbols);
    let mut pieces = Vec::new();
    for &strand in strands {
        for (record, symbols) in records.iter().enumerate() {
            let start = codes.len();
            match strand {
                Strand::Forward => codes.extend(symbols.iter().map(|&symbol| code(symbol))),
                Strand::Reverse => {
                    codes.extend(
                        symbols
                            .iter()
                            .rev()
                            .map(|&symbol| code(symbol.complement())),
                    );
                }
            }
            pieces.push(Piece {
                symbols: start..codes.len(),
                record,
                strand,
            });
            codes.push(separator);
        }
    }
    codes.pop();
    Text {
        codes: Cow::Owned(codes),
        input,
        pieces,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ranges_map_to_record_places_on_both_strands() {
        let inputs: [Vec<&[u8]>; 2] = [vec![b"ACG", b"", b"TT"], vec![b"GA"]];
        let Texts::Narrow(texts) = Texts::new(&inputs, |_| true) else {
            panic!("letters")
        };
        let (first, second) = (texts[0].codes[3], texts[1].codes[2]);
        assert!(first != second && !b"ACGT".contains(&first) && !b"ACGT".contains(&second));
        assert_eq!(
            texts[0]
                .codes
                .split(|&code| code == first)
                .collect::<Vec<_>>(),
            [&b"ACG"[..], b"", b"TT", b"CGT", b"", b"AA"]
        );
        let place = |codes| texts[0].place(codes);
        let expected = |record, start, strand| Place {
            input: 0,
            record,
            start,
            strand,
        };
        assert_eq!(place(1..3), expected(0, 1, Strand::Forward));
        assert_eq!(place(5..7), expected(2, 0, Strand::Forward));
        assert_eq!(place(8..9), expected(0, 2, Strand::Reverse));
        assert_eq!(place(14..15), expected(2, 0, Strand::Reverse));
    }

    #[test]
    fn code_width_is_minimal_for_symbols_and_separators() {
        let all: Vec<u8> = (0..=255).collect();
        let one: [Vec<&[u8]>; 2] = [vec![&all], vec![&all]];
        let Texts::Narrow(texts) = Texts::new(&one, |_| false) else {
            panic!("wide codes")
        };
        assert!(matches!(texts[0].codes, Cow::Borrowed(_)));
        let two: [Vec<&[u8]>; 2] = [vec![&all, b"x"], vec![&all]];
        let Texts::Wide(texts) = Texts::new(&two, |_| false) else {
            panic!("narrow codes")
        };
        assert!(texts[0].codes[256] >= 256);
        let words: Vec<u32> = (0..300).collect();
        let of = |words: &[u32]| {
            matches!(
                Texts::new(&[vec![words], vec![words]], |_| false),
                Texts::Wide(_)
            )
        };
        assert!(of(&words) && !of(&words[..200]));
    }

    #[test]
    fn the_last_byte_separates_the_records_of_254_symbols() {
        let numbers: Vec<u32> = (1000..1254).collect();
        let (a, b) = numbers.split_at(100);
        let Texts::Narrow(texts) = Texts::new(&[vec![a, a], vec![b, b]], |_| false) else {
            panic!("as many codes as bytes")
        };
        assert_eq!((texts[0].codes[100], texts[1].codes[154]), (254, 255));
    }
}
