//! Patterns on the strands that are searched, in classes of the symbols of the texts.

use std::ops::Range;

use super::ops::{Ops, push};
use super::options::SearchOptions;
use super::place::Exact;
use super::restricted::outside_cost;
use crate::edit_distance::Op;
use crate::error::{Error, Result};
use crate::matching::Matching;
use crate::orientation::Orientation;
use crate::pairs::strings::List;
use crate::sequences::bit_parallel::cpu::text;
use crate::sequences::codes::Symbol;
use crate::sequences::typed::{SymbolSlice, Symbols, Typed, for_type, map_type};
use crate::substring::{Strand, dna};
use crate::symbols::alphabet::Alphabet;

/// Bytes whose classes are found at once, and most bytes with a class that they are compared with.
const BLOCK: usize = 64;
const MAX_COMPARED: usize = 12;

/// Classes of the symbols of texts. Class 0 matches no pattern; others match the same symbols of
/// patterns.
pub(super) struct Classes {
    of: ClassOf,
    /// The class that all symbols of patterns match, if patterns may stick out of texts.
    pub(super) outside: Option<u32>,
    /// The bytes that have a class, with it, if they are few.
    compared: Vec<(u8, u8)>,
    /// One more than the greatest class.
    count: usize,
}

enum ClassOf {
    /// By byte, and a byte of each class from 1.
    Bytes(Box<[u32; 256]>, Vec<u8>),
    Numbers(Alphabet),
}

impl Classes {
    /// Classes, with another one for positions outside of a text if patterns may stick out.
    fn new(patterns: List<'_>, matching: &Matching, strands: &[Strand], stick_out: bool) -> Self {
        let (of, count) = Self::inside(patterns, matching, strands);
        let mut compared = Vec::new();
        if let ClassOf::Bytes(classes, _) = &of {
            let classes = (0..=255u8).zip(classes.iter().map(|&class| class as u8));
            compared = classes.filter(|&(_, class)| class > 0).collect();
            if compared.len() > MAX_COMPARED {
                compared = Vec::new();
            }
        }
        Self {
            of,
            compared,
            outside: stick_out.then_some(count as u32),
            count: count + usize::from(stick_out),
        }
    }

    /// Classes of symbols, and one more than the greatest of them.
    fn inside(patterns: List<'_>, matching: &Matching, strands: &[Strand]) -> (ClassOf, usize) {
        let is_turned = strands.contains(&Strand::Reverse);
        let mut occurs = [false; 256];
        for pattern in patterns.strings() {
            let Typed::Bytes(bytes) = pattern else {
                let alphabet = Alphabet::of(patterns.strings());
                let count = alphabet.codes() + 1;
                return (ClassOf::Numbers(alphabet), count);
            };
            for &byte in bytes {
                occurs[usize::from(byte)] = true;
                if is_turned {
                    occurs[usize::from(dna::complement(byte))] = true;
                }
            }
        }
        let letters: Vec<u8> = (0..=255u8)
            .filter(|&one| occurs[usize::from(one)])
            .collect();
        let matched = |byte: u8| -> Vec<bool> {
            letters
                .iter()
                .map(|&letter| matching.matches(letter, byte))
                .collect()
        };
        let (mut signatures, mut bytes) = (vec![vec![false; letters.len()]], Vec::new());
        let class = |byte: usize| {
            let signature = matched(byte as u8);
            let known = signatures.iter().position(|other| *other == signature);
            known.unwrap_or_else(|| {
                signatures.push(signature);
                bytes.push(byte as u8);
                bytes.len()
            }) as u32
        };
        let by_byte = Box::new(std::array::from_fn(class));
        let count = bytes.len() + 1;
        (ClassOf::Bytes(by_byte, bytes), count)
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// True if a byte holds any class.
    pub(super) fn are_bytes(&self) -> bool {
        self.count <= 256
    }

    /// Appends the classes of a part of a text.
    pub(super) fn append<C: text::Class>(&self, part: SymbolSlice<'_>, to: &mut Vec<C>) {
        match (&self.of, part) {
            (ClassOf::Bytes(of, _), Typed::Bytes(bytes)) => {
                let (blocks, rest) = if self.compared.is_empty() {
                    (&[][..], bytes)
                } else {
                    bytes.as_chunks()
                };
                for block in blocks {
                    to.extend(self.of_block(block).map(|class| C::of(class.into())));
                }
                to.extend(rest.iter().map(|&byte| C::of(of[usize::from(byte)])));
            }
            (ClassOf::Numbers(alphabet), part) => {
                alphabet.for_each(part, |code| to.push(C::of(code)));
            }
            (ClassOf::Bytes(..), _) => {}
        }
    }

    /// The classes of bytes, which are compared with all that have one. The loops run in SIMD
    /// registers.
    fn of_block(&self, block: &[u8; BLOCK]) -> [u8; BLOCK] {
        let mut classes = [0; BLOCK];
        for &(byte, class) in &self.compared {
            for (to, &one) in classes.iter_mut().zip(block) {
                *to |= if one == byte { class } else { 0 };
            }
        }
        classes
    }

    fn pattern<C: text::Class>(
        &self,
        symbols: SymbolSlice<'_>,
        matching: &Matching,
        from_end: bool,
    ) -> text::Pattern {
        let mut symbols: Vec<usize> = for_type!(symbols, |symbols| symbols
            .iter()
            .map(|one| one.place())
            .collect());
        if from_end {
            symbols.reverse();
        }
        let matched = |symbol: usize| {
            let mut matched: Vec<u32> = match &self.of {
                ClassOf::Bytes(_, bytes) => {
                    let classes = (1..).zip(bytes);
                    let matches = |&(_, &byte): &(u32, &u8)| matching.matches(symbol as u8, byte);
                    classes.filter(matches).map(|(class, _)| class).collect()
                }
                ClassOf::Numbers(alphabet) => vec![alphabet.code(symbol)],
            };
            matched.extend(self.outside);
            matched
        };
        text::Pattern::of_symbols::<C, _>(symbols.into_iter(), matched, self.count)
    }
}

/// Symbols of a text that match at one position.
#[derive(Clone, Copy)]
enum Set {
    Bytes([u64; 4]),
    Number(u32),
}

impl Set {
    fn of_bytes(has: impl Fn(u8) -> bool) -> Self {
        let mut bits = [0; 4];
        for byte in (0..=255u8).filter(|&byte| has(byte)) {
            bits[usize::from(byte / 64)] |= 1 << (byte % 64);
        }
        Self::Bytes(bits)
    }

    fn has(self, text: SymbolSlice<'_>, position: usize) -> bool {
        match (self, text) {
            (Self::Bytes(bits), Typed::Bytes(text)) => {
                let byte = text[position];
                bits[usize::from(byte / 64)] >> (byte % 64) & 1 == 1
            }
            (Self::Number(number), Typed::Numbers(text)) => text[position] == number,
            _ => false,
        }
    }
}

/// A pattern on one strand.
pub(super) struct Probe<'a> {
    pub(super) pattern: u32,
    pub(super) strand: Strand,
    /// True if the text is swept from its end.
    pub(super) from_end: bool,
    /// All symbols of the pattern as they lie along the text.
    pub(super) symbols: Symbols<'a>,
    /// The symbols that may have edits: all but the exact ones. The sweep reads them in this order.
    pub(super) swept: text::Pattern,
    /// The symbols of the text that may stand at each position after `swept`: of the exact symbols
    /// of the pattern, then of the motif.
    exact: Vec<Set>,
    /// Number of exact symbols of the pattern.
    pub(super) exact_len: usize,
}

impl Probe<'_> {
    /// The symbols that may have edits, along the text.
    pub(super) fn body<'s, S>(&self, symbols: &'s [S]) -> &'s [S] {
        if self.from_end {
            &symbols[self.exact_len..]
        } else {
            &symbols[..symbols.len() - self.exact_len]
        }
    }

    /// True if anything has to lie beside the symbols that may have edits.
    pub(super) fn has_exact(&self) -> bool {
        !self.exact.is_empty()
    }

    /// A place without its exact symbols.
    pub(super) fn without_exact(&self, place: Range<usize>) -> Range<usize> {
        if self.from_end {
            place.start + self.exact_len..place.end
        } else {
            place.start..place.end - self.exact_len
        }
    }

    /// An alignment with that of the exact symbols of the pattern.
    pub(super) fn with_exact(&self, ops: Ops) -> Ops {
        let mut all = Ops::new();
        let exact = (Op::Equal, self.exact_len);
        let (before, after) = if self.from_end {
            (Some(exact), None)
        } else {
            (None, Some(exact))
        };
        let steps = before.into_iter().chain(ops).chain(after);
        steps.for_each(|(op, count)| push(&mut all, op, count));
        all
    }

    /// True if the exact symbols lie beside this position in the order of the sweep.
    pub(super) fn is_exact_at(&self, text: SymbolSlice<'_>, position: u64) -> bool {
        let position = position as usize;
        let mut exact = self.exact.iter().enumerate();
        if self.from_end {
            exact.all(|(place, set)| position > place && set.has(text, position - place - 1))
        } else {
            exact.all(|(place, set)| {
                position + place < text.len() && set.has(text, position + place)
            })
        }
    }
}

/// All patterns, ready to be searched.
pub(super) struct Probes<'a> {
    pub(super) classes: Classes,
    pub(super) all: Vec<Probe<'a>>,
    /// Maximum symbols of a place.
    pub(super) max_len: usize,
    /// Symbols of all patterns that may have edits, on all strands.
    pub(super) symbols: u64,
    pub(super) size_bytes: u64,
}

/// Lengths of the parts of a pattern that may have edits and that are exact.
///
/// # Errors
/// [`Error::EmptyQuery`] for an empty pattern, [`Error::OutOfRange`] if the text alone decides
/// nothing: every text has a piece within the bound.
fn check_len(len: usize, options: &SearchOptions) -> Result<usize> {
    if len == 0 {
        return Err(Error::EmptyQuery);
    }
    if len >= u32::MAX as usize {
        return Err(Error::OutOfRange {
            what: "the length of a pattern",
            given: len as u64,
            allowed: format!("less than {}", u32::MAX),
        });
    }
    let exact = match options.exact {
        None => 0,
        Some(Exact::Head(exact) | Exact::Tail(exact)) => exact,
    };
    let Some(swept) = len
        .checked_sub(exact)
        .filter(|&swept| swept as u64 > options.within)
    else {
        let within = options.within;
        return Err(Error::OutOfRange {
            what: "the length of a pattern",
            given: len as u64,
            allowed: if exact == 0 {
                format!(
                    "more than the bound {within}: every text has a pattern of at most {within} symbols within {within} edits"
                )
            } else {
                format!("more than the {exact} exact symbols and the bound {within} together")
            },
        });
    };
    if outside_cost(swept, options.overhang) <= options.within {
        return Err(Error::OutOfRange {
            what: "the length of a pattern that may stick out",
            given: len as u64,
            allowed: format!(
                "symbols that cost more than the bound {} where {} stick out: raise the cost, or lower the bound",
                options.within,
                if exact == 0 {
                    "all"
                } else {
                    "all but the exact ones"
                },
            ),
        });
    }
    Ok(swept)
}

impl<'a> Probes<'a> {
    pub(super) fn new(
        patterns: List<'a>,
        texts: List<'_>,
        options: &SearchOptions,
    ) -> Result<Self> {
        let matching = &options.matching.as_deref().cloned().unwrap_or_default();
        let mut records = Vec::new();
        for pattern in patterns.strings() {
            check_len(pattern.len(), options)?;
            if let Typed::Bytes(bytes) = pattern {
                records.push(bytes);
            }
        }
        let strands = options.strands.all();
        let is_turned = strands.contains(&Strand::Reverse);
        let needs_bytes = is_turned || !options.motif.is_empty() || options.matching.is_some();
        if needs_bytes && records.len() < patterns.len() {
            return Err(Error::MethodUnavailable {
                method: "search",
                device: "symbols that are not bytes".to_string(),
                reason: "reverse strands, motifs and symbols that match others need bytes"
                    .to_string(),
            });
        }
        if is_turned {
            dna::check(0, &records)?;
        }
        check_motif(options)?;
        let most = u32::MAX as usize;
        for (what, count) in [
            ("the number of patterns", patterns.len()),
            ("the number of texts", texts.len()),
        ] {
            if count >= most {
                return Err(Error::OutOfRange {
                    what,
                    given: count as u64,
                    allowed: format!("less than {most}"),
                });
            }
        }
        let classes = Classes::new(patterns, matching, strands, options.overhang.is_some());
        let mut all = Vec::new();
        for (pattern, symbols) in (0..).zip(patterns.strings()) {
            for &strand in strands {
                all.push(probe(
                    pattern, strand, symbols, &classes, matching, options,
                )?);
            }
        }
        let max_len =
            |probe: &Probe<'_>| probe.swept.len() + probe.exact_len + options.within as usize;
        let size_bytes = |probe: &Probe<'_>| {
            let len = probe.swept.len() + probe.exact_len;
            (size_of::<Probe>() + 4 * len + size_of_val(&probe.exact[..])) as u64
        };
        Ok(Self {
            max_len: all.iter().map(max_len).max().unwrap_or(0),
            symbols: all.iter().map(|probe| probe.swept.len() as u64).sum(),
            size_bytes: all.iter().map(size_bytes).sum(),
            classes,
            all,
        })
    }
}

/// # Errors
/// [`Error::OutOfRange`] for a motif of other letters than the IUPAC codes, or beside an exact head.
fn check_motif(options: &SearchOptions) -> Result<()> {
    let motif = &options.motif;
    if let Some(&letter) = motif.iter().find(|&&letter| dna::complement(letter) == 0) {
        return Err(Error::OutOfRange {
            what: "a letter of the motif",
            given: letter.into(),
            allowed: "an IUPAC code of DNA, such as N, G or R".to_string(),
        });
    }
    if !motif.is_empty() && matches!(options.exact, Some(Exact::Head(_))) {
        return Err(Error::OutOfRange {
            what: "the length of a motif beside an exact head",
            given: motif.len() as u64,
            allowed: "0: a motif follows the pattern, whose end is not fixed then".to_string(),
        });
    }
    Ok(())
}

fn probe<'a>(
    pattern: u32,
    strand: Strand,
    symbols: SymbolSlice<'a>,
    classes: &Classes,
    matching: &Matching,
    options: &SearchOptions,
) -> Result<Probe<'a>> {
    let swept_len = check_len(symbols.len(), options)?;
    let exact_len = symbols.len() - swept_len;
    let is_reverse = strand == Strand::Reverse;
    let from_end = is_reverse != matches!(options.exact, Some(Exact::Head(_)));
    let symbols: Symbols<'_> = match symbols {
        Typed::Bytes(bytes) if is_reverse => {
            Typed::Bytes(Orientation { strand, start: 0 }.apply(bytes).into())
        }
        symbols => map_type!(symbols, |symbols| symbols.into()),
    };
    let codes: SymbolSlice<'_> = map_type!(&symbols, |symbols| &**symbols);
    let (body, exact) = if from_end {
        (codes.part(exact_len..codes.len()), codes.part(0..exact_len))
    } else {
        (codes.part(0..swept_len), codes.part(swept_len..codes.len()))
    };
    let swept = if classes.are_bytes() {
        classes.pattern::<u8>(body, matching, from_end)
    } else {
        classes.pattern::<u32>(body, matching, from_end)
    };
    let mut sets: Vec<Set> = match exact {
        Typed::Bytes(bytes) => {
            let set = |&letter: &u8| Set::of_bytes(|byte| matching.matches(letter, byte));
            bytes.iter().map(set).collect()
        }
        Typed::Numbers(numbers) => numbers.iter().copied().map(Set::Number).collect(),
        Typed::Letters(_) => Vec::new(),
    };
    if from_end {
        sets.reverse();
    }
    // A letter of the text that stands for several bases has to mean no other than the motif's.
    let iupac = Matching::iupac();
    sets.extend(options.motif.iter().map(|&letter| {
        let letter = if is_reverse {
            dna::complement(letter)
        } else {
            letter
        };
        Set::of_bytes(|byte| {
            let is_base = |base: &&u8| iupac.matches(**base, byte);
            let mut bases = b"ACGT".iter().filter(is_base).peekable();
            bases.peek().is_some() && bases.all(|&base| iupac.matches(letter, base))
        })
    }));
    Ok(Probe {
        pattern,
        strand,
        from_end,
        symbols,
        swept,
        exact: sets,
        exact_len,
    })
}
