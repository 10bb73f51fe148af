//! Seeds: short words that both sequences have, found in a moment. Their longest chain shows about where the alignment will be.

use std::collections::HashMap;

use crate::plot::Plot;

/// Symbols of a word.
const WORD: usize = 14;
/// Words that `a` has more often are repeats, which tell nothing.
const MOST_PLACES: usize = 4;

/// The plot of all seeds, and of the longest chain of them.
pub fn plot(a: &[u8], b: &[u8]) -> Plot {
    let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (place, word) in a.windows(WORD).enumerate() {
        places.entry(word).or_default().push(place);
    }
    let (mut plot, mut chains) = (Plot::new(a.len(), b.len()), Chains::default());
    for (b_place, word) in b.windows(WORD).enumerate() {
        let found = places.get(word).filter(|found| found.len() <= MOST_PLACES);
        // The last place comes first, so that no chain has two of one word.
        for &a_place in found.into_iter().flatten().rev() {
            plot.seed(a_place, b_place);
            chains.add([a_place, b_place]);
        }
    }
    chains
        .longest()
        .for_each(|[a_place, b_place]| plot.chained(a_place, b_place));
    plot
}

/// Chains of seeds, of which each lies behind the one before it in both sequences: where the longest goes, the alignment is expected. A
/// longest increasing subsequence by patience sorting (Fredman 1975, doi:10.1016/0012-365X(75)90103-X).
#[derive(Default)]
struct Chains {
    /// Each with the one before it.
    seeds: Vec<([usize; 2], Option<usize>)>,
    /// Of the chains of each length that whose last place in `a` is the least: its last seed.
    last: Vec<usize>,
}

impl Chains {
    /// The next seed in `b`.
    fn add(&mut self, seed: [usize; 2]) {
        let length = self
            .last
            .partition_point(|&last| self.seeds[last].0[0] < seed[0]);
        let before = length.checked_sub(1).map(|shorter| self.last[shorter]);
        match self.last.get_mut(length) {
            Some(last) => *last = self.seeds.len(),
            None => self.last.push(self.seeds.len()),
        }
        self.seeds.push((seed, before));
    }

    /// The longest one, from its end.
    fn longest(&self) -> impl Iterator<Item = [usize; 2]> {
        let last = self.last.last().copied();
        std::iter::successors(last, |&seed| self.seeds[seed].1).map(|seed| self.seeds[seed].0)
    }
}
