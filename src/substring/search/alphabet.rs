//! Dense codes of symbols, and a first window length with few chance matches.

use std::collections::HashMap;

use crate::backend::Capabilities;
use crate::host::parallel;
use crate::substring::query::SubstringQuery;
use crate::substring::texts::Code;
use crate::symbols::alphabet::seen;

/// Number of symbols that have a table entry.
const TABLE: usize = 1 << 8;

/// Code widths with precompiled kernels; widths up to 8 use the table.
pub const EMBEDDED_BITS: [u32; 6] = [2, 3, 5, 8, 16, 32];

/// Mapping of symbols to codes of minimal width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alphabet {
    /// Bits per code, 1 to 32.
    pub bits: u32,
    /// Code by symbol; `None` if symbols are their own codes.
    codes: Option<Box<[u8; TABLE]>>,
}

impl Alphabet {
    /// The alphabet of all symbols that occur, if all are below 256; else the identity.
    pub fn of<C: Code>(texts: &[&[C]]) -> Self {
        let max = if size_of::<C>() == 1 {
            TABLE as u32 - 1
        } else {
            let parts: Vec<_> = texts.iter().flat_map(|text| text.chunks(1 << 16)).collect();
            let greatest = |part: usize| parts[part].iter().max().copied();
            let greatest = parallel::map(parts.len(), greatest).into_iter().max();
            greatest.flatten().map_or(0, Code::number)
        };
        if max as usize >= TABLE {
            return Self {
                bits: 32 - max.leading_zeros(),
                codes: None,
            };
        }
        let mut codes = [0; TABLE];
        let mut next = 0u32;
        for (code, occurs) in codes.iter_mut().zip(seen(texts.iter().copied(), TABLE)) {
            next += u32::from(occurs);
            *code = next.saturating_sub(1) as u8;
        }
        Self {
            bits: (u8::BITS - codes[TABLE - 1].leading_zeros()).max(1),
            codes: Some(Box::new(codes)),
        }
    }

    /// Widens codes to the next width that the device has kernels for.
    pub fn on(self, caps: &Capabilities) -> Self {
        let wider = || EMBEDDED_BITS.into_iter().find(|&bits| bits >= self.bits);
        Self {
            bits: if caps.compiles {
                self.bits
            } else {
                wider().unwrap_or(self.bits)
            },
            ..self
        }
    }

    /// The code of a symbol that occurs in the texts.
    #[inline(always)]
    pub fn code<C: Code>(&self, symbol: C) -> u32 {
        match &self.codes {
            Some(codes) => codes[usize::from(symbol.number() as u8)].into(),
            None => symbol.number(),
        }
    }

    /// Code by symbol; `None` if symbols are their own codes.
    pub fn table(&self) -> Option<&[u8; TABLE]> {
        self.codes.as_deref()
    }

    /// True if the codes of a window fit into a 64-bit key.
    pub fn packs(&self, length: usize) -> bool {
        length <= (u64::BITS / self.bits) as usize
    }
}

/// Expected chance matches at the first length, log2.
const CHANCE_PAIRS_LOG2: f64 = 12.0;
/// Sampled positions per text.
const SAMPLES: usize = 4096;
/// Maximum first length, for texts whose entropy is unknown.
const MAX_START_LENGTH: usize = 1 << 10;

/// The window length at which unrelated texts of this entropy would have about 2^12 pairs of equal
/// windows; at most `longest`.
pub fn start_length<C: Code>(query: &SubstringQuery<'_, C>, longest: usize) -> usize {
    let pairs_log2 = 2.0 * (query.symbols() as f64 / 2.0).max(1.0).log2();
    let bits = [4, 2, 1]
        .into_iter()
        .find_map(|run| entropy(query.texts, run))
        .unwrap_or(32.0);
    let length = ((pairs_log2 - CHANCE_PAIRS_LOG2) / bits.max(1e-9))
        .ceil()
        .max(1.0);
    (length as usize).min(MAX_START_LENGTH).min(longest).max(1)
}

/// Entropy per symbol in bits, from the collision rate of sampled runs of `run` symbols; `None` if
/// there are too few collisions.
fn entropy<C: Code>(texts: &[&[C]], run: usize) -> Option<f64> {
    let mut counts: HashMap<&[C], u64> = HashMap::new();
    let mut samples = 0u64;
    for text in texts {
        let places = (text.len() + 1).saturating_sub(run);
        let taken = places.min(SAMPLES);
        for sample in 0..taken {
            let place = (sample as u128 * places as u128 / taken as u128) as usize;
            *counts.entry(&text[place..place + run]).or_default() += 1;
            samples += 1;
        }
    }
    let equal: u64 = counts.values().map(|&count| count * (count - 1) / 2).sum();
    let pairs = samples * samples.saturating_sub(1) / 2;
    (equal >= 8 || (run == 1 && equal > 0))
        .then(|| (pairs as f64 / equal as f64).log2() / run as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alphabet_codes_are_dense_and_minimal() {
        let texts: [&[u8]; 2] = [b"BANANA", b"\xffB"];
        let alphabet = Alphabet::of(&texts);
        assert_eq!(alphabet.bits, 2);
        assert_eq!(
            [b'A', b'B', b'N', 0xff].map(|symbol| alphabet.code(symbol)),
            [0, 1, 2, 3]
        );
        assert_eq!(Alphabet::of::<u8>(&[b"AAAA", b""]).bits, 1);
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(Alphabet::of(&[&all[..]]).bits, 8);
        let wide = Alphabet::of(&[&[7u32, 256][..], &[u32::MAX]]);
        assert_eq!(
            (wide.bits, wide.code(u32::MAX), wide.code(7u32)),
            (32, u32::MAX, 7)
        );
        assert!(wide.packs(2) && !wide.packs(3));
    }

    #[test]
    fn start_length_follows_the_entropy_of_the_texts() {
        let length = |symbols: u64, count: usize| {
            let text = |seed: u64| -> Vec<u8> {
                (0..count as u64)
                    .map(|place| (super::super::hash::mix(place ^ seed << 40) % symbols) as u8)
                    .collect()
            };
            let (a, b) = (text(1), text(2));
            start_length(
                &SubstringQuery {
                    texts: &[&a[..], &b],
                    inputs: 2,
                },
                count,
            )
        };
        assert!(
            (13..=15).contains(&length(4, 1 << 20)),
            "{}",
            length(4, 1 << 20)
        );
        assert!(
            (6..=7).contains(&length(26, 1 << 20)),
            "{}",
            length(26, 1 << 20)
        );
        assert_eq!(length(1, 1 << 20), MAX_START_LENGTH);
        assert_eq!(length(1, 5), 1);
    }
}
