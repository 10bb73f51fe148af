//! Notes on sequences of DNA that are compared as they are.

use swath::{DeviceChoice, Edit, Engine, Lcs, Options};

use crate::input::{Inputs, Lists};

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

/// Letters of one base, and those that stand for several.
const BASES: &[u8] = b"ACGTUacgtu";
const AMBIGUOUS: &[u8] = b"RYSWKMBDHVNryswkmbdhvn";

/// Number of letters that stand for several bases, in DNA and RNA.
pub fn count_ambiguous(records: &[&[u8]]) -> usize {
    let letters: Vec<_> = records.iter().map(|record| Letters::of(record)).collect();
    match letters.iter().all(Letters::are_nucleotides) {
        true => letters.iter().map(|one| one.count(AMBIGUOUS)).sum(),
        false => 0,
    }
}

/// Counts of the bytes of a sequence.
struct Letters {
    counts: [usize; 256],
    len: usize,
}

impl Letters {
    fn of(bytes: &[u8]) -> Self {
        let mut counts = [0; 256];
        bytes
            .iter()
            .for_each(|&byte| counts[usize::from(byte)] += 1);
        Self {
            counts,
            len: bytes.len(),
        }
    }

    fn count(&self, letters: &[u8]) -> usize {
        letters
            .iter()
            .map(|&letter| self.counts[usize::from(letter)])
            .sum()
    }

    /// Returns `true` for letters of DNA or RNA alone.
    fn are_nucleotides(&self) -> bool {
        self.count(BASES) + self.count(AMBIGUOUS) == self.len
    }

    /// Returns `true` for sequences, not short words, of which most letters are bases.
    fn are_dna(&self) -> bool {
        let is_sequence = self.len >= MIN_SYMBOLS && 2 * self.count(BASES) > self.len;
        is_sequence && self.are_nucleotides()
    }

    /// A random sequence with the same shares of letters.
    fn sample(&self, len: usize, seed: u64) -> Vec<u8> {
        let mut state = seed;
        let letter = |_| {
            // Knuth's MMIX generator.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let mut place = ((state >> 33) as usize) % self.len;
            let found = self.counts.iter().position(|&count| {
                let is_here = place < count;
                place = place.saturating_sub(count);
                is_here
            });
            found.unwrap_or_default() as u8
        };
        (0..len).map(letter).collect()
    }
}

/// Letters of the first two records, if both are DNA in bytes.
fn letters(inputs: &Inputs) -> Option<[Letters; 2]> {
    let Lists::Bytes(list) = &inputs.lists else {
        return None;
    };
    let [a, b] = [0, 1].map(|at| list.compared().get(at).map(|one| Letters::of(one)));
    let both = [a?, b?];
    both.iter().all(Letters::are_dna).then_some(both)
}

/// Notes on letters that differ though they may mean the same: ambiguous ones, U beside T, and lower
/// case beside upper case.
pub fn notes(inputs: &Inputs) -> Vec<String> {
    let Some(both) = letters(inputs) else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    let ambiguous = both.each_ref().map(|one| one.count(AMBIGUOUS));
    if ambiguous != [0, 0] {
        notes.push(format!(
            "{} letters of A and {} of B stand for several bases, such as N, and match themselves alone; with --ambiguous iupac they match these bases",
            ambiguous[0], ambiguous[1]
        ));
    }
    let has = |letters: &[u8]| both.each_ref().map(|one| one.count(letters) > 0);
    let differ = |x: [bool; 2], y: [bool; 2]| x[0] && y[1] || x[1] && y[0];
    if differ(has(b"Uu"), has(b"Tt")) {
        notes.push("U and T differ; with --equal U=T they match".to_string());
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

/// A note if two sequences of DNA are no more similar than random ones with their letters, or if no
/// sequences of their lengths can be.
pub fn chance_note(inputs: &Inputs, measure: Measure, similarity: f64) -> Option<String> {
    let [a, b] = letters(inputs)?;
    let longer = a.len.max(b.len);
    if a.len.min(b.len) < MIN_SIMILAR {
        return None;
    }
    let len = |one: &Letters| (one.len * SAMPLE.min(longer)).div_ceil(longer);
    let (x, y) = (a.sample(len(&a), 1), b.sample(len(&b), 2));
    let engine = Engine::new(Options::new().device(DeviceChoice::Cpu)).ok()?;
    let by_chance = match measure {
        Measure::Subsequence => {
            let length = engine.run(&Lcs::of(&x, &y)).ok()?.length;
            2.0 * length as f64 / (x.len() + y.len()) as f64
        }
        Measure::Edits => {
            let distance = engine.run(&Edit::of(&x, &y)).ok()?.distance.exactly()?;
            1.0 - distance as f64 / x.len().max(y.len()) as f64
        }
    };
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
    let place = if LENGTH_RATIO * (shorter as f64) < longer as f64 {
        format!("{infix}; ")
    } else if is_turned {
        String::new()
    } else {
        "if one lies on the other strand or begins elsewhere, try --strand both --circular; "
            .to_string()
    };
    Some(format!(
        "{what}; {place}for letters such as N try --ambiguous iupac or --equal X=Y"
    ))
}
