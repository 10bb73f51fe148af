//! A guess at how similar two sequences are, from the pieces that they share: it decides how an answer is looked for, never the
//! answer.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::alphabet::Symbol;

/// Windows of `a` whose pieces are looked for.
const WINDOWS: usize = 64;
/// Symbols of a window.
const WINDOW: usize = 512;
/// Symbols between the pieces of a window.
const STRIDE: usize = 8;
/// How many symbols of `b` a piece that occurs by chance needs.
const RARE: f64 = 64.0;
/// Longest piece.
const LONGEST: usize = 64;
/// How far a piece may have moved, as a share of `b`.
const REACH: f64 = 1.0 / 6.0;
/// Found pieces below which a window tells nothing.
const FEWEST: u64 = 3;
/// Edits of a symbol where a window tells nothing.
const UNRELATED: f64 = 0.75;
/// Symbols of `b` that are worth a thread of their own.
const LEAST: usize = 1 << 16;
/// Most pieces of one hash that are looked for; more of them would occur anywhere.
const MOST_ALIKE: usize = 4;
/// Bits of a hash that choose a bit of the filter.
const FILTER_BITS: u32 = 16;
/// Multiplier of the rolling hash (Knuth's 64-bit linear congruential generator).
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;

/// Roughly how many edits turn `a` into `b`.
///
/// A piece of k symbols outlives a share e of edits with the probability (1 - e)^k, so the share of the pieces of `a` that `b`
/// has, at about the same place, tells e (Mash distance: Ondov et al. 2016, doi:10.1186/s13059-016-0997-x).
///
/// Cost: a few operations a symbol of `b`.
pub(crate) fn edits<S: Symbol>(a: &[S], b: &[S]) -> u64 {
    let longer = a.len().max(b.len());
    if a.len().min(b.len()) < WINDOW {
        return longer as u64;
    }
    let len = piece_len(a, b.len());
    let pieces = Pieces::new(a, len);
    let found = pieces.find(b, a.len());
    let windows = found.chunks(pieces.per_window).map(|window| {
        let count = window.iter().filter(|&&found| found).count() as u64;
        match count < FEWEST {
            true => UNRELATED,
            false => 1.0 - (count as f64 / window.len() as f64).powf(1.0 / len as f64),
        }
    });
    let windows: Vec<_> = windows.collect();
    (windows.iter().sum::<f64>() / windows.len().max(1) as f64 * longer as f64) as u64
}

/// Symbols of a piece that hardly occurs by chance in `cols` symbols like those of `a`.
fn piece_len<S: Symbol>(a: &[S], cols: usize) -> usize {
    let sample = a.iter().step_by((a.len() / (WINDOWS * WINDOW)).max(1));
    let mut counts = HashMap::<S, f64>::new();
    let mut total = 0.0;
    for &symbol in sample {
        *counts.entry(symbol).or_default() += 1.0;
        total += 1.0;
    }
    // The chance that two symbols are equal.
    let equal: f64 = counts.values().map(|count| (count / total).powi(2)).sum();
    let len = (RARE * cols as f64).ln() / -equal.ln();
    (len.ceil().min(LONGEST as f64) as usize).max(1)
}

/// Pieces of `a`, and their hashes.
struct Pieces {
    len: usize,
    per_window: usize,
    /// Where each starts.
    starts: Vec<usize>,
    /// Which are not looked for, but taken to be found: `a` repeats them too often to tell anything.
    repeated: Vec<bool>,
    /// Which pieces have a hash.
    by_hash: HashMap<u64, Vec<u32>>,
    /// A bit for the upper bits of every hash.
    filter: Vec<u64>,
}

impl Pieces {
    fn new<S: Symbol>(a: &[S], len: usize) -> Self {
        let windows = (a.len() / WINDOW).min(WINDOWS);
        let per_window = (WINDOW - len) / STRIDE + 1;
        let first = |window: usize| (a.len() - WINDOW) * window / (windows - 1).max(1);
        let starts: Vec<_> =
            (0..windows).flat_map(|window| (0..per_window).map(move |piece| first(window) + piece * STRIDE)).collect();
        let mut by_hash = HashMap::<u64, Vec<u32>>::new();
        let mut filter = vec![0; 1 << (FILTER_BITS - 6)];
        let mut repeated = vec![false; starts.len()];
        for (piece, &start) in starts.iter().enumerate() {
            let hash = a[start..start + len].iter().fold(0, |hash, &symbol| push(hash, symbol));
            let alike = by_hash.entry(hash).or_default();
            if alike.len() == MOST_ALIKE {
                repeated[piece] = true;
                continue;
            }
            alike.push(piece as u32);
            let bit = filter_bit(hash);
            filter[bit / 64] |= 1 << (bit % 64);
        }
        Self { len, per_window, starts, repeated, by_hash, filter }
    }

    /// Which pieces `b` has, not too far from where a straight alignment would put them.
    fn find<S: Symbol>(&self, b: &[S], rows: usize) -> Vec<bool> {
        let (scale, reach) = (b.len() as f64 / rows as f64, b.len() as f64 * REACH);
        let oldest = (0..self.len).fold(1u64, |power, _| power.wrapping_mul(MULTIPLIER));
        let chunk = LEAST.max(b.len().div_ceil(rayon::current_num_threads()));
        let found = (0..b.len()).into_par_iter().step_by(chunk).map(|start| {
            let mut found = vec![false; self.starts.len()];
            let part = &b[start..(start + chunk + self.len - 1).min(b.len())];
            let mut hash = 0;
            for (place, &symbol) in part.iter().enumerate() {
                hash = push(hash, symbol);
                if place >= self.len {
                    hash = hash.wrapping_sub(oldest.wrapping_mul(value(part[place - self.len])));
                }
                let bit = filter_bit(hash);
                if self.filter[bit / 64] >> (bit % 64) & 1 == 0 || place + 1 < self.len {
                    continue;
                }
                let at = (start + place + 1 - self.len) as f64;
                for &piece in self.by_hash.get(&hash).into_iter().flatten() {
                    found[piece as usize] |= (self.starts[piece as usize] as f64 * scale - at).abs() <= reach;
                }
            }
            found
        });
        found.reduce(|| self.repeated.clone(), |x, y| x.into_iter().zip(y).map(|(x, y)| x | y).collect())
    }
}

fn value<S: Symbol>(symbol: S) -> u64 {
    symbol.place() as u64 + 1
}

/// The hash of a piece with one symbol more.
#[inline(always)]
fn push<S: Symbol>(hash: u64, symbol: S) -> u64 {
    hash.wrapping_mul(MULTIPLIER).wrapping_add(value(symbol))
}

/// The last symbol of a piece has hardly reached the upper bits of its hash; the map has the last word.
#[inline(always)]
fn filter_bit(hash: u64) -> usize {
    (hash >> (u64::BITS - FILTER_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strips::inputs::Random;

    /// `a` with a share of its symbols replaced, lost or preceded by another one.
    fn edited(a: &[u8], share: f64, letters: u8, random: &mut Random) -> Vec<u8> {
        let mut b = Vec::new();
        for &symbol in a {
            let other = random.below(u64::from(letters) as usize) as u8;
            match random.below(1_000_000) as f64 / 1e6 / share {
                edit if edit < 1.0 / 3.0 => b.push(other),
                edit if edit < 2.0 / 3.0 => {}
                edit if edit < 1.0 => b.extend([other, symbol]),
                _ => b.push(symbol),
            }
        }
        b
    }

    fn letters(len: usize, letters: u8, random: &mut Random) -> Vec<u8> {
        (0..len).map(|_| random.below(usize::from(letters)) as u8).collect()
    }

    #[test]
    fn guesses_are_near_the_edits_that_were_made() {
        let mut random = Random::new(1);
        for (len, alphabet) in [(40_000, 4), (300_000, 4), (300_000, 26), (20_000, 200)] {
            let a = letters(len, alphabet, &mut random);
            assert!(edits(&a, &a) < 1 + len as u64 / 1000);
            for share in [0.01, 0.05, 0.12] {
                let b = edited(&a, share, alphabet, &mut random);
                let (made, guess) = (share * len as f64, edits(&a, &b) as f64);
                assert!(guess > made * 0.5 && guess < made * 2.0, "{len} {alphabet} {share}: {guess} for {made}");
            }
        }
    }

    #[test]
    fn unrelated_short_and_moved_sequences_are_taken_to_differ_everywhere() {
        let mut random = Random::new(2);
        let (a, b) = (letters(100_000, 4, &mut random), letters(100_000, 4, &mut random));
        assert!(edits(&a, &b) > 60_000);
        assert_eq!(edits(&a[..100], &a[..200]), 200);
        let mut moved = a.clone();
        moved.rotate_left(50_000);
        assert!(edits(&a, &moved) > 60_000);
    }

    #[test]
    fn sequences_of_one_symbol_and_of_lines_have_a_guess() {
        assert_eq!(edits(&vec![7u8; 5000], &vec![7u8; 9000]), 0);
        let lines: Vec<u32> = (0..50_000).collect();
        let mut changed = lines.clone();
        (0..50_000).step_by(100).for_each(|line| changed[line] = 1_000_000 + line as u32);
        let guess = edits(&lines, &changed);
        assert!((200..1500).contains(&guess), "{guess}");
    }
}
