//! Heaviest chain of collinear anchors of two records, over strands and rotations.

use super::Orientation;
use super::seam::{self, Anchor};
use crate::sequences::pair::Pair;
use crate::substring::{MaximalMatch, Strand};

/// Anchors that are chained; the longest ones are taken.
const MAX_ANCHORS: usize = 1 << 13;
/// Rotations that are tried on each strand: those of the longest anchors.
const ROTATIONS: usize = 48;

/// A chain's total length, and its first and last anchor.
#[derive(Clone, Copy, Debug, Default)]
struct Chain {
    weight: u64,
    ends: Option<[Anchor; 2]>,
}

/// Orientation of record A with the heaviest chain of collinear anchors, and the chain's weight in
/// symbols. Ties: the forward strand, then no rotation.
pub(super) fn best(
    matches: &[MaximalMatch],
    Pair { a, b }: Pair<'_, u8>,
    circular: bool,
) -> (Orientation, u64) {
    let mut best = (Orientation::default(), Chain::default());
    for strand in Strand::ALL {
        let anchors = on_strand(matches, strand, a.len());
        let mut try_start = |start: usize| {
            let found = chain(&anchors, start, a.len());
            if found.weight > best.1.weight {
                best = (Orientation { strand, start }, found);
            }
        };
        try_start(0);
        if circular {
            // The longest anchors, and some spread over B in case those are repeats.
            let mut spread = anchors.clone();
            spread.sort_unstable_by_key(|anchor| anchor.b);
            let step = (spread.len() / ROTATIONS).max(1);
            let spread = spread.iter().step_by(step).take(ROTATIONS);
            let mut starts: Vec<_> = anchors.iter().take(ROTATIONS).chain(spread).collect();
            starts.dedup();
            let starts = starts.into_iter().map(|anchor| origin(anchor, a.len()));
            starts.for_each(&mut try_start);
        }
    }
    let (mut orientation, found) = best;
    if circular && let Some(ends) = found.ends {
        let strand = orientation.strand;
        let on_strand = Orientation { strand, start: 0 }.apply(a);
        orientation.start = seam::best(ends, Pair::new(&on_strand, b));
    }
    (orientation, found.weight)
}

/// The longest anchors of a strand, the longest first.
fn on_strand(matches: &[MaximalMatch], strand: Strand, a_len: usize) -> Vec<Anchor> {
    let found = matches.iter().filter(|one| one.b.strand == strand);
    let mut anchors: Vec<_> = found
        .map(|one| Anchor {
            a: match strand {
                Strand::Forward => one.a.start,
                Strand::Reverse => a_len - one.a.start - one.length,
            },
            b: one.b.start,
            len: one.length,
        })
        .collect();
    anchors.sort_unstable_by_key(|anchor| (std::cmp::Reverse(anchor.len), anchor.b, anchor.a));
    anchors.truncate(MAX_ANCHORS);
    anchors
}

/// Rotation that puts the anchor at the same position in both records.
fn origin(anchor: &Anchor, a_len: usize) -> usize {
    (anchor.a + a_len - anchor.b % a_len) % a_len
}

/// Heaviest chain of anchors that follow one another in both records, A rotated to `start`.
/// O(n log n).
fn chain(anchors: &[Anchor], start: usize, a_len: usize) -> Chain {
    // Neighbouring maximal matches may overlap by a few symbols, so a chain counts each without its
    // last quarter.
    let end_of = |at: usize, len: usize| at + len - len / 4;
    let rotated = anchors.iter().map(|anchor| Anchor {
        a: (anchor.a + a_len - start) % a_len,
        ..*anchor
    });
    let rotated = rotated.enumerate();
    let (kept, rotated): (Vec<_>, Vec<_>) =
        rotated.filter(|(_, one)| one.a + one.len <= a_len).unzip();
    // Starts and ends in the order of A; at equal positions ends come first.
    let mut events: Vec<(usize, bool, usize)> = Vec::with_capacity(2 * rotated.len());
    for (index, anchor) in rotated.iter().enumerate() {
        events.push((anchor.a, true, index));
        events.push((end_of(anchor.a, anchor.len), false, index));
    }
    events.sort_unstable();
    let mut ends: Vec<usize> = rotated.iter().map(|one| end_of(one.b, one.len)).collect();
    let by_anchor = ends.clone();
    ends.sort_unstable();
    ends.dedup();
    let mut heaviest = PrefixMaxima::new(ends.len());
    let mut chains = vec![Chain::default(); rotated.len()];
    let mut best = Chain::default();
    for (_, starts, index) in events {
        let anchor = rotated[index];
        if starts {
            let before = heaviest.max(ends.partition_point(|&end| end <= anchor.b));
            let unrotated = anchors[kept[index]];
            chains[index] = Chain {
                weight: before.weight + anchor.len as u64,
                ends: Some([before.ends.map_or(unrotated, |ends| ends[0]), unrotated]),
            };
            if chains[index].weight > best.weight {
                best = chains[index];
            }
        } else {
            let position = ends.partition_point(|&end| end < by_anchor[index]);
            heaviest.raise(position, chains[index]);
        }
    }
    best
}

/// Maxima of prefixes (Fenwick 1994, doi:10.1002/spe.4380240306).
struct PrefixMaxima(Vec<Chain>);

impl PrefixMaxima {
    fn new(len: usize) -> Self {
        Self(vec![Chain::default(); len + 1])
    }

    /// Maximum of the first `count` entries.
    fn max(&self, count: usize) -> Chain {
        let (mut index, mut best) = (count, Chain::default());
        while index > 0 {
            if self.0[index].weight > best.weight {
                best = self.0[index];
            }
            index &= index - 1;
        }
        best
    }

    fn raise(&mut self, entry: usize, chain: Chain) {
        let mut index = entry + 1;
        while index < self.0.len() {
            if chain.weight > self.0[index].weight {
                self.0[index] = chain;
            }
            index += index & index.wrapping_neg();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequences::bit_parallel::inputs::Random;

    /// Heaviest chain by the quadratic recurrence.
    fn reference(anchors: &[Anchor]) -> u64 {
        let mut sorted = anchors.to_vec();
        sorted.sort_unstable_by_key(|one| one.a);
        let mut weights = vec![0; sorted.len()];
        for (index, one) in sorted.iter().enumerate() {
            let follows = |before: &Anchor| {
                let end = |at: usize| at + before.len - before.len / 4;
                end(before.a) <= one.a && end(before.b) <= one.b
            };
            let before = sorted[..index].iter().zip(&weights);
            let before = before.filter(|(before, _)| follows(before));
            weights[index] = one.len as u64 + before.map(|(_, &weight)| weight).max().unwrap_or(0);
        }
        weights.into_iter().max().unwrap_or(0)
    }

    #[test]
    fn chains_are_as_heavy_as_those_of_the_quadratic_recurrence() {
        let mut random = Random::new(71);
        for count in [0, 1, 2, 3, 10, 60] {
            for _ in 0..50 {
                let anchors: Vec<_> = (0..count)
                    .map(|_| Anchor {
                        a: random.below(400),
                        b: random.below(400),
                        len: 1 + random.below(60),
                    })
                    .collect();
                assert_eq!(
                    chain(&anchors, 0, 1000).weight,
                    reference(&anchors),
                    "{anchors:?}"
                );
            }
        }
    }
}
