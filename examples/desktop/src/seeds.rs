//! Seeds: short words common to both sequences, found quickly. Their longest chain approximates the
//! alignment.

use std::collections::HashMap;

use crate::plot::Plot;

/// Symbols per word.
const WORD: usize = 14;
/// Words with more occurrences in `a` are ignored as repeats.
const MOST_PLACES: usize = 4;

/// Plots all seeds and their longest chain.
pub fn plot(a: &[u8], b: &[u8]) -> Plot {
    let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (place, word) in a.windows(WORD).enumerate() {
        places.entry(word).or_default().push(place);
    }
    let (mut plot, mut chains) = (Plot::new(a.len(), b.len()), Chains::default());
    for (b_place, word) in b.windows(WORD).enumerate() {
        let found = places.get(word).filter(|found| found.len() <= MOST_PLACES);
        // Later positions first, so that a chain has at most one per word.
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

/// Chains of seeds that increase in both sequences. Finds the longest by patience sorting (Fredman
/// 1975, doi:10.1016/0012-365X(75)90103-X).
#[derive(Default)]
struct Chains {
    /// Position and predecessor of each seed.
    seeds: Vec<([usize; 2], Option<usize>)>,
    /// Per chain length, the last seed with the least position in `a`.
    last: Vec<usize>,
}

impl Chains {
    /// Adds the next seed in order of `b`.
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

    /// The longest chain, from its end.
    fn longest(&self) -> impl Iterator<Item = [usize; 2]> {
        let last = self.last.last().copied();
        std::iter::successors(last, |&seed| self.seeds[seed].1).map(|seed| self.seeds[seed].0)
    }
}
