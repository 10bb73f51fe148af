//! The two tiers of tests: for every change, and full.

/// True for `tests/run.sh --full`: full products of variants, long random runs.
pub fn is_full() -> bool {
    std::env::var("SWATH_TEST_TIER").is_ok_and(|tier| tier == "full")
}

/// All of `all` in the full tier, else the first.
pub fn first_or_all<T: Copy>(all: &[T]) -> impl Iterator<Item = T> {
    let taken = if is_full() { all.len() } else { 1 };
    all.iter().copied().take(taken)
}

/// Combinations of one choice from each list, as indices, given the lists' lengths. The full tier
/// takes all; otherwise a covering array, in which any two choices from two lists occur together.
pub fn combinations<const N: usize>(lens: [usize; N]) -> Vec<[usize; N]> {
    all_or_covering(product(lens))
}

/// All combinations in the full tier, else some with every pair of choices that occurs in `all`.
pub fn all_or_covering<const N: usize>(all: Vec<[usize; N]>) -> Vec<[usize; N]> {
    if is_full() { all } else { covering(&all) }
}

pub fn product<const N: usize>(lens: [usize; N]) -> Vec<[usize; N]> {
    let nth = |mut place: usize| {
        lens.map(|len| {
            let choice = place % len;
            place /= len;
            choice
        })
    };
    (0..lens.iter().product()).map(nth).collect()
}

/// Greedy: takes the combination with the most uncovered pairs.
fn covering<const N: usize>(all: &[[usize; N]]) -> Vec<[usize; N]> {
    let pairs = |choices: &[usize; N]| {
        let choices = *choices;
        (0..N).flat_map(move |i| (0..i).map(move |j| (i, choices[i], j, choices[j])))
    };
    let mut uncovered: std::collections::HashSet<_> = all.iter().flat_map(pairs).collect();
    let mut taken = Vec::new();
    while !uncovered.is_empty() {
        let gain = |choices: &&[usize; N]| {
            pairs(choices)
                .filter(|pair| uncovered.contains(pair))
                .count()
        };
        let best = *all
            .iter()
            .rev()
            .max_by_key(gain)
            .expect("some pair is uncovered");
        pairs(&best).for_each(|pair| {
            uncovered.remove(&pair);
        });
        taken.push(best);
    }
    // A single list has no pairs.
    if N < 2 { all.to_vec() } else { taken }
}
