//! Notes on sequences of DNA that are compared as they are.

use std::fmt::Display;

use anyhow::anyhow;
use swath::{DeviceChoice, Edit, Engine, Lcs, Options};

use crate::args::MatchingArgs;
use crate::input::{Inputs, StringList};

/// Symbols that tell DNA from short words of its letters.
const MIN_SYMBOLS: usize = 100;
/// Symbols of the longer random sequence.
const SAMPLE: usize = 2048;
/// Symbols from which on a similarity is held against that of random sequences.
const MIN_SIMILAR: usize = 1000;
/// Ratio of lengths from which on one sequence is rather a part of the other.
const LENGTH_RATIO: f64 = 1.25;
/// Similarity above that of random sequences that is still by chance.
const MARGIN: f64 = 0.02;

const BASES: &[u8] = b"ACGTUacgtu";
const AMBIGUOUS: &[u8] = b"RYSWKMBDHVNryswkmbdhvn";

pub fn count_ambiguous(records: &[&[u8]]) -> usize {
    let letters = Letters::of(records.iter().copied());
    if letters.are_nucleotides() {
        letters.count(AMBIGUOUS)
    } else {
        0
    }
}

pub fn is_nucleotide(letter: u8) -> bool {
    BASES.contains(&letter) || AMBIGUOUS.contains(&letter)
}

pub fn no_reverse(location: &str, symbol: impl Display, position: usize) -> anyhow::Error {
    anyhow!(
        "{location}: '{symbol}' at position {position} (from 0) is no letter of DNA, so there is \
         no reverse strand; give DNA, or --strand forward"
    )
}

/// Letters of most DNA, which are counted several bytes at a time in parts that have no other.
const UPPER: [u8; 4] = *b"ACGT";
/// Maximum bytes of a part, and minimum for which this takes less time.
const PART: usize = 1 << 12;
const LEAST: usize = 64;

struct Letters {
    counts: [usize; 256],
    len: usize,
}

impl Letters {
    fn of<'a>(records: impl IntoIterator<Item = &'a [u8]>) -> Self {
        // Several tables, as a count waits for the one before it in its table.
        let mut tables = [[0; 256]; 4];
        let parts = records.into_iter().flat_map(|record| record.chunks(PART));
        for part in parts {
            let counts = match part.len() {
                ..LEAST => [0; 4],
                _ => UPPER.map(|base| memchr::memchr_iter(base, part).count()),
            };
            if counts.iter().sum::<usize>() == part.len() {
                for (base, count) in UPPER.into_iter().zip(counts) {
                    tables[0][usize::from(base)] += count;
                }
                continue;
            }
            let (blocks, rest) = part.as_chunks::<4>();
            for block in blocks {
                for (table, &byte) in tables.iter_mut().zip(block) {
                    table[usize::from(byte)] += 1;
                }
            }
            rest.iter()
                .for_each(|&byte| tables[0][usize::from(byte)] += 1);
        }
        let counts = std::array::from_fn(|byte| tables.iter().map(|table| table[byte]).sum());
        Self {
            counts,
            len: tables.iter().flatten().sum(),
        }
    }

    fn count(&self, letters: &[u8]) -> usize {
        letters
            .iter()
            .map(|&letter| self.counts[usize::from(letter)])
            .sum()
    }

    fn are_nucleotides(&self) -> bool {
        self.count(BASES) + self.count(AMBIGUOUS) == self.len
    }

    fn are_dna(inputs: &[Self]) -> bool {
        inputs.iter().any(|one| one.len >= MIN_SYMBOLS)
            && inputs
                .iter()
                .all(|one| 2 * one.count(BASES) > one.len && one.are_nucleotides())
    }

    fn sample(&self, len: usize, seed: u64) -> Vec<u8> {
        let mut state = seed;
        let letter = |_| {
            // Knuth's MMIX generator.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let mut rank = ((state >> 33) as usize) % self.len;
            let found = self.counts.iter().position(|&count| {
                let is_here = rank < count;
                rank = rank.saturating_sub(count);
                is_here
            });
            found.unwrap_or_default() as u8
        };
        (0..len).map(letter).collect()
    }
}

fn letters(inputs: &Inputs) -> Option<[Letters; 2]> {
    let both: [_; 2] = inputs.cut(inputs.bytes()?.compared()).try_into().ok()?;
    let both = both.map(Letters::of);
    Letters::are_dna(&both).then_some(both)
}

/// Notes on the letters of two inputs; `command` has the options that it lacks itself.
pub fn notes(inputs: &Inputs, command: &str) -> Vec<String> {
    letters(inputs).map_or(Vec::new(), |both| letter_notes(&both, command, ["A", "B"]))
}

/// Notes on the letters of a pair, unless some match others.
pub fn pair_notes(inputs: &Inputs, matching: &MatchingArgs) -> Vec<String> {
    if matching.is_given() {
        Vec::new()
    } else {
        notes(inputs, "")
    }
}

pub fn list_notes(lists: &[StringList<u8>], command: &str, names: [&str; 2]) -> Vec<String> {
    let letters = lists.iter().map(|list| Letters::of(list.strings.iter()));
    let letters: Vec<_> = letters.collect();
    if Letters::are_dna(&letters) {
        letter_notes(&letters, command, names)
    } else {
        Vec::new()
    }
}

/// Notes on ambiguous letters, U beside T, and lower case beside upper case. `command` has the
/// options `--ambiguous` and `--equal`.
fn letter_notes(inputs: &[Letters], command: &str, names: [&str; 2]) -> Vec<String> {
    let mut notes = Vec::new();
    let ambiguous: Vec<_> = inputs.iter().map(|one| one.count(AMBIGUOUS)).collect();
    if ambiguous.iter().any(|&count| count > 0) {
        let [a, b] = names;
        let of_b = ambiguous.get(1).map(|count| format!(" and {count} of {b}"));
        notes.push(format!(
            "{} letters of {a}{} stand for several bases, such as N, and match themselves alone; with {command}--ambiguous iupac they match these bases",
            ambiguous[0], of_b.unwrap_or_default()
        ));
    }
    // The strings of a single list are compared with each other.
    let both = [&inputs[0], &inputs[inputs.len() - 1]];
    let has = |letters: &[u8]| both.map(|one| one.count(letters) > 0);
    let differ = |x: [bool; 2], y: [bool; 2]| x[0] && y[1] || x[1] && y[0];
    if differ(has(b"Uu"), has(b"Tt")) {
        notes.push(format!(
            "U and T differ; with {command}--equal U=T they match"
        ));
    }
    let lower: Vec<u8> = (b'a'..=b'z').collect();
    if differ(has(&lower), has(&lower.to_ascii_uppercase())) {
        notes.push(
            "upper and lower case differ, which is often a mask of repeats; with --ignore-case they match"
                .to_string(),
        );
    }
    notes
}

/// Measure of similarity, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// `2 L / (m + n)` for the length L of the longest common subsequence.
    Subsequence,
    /// `1 - d / max(m, n)` for the edit distance d.
    Edits,
}

/// Similarity of random sequences with the letters and lengths of two sequences of DNA; `None` for
/// other and short ones.
pub fn similarity_by_chance(inputs: &Inputs, measure: Measure) -> Option<f64> {
    by_chance(&letters(inputs)?, measure)
}

fn by_chance([a, b]: &[Letters; 2], measure: Measure) -> Option<f64> {
    let longer = a.len.max(b.len);
    if a.len.min(b.len) < MIN_SIMILAR {
        return None;
    }
    let len = |one: &Letters| (one.len * SAMPLE.min(longer)).div_ceil(longer);
    let (x, y) = (a.sample(len(a), 1), b.sample(len(b), 2));
    let engine = Engine::new(Options::new().device(DeviceChoice::Cpu)).ok()?;
    Some(match measure {
        Measure::Subsequence => {
            let length = engine.run(&Lcs::of(&x, &y)).ok()?.length;
            2.0 * length as f64 / (x.len() + y.len()) as f64
        }
        Measure::Edits => {
            let distance = engine.run(&Edit::of(&x, &y)).ok()?.distance.exactly()?;
            1.0 - distance as f64 / x.len().max(y.len()) as f64
        }
    })
}

/// A note if two sequences of DNA are no more similar than random ones, or cannot be by their
/// lengths.
pub fn chance_note(inputs: &Inputs, measure: Measure, similarity: f64) -> Option<String> {
    let both = letters(inputs)?;
    let by_chance = by_chance(&both, measure)?;
    let [a, b] = both;
    let longer = a.len.max(b.len);
    if similarity > by_chance + MARGIN {
        return None;
    }
    let shorter = a.len.min(b.len);
    let max = match measure {
        Measure::Subsequence => 2.0 * shorter as f64 / (a.len + b.len) as f64,
        Measure::Edits => shorter as f64 / longer as f64,
    };
    let infix = "swath edit --mode infix SHORTER LONGER finds the one in the other";
    if max <= by_chance + MARGIN {
        return Some(format!(
            "sequences whose lengths differ so much have this similarity, related or not; {infix}"
        ));
    }
    let what = "A and B are no more similar than random sequences of their letters";
    let is_turned = inputs.groups[0].orientation.is_some();
    let remedy = if LENGTH_RATIO * (shorter as f64) < longer as f64 {
        format!("{infix}; ")
    } else if is_turned {
        String::new()
    } else {
        "if one lies on the other strand or begins elsewhere, try --strand both --circular; "
            .to_string()
    };
    Some(format!(
        "{what}; {remedy}for letters such as N try --ambiguous iupac or --equal X=Y"
    ))
}
