//! Seeds: short words that both sequences have, found in a moment. They show what the alignment will look like.

use std::collections::HashMap;

use crate::plot::Plot;

/// Symbols of a word.
const WORD: usize = 14;
/// Words that `a` has more often are repeats, which tell nothing.
const MOST_PLACES: usize = 4;

/// The plot of all seeds.
pub fn plot(a: &[u8], b: &[u8]) -> Plot {
    let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (place, word) in a.windows(WORD).enumerate() {
        places.entry(word).or_default().push(place);
    }
    let mut plot = Plot::new(a.len(), b.len());
    for (b_place, word) in b.windows(WORD).enumerate() {
        let found = places.get(word).filter(|found| found.len() <= MOST_PLACES);
        found.into_iter().flatten().for_each(|&a_place| plot.seed(a_place, b_place));
    }
    plot
}
