//! Cost estimate from the k-mers that two sequences share. It selects the method and never affects
//! the answer.

use crate::call::control::Control;
use crate::host::parallel::{map, map_ranges};
use crate::host::threads::{join, threads};
use crate::sequences::affixes::Stripped;
use crate::sequences::bit_parallel::band::Band;
use crate::sequences::bit_parallel::cpu::{Kernels, value};
use crate::sequences::codes::{Encoded, Symbol};
use crate::sequences::cost_estimate::CostEstimate;
use crate::symbols::hash::{hash, hashes};

/// Windows of `a` whose pieces are searched for in `b`.
const WINDOWS: usize = 256;
/// Windows per group; each group is estimated as one.
const GROUP: usize = 16;
const WINDOW: usize = 128;
/// Distance in symbols between the pieces of a window.
const STRIDE: usize = 16;
/// Inverse of the expected number of chance occurrences of a piece in `b`.
const RARITY: f64 = 64.0;
const MAX_PIECE_LEN: usize = 64;
/// Maximum displacement of a piece, as a share of `b`.
const MAX_DISPLACEMENT: f64 = 1.0 / 6.0;
/// Share of found pieces below which a group counts as unrelated.
const MIN_FOUND_SHARE: f64 = 0.04;
const SHARE_STEPS: usize = 20;
/// Symbols per parallel task.
pub(super) const TASK_SYMBOLS: usize = 1 << 16;
/// Maximum pieces searched for per hash; more frequent ones would occur anywhere.
const MAX_EQUAL_PIECES: usize = 4;
/// Hash bits that index the filter.
const FILTER_BITS: u32 = 16;
/// Factors from the expected cost to the upper estimate: for edits measured by pieces, for
/// unrelated parts measured by samples, and an addition that scales with the related share, because
/// windows measure that roughly. `EXTRA_EDITS` is a constant addition.
const EDIT_MARGIN: f64 = 1.2;
const UNRELATED_MARGIN: f64 = 1.02;
const MIXED_MARGIN: f64 = 0.4;
const EXTRA_EDITS: u64 = 256;
/// Maximum symbols of a sample, maximum share of the longer sequence as a divisor, and maximum
/// number of samples.
const SAMPLE: usize = 4096;
const SAMPLE_SHARE: usize = 16;
const SAMPLES: usize = 4;

pub(crate) fn estimate<R: Kernels, S: Symbol>(stripped: &Stripped<'_, S>) -> CostEstimate {
    let (a, b) = (stripped.rows, stripped.cols);
    let distance = |a: &[S], b: &[S]| {
        let codes = Encoded::new(a, b);
        let value = value::<R>(codes.codes(), Band::WHOLE, &Control::default());
        // This control is never cancelled.
        value.map_or(0, |value| R::cost(value.found, a.len(), b.len()))
    };
    // Without mismatches a substitution is one deletion and one insertion.
    let edit = if R::MISMATCHES { 1.0 } else { 2.0 };
    let (unrelated, shares) = join(|| unrelated(a, b, distance), || SimilarityShares::of(a, b));
    let expected = shares.cost(edit, unrelated);
    let longer = a.len().max(b.len()) as f64;
    let related = 1.0 - expected.unrelated / (longer * unrelated).max(1.0);
    let margin = UNRELATED_MARGIN + MIXED_MARGIN * related;
    // The cost is at least the difference of the lengths.
    let length_difference = a.len().abs_diff(b.len()) as f64;
    let upper = (expected.edits * EDIT_MARGIN + expected.unrelated * margin)
        .min(longer * unrelated * UNRELATED_MARGIN);
    CostEstimate {
        upper: upper.max(length_difference) as u64 + EXTRA_EDITS,
        expected: expected.all().max(length_difference) as u64,
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct CostParts {
    edits: f64,
    unrelated: f64,
}

impl CostParts {
    fn all(self) -> f64 {
        self.edits + self.unrelated
    }
}

struct SimilarityShares {
    longer: f64,
    len: usize,
    /// Result of [`shares`] per group; empty if a sequence is shorter than a window.
    groups: Vec<(f64, f64)>,
}

impl SimilarityShares {
    /// Cost: a few operations per symbol of `b`.
    fn of<S: Symbol>(a: &[S], b: &[S]) -> Self {
        let longer = a.len().max(b.len()) as f64;
        if a.len().min(b.len()) < WINDOW {
            return Self {
                longer,
                len: 1,
                groups: Vec::new(),
            };
        }
        let len = window_len(a, b.len() as f64);
        let pieces = Pieces::new(a, len);
        let found = pieces.find(b, a.len());
        let groups = found
            .chunks(pieces.per_window * GROUP)
            .map(|group| shares(group, pieces.per_window))
            .collect();
        Self {
            longer,
            len,
            groups,
        }
    }

    /// Rough cost, where an edit costs `edit` and a symbol of unrelated parts costs `unrelated`.
    ///
    /// A piece of k symbols survives an edit rate e with probability (1 - e)^k, so the share of
    /// pieces found at about the same place gives e (after Ondov et al. 2016,
    /// doi:10.1186/s13059-016-0997-x). Windows without any found piece, beyond the number that
    /// edits explain, are moved, reversed or deleted parts.
    fn cost(&self, edit: f64, unrelated: f64) -> CostParts {
        if self.groups.is_empty() {
            return CostParts {
                edits: 0.0,
                unrelated: self.longer * unrelated,
            };
        }
        let each = self.longer / self.groups.len() as f64;
        self.groups
            .iter()
            .fold(CostParts::default(), |all, (related, share)| {
                let edits = (edit * (1.0 - share.powf(1.0 / self.len as f64))).min(unrelated);
                CostParts {
                    edits: all.edits + each * related * edits,
                    unrelated: all.unrelated + each * (1.0 - related) * unrelated,
                }
            })
    }
}

/// Share of windows related to the other sequence, and share of the pieces of those windows that
/// were found.
///
/// A related window with n pieces and found share s has no found piece with probability (1 - s)^n.
/// Windows without one beyond that number are unrelated.
fn shares(found: &[bool], per_window: usize) -> (f64, f64) {
    let pieces = found.iter().filter(|&&found| found).count() as f64 / found.len() as f64;
    if pieces < MIN_FOUND_SHARE {
        return (0.0, 0.0);
    }
    let windows = found.chunks(per_window);
    let count = windows.len() as f64;
    let without = windows.filter(|window| !window.contains(&true)).count() as f64 / count;
    // The number of windows without a found piece rises with the share.
    let (mut low, mut high) = (pieces, 1.0);
    for _ in 0..SHARE_STEPS {
        let share = f64::midpoint(low, high);
        let expected = 1.0 - pieces / share * (1.0 - (1.0 - share).powi(per_window as i32));
        if expected < without {
            low = share
        } else {
            high = share
        }
    }
    (pieces / high, high)
}

/// Cost per symbol of the longer sequence if `a` and `b` are unrelated, from `distance` of samples
/// with the same length ratio.
///
/// Long sequences cost slightly less per symbol than samples do.
fn unrelated<S: Symbol>(a: &[S], b: &[S], distance: impl Fn(&[S], &[S]) -> u64 + Sync) -> f64 {
    let longer = a.len().max(b.len());
    let len = SAMPLE.min((longer / SAMPLE_SHARE).max(WINDOW)).min(longer);
    let samples = (longer / (2 * SAMPLE)).clamp(1, SAMPLES);
    let places = samples.max(2);
    let sample = |all: &[S], place: usize| {
        let len = (len as u64 * all.len() as u64 / longer.max(1) as u64) as usize;
        let first = (all.len() - len) * place / places;
        first..first + len
    };
    // Samples from different places, so that similar parts do not meet.
    let cost = |place: usize| {
        distance(
            &a[sample(a, place)],
            &b[sample(b, (place + places.div_ceil(2)) % places)],
        )
    };
    map(samples, cost).iter().sum::<u64>() as f64 / (samples * len.max(1)) as f64
}

/// Length of a window that rarely occurs by chance among `windows` of symbols distributed like those
/// of `a`.
pub(super) fn window_len<S: Symbol>(a: &[S], windows: f64) -> usize {
    let len = (RARITY * windows).ln() / letters(a).ln();
    (len.ceil().min(MAX_PIECE_LEN as f64) as usize).max(1)
}

/// Number of equally frequent letters of which two are equal as often as two symbols of `a`.
pub(super) fn letters<S: Symbol>(a: &[S]) -> f64 {
    let mut sample: Vec<_> = a
        .iter()
        .step_by((a.len() / SAMPLE).max(1))
        .map(|symbol| symbol.place())
        .collect();
    sample.sort_unstable();
    let counts = sample
        .chunk_by(|x, y| x == y)
        .map(|equal| (equal.len() as f64 / sample.len() as f64).powi(2));
    1.0 / counts.sum::<f64>()
}

struct Pieces {
    len: usize,
    per_window: usize,
    starts: Vec<usize>,
    /// Pieces too frequent in `a` to be informative; counted as found.
    repeated: Vec<bool>,
    /// Pairs of hash and piece, sorted by hash.
    by_hash: Vec<(u64, u32)>,
    filter: Vec<u64>,
}

impl Pieces {
    fn new<S: Symbol>(a: &[S], len: usize) -> Self {
        let windows = (a.len() / WINDOW).min(WINDOWS);
        let per_window = (WINDOW - len) / STRIDE + 1;
        let first = |window: usize| (a.len() - WINDOW) * window / (windows - 1).max(1);
        let in_window =
            |window: usize| (0..per_window).map(move |piece| first(window) + piece * STRIDE);
        let starts: Vec<_> = (0..windows).flat_map(in_window).collect();
        let hash = |start: usize| hash(&a[start..start + len]);
        let mut by_hash: Vec<_> = (0..)
            .zip(&starts)
            .map(|(piece, &start)| (hash(start), piece))
            .collect();
        by_hash.sort_unstable();
        let mut filter = vec![0; 1 << (FILTER_BITS - 6)];
        let mut repeated = vec![false; starts.len()];
        for alike in by_hash.chunk_by(|x, y| x.0 == y.0) {
            let bit = filter_bit(alike[0].0);
            filter[bit / 64] |= 1 << (bit % 64);
            alike
                .iter()
                .skip(MAX_EQUAL_PIECES)
                .for_each(|&(_, piece)| repeated[piece as usize] = true);
        }
        Self {
            len,
            per_window,
            starts,
            repeated,
            by_hash,
            filter,
        }
    }

    /// Marks the pieces that occur in `b`, at most [`MAX_DISPLACEMENT`] from the position of a
    /// straight alignment. Rolls a hash over `b` and looks up those that pass the filter.
    fn find<S: Symbol>(&self, b: &[S], rows: usize) -> Vec<bool> {
        let (scale, reach) = (
            b.len() as f64 / rows as f64,
            b.len() as f64 * MAX_DISPLACEMENT,
        );
        let chunk = TASK_SYMBOLS.max(b.len().div_ceil(threads(None)));
        let found = map_ranges(b.len(), chunk, |range| {
            let mut found = vec![false; self.starts.len()];
            let part = &b[range.start..(range.end + self.len - 1).min(b.len())];
            for (index, hash) in hashes(part, self.len).enumerate() {
                let bit = filter_bit(hash);
                if self.filter[bit / 64] >> (bit % 64) & 1 == 0 {
                    continue;
                }
                let at = (range.start + index) as f64;
                let first = self.by_hash.partition_point(|alike| alike.0 < hash);
                let alike = self.by_hash[first..]
                    .iter()
                    .take(MAX_EQUAL_PIECES)
                    .take_while(|alike| alike.0 == hash);
                for &(_, piece) in alike {
                    found[piece as usize] |=
                        (self.starts[piece as usize] as f64 * scale - at).abs() <= reach;
                }
            }
            found
        });
        let mut all = self.repeated.clone();
        for found in found {
            all.iter_mut().zip(found).for_each(|(x, y)| *x |= y);
        }
        all
    }
}

/// Filter bit of a hash. The last symbol of a piece hardly affects the upper bits, so `by_hash`
/// decides.
#[inline(always)]
fn filter_bit(hash: u64) -> usize {
    (hash >> (u64::BITS - FILTER_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequences::bit_parallel::inputs::Random;
    use crate::sequences::bit_parallel::recurrence::{Lcs, Recurrence as _};

    /// `a` with a share of its symbols replaced, deleted, or preceded by an inserted one.
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

    fn edits<S: Symbol>(a: &[S], b: &[S]) -> u64 {
        (SimilarityShares::of(a, b).cost(1.0, 0.75).all() as u64)
            .max(a.len().abs_diff(b.len()) as u64)
    }

    #[test]
    fn estimate_is_within_a_factor_of_two_of_the_edits() {
        let mut random = Random::new(1);
        for (len, alphabet) in [(40_000, 4), (300_000, 4), (300_000, 26), (20_000, 200)] {
            let a = random.bytes(len, alphabet);
            assert!(edits(&a, &a) < 1 + len as u64 / 1000);
            for share in [0.01, 0.05, 0.12] {
                let b = edited(&a, share, alphabet, &mut random);
                let (made, estimate) = (share * len as f64, edits(&a, &b) as f64);
                assert!(
                    estimate > made * 0.5 && estimate < made * 2.0,
                    "{len} {alphabet} {share}: {estimate} for {made}"
                );
            }
        }
    }

    #[test]
    fn estimate_of_unrelated_sequences_is_within_five_percent() {
        let mut random = Random::new(9);
        let longer = random.bytes(120_000, 4);
        for len in [120_000, 90_000, 60_000, 40_000, 32_000, 20_000, 1_000] {
            let shorter = random.bytes(len, 4);
            let stripped = Stripped::new(&longer, &shorter);
            let codes = Encoded::new(stripped.rows, stripped.cols);
            let value = value::<Lcs>(codes.codes(), Band::WHOLE, &Control::default());
            let cost = Lcs::cost(
                value.expect("nobody cancels it").found,
                codes.a.len(),
                codes.b.len(),
            );
            let CostEstimate { upper, expected } = estimate::<Lcs, u8>(&stripped);
            assert!(
                upper >= cost && upper < cost + cost / 20,
                "{len}: {upper} for {cost}"
            );
            assert!(
                expected.abs_diff(cost) < cost / 20,
                "{len}: {expected} for {cost}"
            );
        }
    }

    #[test]
    fn estimate_counts_unrelated_stretches_of_any_length() {
        let mut random = Random::new(4);
        let a = random.bytes(600_000, 4);
        for stretch in [3_000, 20_000, 150_000] {
            let (mut b, mut gone) = (Vec::new(), 0);
            for (number, part) in a.chunks(stretch).enumerate() {
                if number % 2 == 1 {
                    gone += part.len();
                    b.extend(random.bytes(part.len(), 4));
                } else {
                    b.extend(edited(part, 0.03, 4, &mut random));
                }
            }
            let (made, estimate) = (
                gone as f64 * 0.75 + (a.len() - gone) as f64 * 0.03,
                edits(&a, &b) as f64,
            );
            assert!(
                estimate > made * 0.85 && estimate < made * 1.15,
                "{stretch}: {estimate} for {made}"
            );
        }
    }

    #[test]
    fn estimate_treats_unrelated_short_and_moved_sequences_as_unrelated() {
        let mut random = Random::new(2);
        let (a, b) = (random.bytes(100_000, 4), random.bytes(100_000, 4));
        assert!(edits(&a, &b) > 60_000);
        assert_eq!(edits(&a[..100], &a[..200]), 150);
        let mut moved = a.clone();
        moved.rotate_left(50_000);
        assert!(edits(&a, &moved) > 60_000);
    }

    #[test]
    fn estimate_handles_single_symbol_and_line_sequences() {
        assert_eq!(edits(&vec![7u8; 5000], &vec![7u8; 9000]), 4000);
        assert_eq!(edits(&vec![7u8; 500_000], &vec![7u8; 500_000]), 0);
        let lines: Vec<u32> = (0..50_000).collect();
        let mut changed = lines.clone();
        (0..50_000)
            .step_by(100)
            .for_each(|line| changed[line] = 1_000_000 + line as u32);
        let estimate = edits(&lines, &changed);
        assert!((200..1500).contains(&estimate), "{estimate}");
    }

    #[test]
    fn sampled_cost_per_symbol_of_unrelated_sequences_is_accurate() {
        let mut random = Random::new(3);
        let replaced = |x: &[u8], y: &[u8]| x.iter().zip(y).filter(|(x, y)| x != y).count() as u64;
        for len in [1, 100, 5000, 9000, 100_000] {
            let a = random.bytes(len, 4);
            let b = random.bytes(len, 4);
            let cost = unrelated(&a, &b, replaced);
            assert!(
                (cost - 0.75).abs() < 1.0 / (len as f64).sqrt() + 0.02,
                "{len}: {cost}"
            );
        }
    }
}
