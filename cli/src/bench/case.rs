//! Cases of the benchmark: problems, sizes, generated inputs and their tasks.

use clap::ValueEnum;
use serde::Deserialize;
use swath::parenthesization::MatrixChain;
use swath::unstable::measure::ceiling::Work;
use swath::unstable::measure::inputs::{dimensions, letters, words};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Problem {
    /// Longest common subsequence
    Lcs,
    /// Edit distance
    Edit,
    /// Shortest common supersequence
    Scs,
    /// Matrix chain
    Chain,
    /// Longest common substring
    Substring,
    /// Radix sort
    Sort,
}

impl Problem {
    pub fn name(self) -> &'static str {
        self.words().0
    }

    pub fn title(self) -> &'static str {
        self.words().1
    }

    /// Unit of work, in plural.
    pub fn counted(self) -> &'static str {
        self.words().2
    }

    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Problem::Lcs => ("lcs", "Longest common subsequence", "cells"),
            Problem::Edit => ("edit", "Edit distance", "cells"),
            Problem::Scs => ("scs", "Shortest common supersequence", "cells"),
            Problem::Chain => ("chain", "Matrix chain", "splits"),
            Problem::Substring => ("substring", "Longest common substring", "symbols"),
            Problem::Sort => ("sort", "Sort", "keys"),
        }
    }

    /// The methods of the papers, or for sorts that of the CPU.
    pub fn baselines(self) -> &'static [&'static str] {
        match self {
            Problem::Lcs => &["conditional-sum"],
            Problem::Edit => &["tiled", "anti-diagonal"],
            Problem::Scs => &["row-wise", "anti-diagonal"],
            Problem::Chain => &["adaptive", "thread-per-subproblem"],
            Problem::Substring => &["sort-and-scan"],
            Problem::Sort => &["radix-sort"],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Kind {
    /// Random letters; size of the alphabet.
    Letters(u64),
    Dimensions,
    Keys,
    /// Random 64-bit keys with a payload word each.
    Pairs,
}

impl Kind {
    pub fn name(self) -> String {
        match self {
            Kind::Letters(letters) => format!("{letters} letters"),
            Kind::Dimensions => "random dimensions".to_string(),
            Kind::Keys => "u32 keys".to_string(),
            Kind::Pairs => "u64 keys with a word each".to_string(),
        }
    }
}

pub type Sizes = (usize, Option<usize>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub problem: Problem,
    pub kind: Kind,
    pub sizes: Sizes,
    pub path: bool,
}

impl Case {
    pub fn size(&self) -> String {
        let (first, second) = self.sizes;
        second.map_or_else(|| first.to_string(), |second| format!("{first} x {second}"))
    }

    /// Geometric mean of the sizes, for plots.
    pub fn extent(&self) -> f64 {
        let (first, second) = self.sizes;
        (first as f64 * second.unwrap_or(first) as f64).sqrt()
    }
}

const MIN_SIZE: usize = 8;

const fn sizes(problem: Problem, quick: bool) -> &'static [usize] {
    match (problem, quick) {
        (Problem::Lcs | Problem::Edit | Problem::Scs, true) => &[500, 2_000, 8_000],
        (Problem::Lcs | Problem::Edit | Problem::Scs, false) => {
            &[1_000, 4_000, 16_000, 64_000, 256_000, 1_024_000, 4_096_000]
        }
        (Problem::Chain, true) => &[64, 128, 256, 512],
        (Problem::Chain, false) => &[128, 256, 512, 1_024, 2_048, 4_096],
        (Problem::Substring | Problem::Sort, true) => &[10_000, 100_000, 1_000_000],
        (Problem::Substring | Problem::Sort, false) => &[10_000, 100_000, 1_000_000, 10_000_000],
    }
}

const fn kinds(problem: Problem) -> &'static [Kind] {
    match problem {
        Problem::Lcs | Problem::Edit | Problem::Scs | Problem::Substring => {
            &[Kind::Letters(4), Kind::Letters(26)]
        }
        Problem::Chain => &[Kind::Dimensions],
        Problem::Sort => &[Kind::Keys, Kind::Pairs],
    }
}

pub fn of_problem(problem: Problem, quick: bool, shrink: u32) -> Vec<Case> {
    let mut cases = Vec::new();
    for &kind in kinds(problem) {
        for full in sizes(problem, quick) {
            let size = (full / shrink as usize).max(MIN_SIZE);
            let second = matches!(kind, Kind::Letters(_)).then_some(size);
            cases.push(Case {
                problem,
                kind,
                sizes: (size, second),
                path: false,
            });
        }
    }
    cases.dedup();
    cases
}

/// Methods to measure: the default, and all exact ones for two inputs.
pub fn methods(problem: Problem) -> Vec<&'static str> {
    macro_rules! all_of {
        ($problem:ident) => {
            swath::$problem::Method::ALL
                .map(|method| method.name())
                .to_vec()
        };
    }
    let mut methods = match problem {
        Problem::Lcs => all_of!(lcs),
        Problem::Edit => all_of!(edit_distance),
        Problem::Scs => all_of!(supersequence),
        Problem::Chain => all_of!(parenthesization),
        Problem::Substring => all_of!(substring),
        Problem::Sort => vec![DEFAULT],
    };
    methods.retain(|method| !OF_SEVERAL.contains(method));
    methods
}

/// Methods that run on the CPU for any device.
pub const NATIVE: [&str; 3] = ["reference", "hu-shing", "suffix-array"];

/// Methods for more than two inputs.
const OF_SEVERAL: [&str; 3] = ["k-dimensional", "merge-tree", "majority-merge"];

pub const DEFAULT: &str = "auto";

const MAX_DIMENSION: u64 = 1000;

pub enum Inputs {
    Texts(Vec<u8>, Vec<u8>),
    Chain(MatrixChain),
    Keys(Vec<u32>),
    /// Keys with their index as payload, which shows if a sort is stable.
    Pairs(Vec<u64>, Vec<u32>),
}

/// Number derived from an answer, equal for all correct methods, and the work done.
pub type Digest = (u64, Work);

impl Inputs {
    /// Generates the inputs of a case, equal on every machine.
    pub fn of(case: &Case) -> Self {
        let (first, second) = case.sizes;
        match case.kind {
            Kind::Letters(symbols) => Inputs::Texts(
                letters(first, symbols, 1),
                letters(second.unwrap_or(first), symbols, 2),
            ),
            Kind::Dimensions => {
                Inputs::Chain(MatrixChain::new(dimensions(first, MAX_DIMENSION, 1)))
            }
            Kind::Keys => Inputs::Keys(words(first, 1)),
            Kind::Pairs => {
                let wide = |words: &[u32]| u64::from(words[0]) << 32 | u64::from(words[1]);
                // Every eighth key repeats the one before, to detect unstable sorts.
                let mut keys: Vec<u64> = words(2 * first, 1).chunks_exact(2).map(wide).collect();
                (1..keys.len())
                    .step_by(8)
                    .for_each(|index| keys[index] = keys[index - 1]);
                let payload = (0..u32::try_from(first).unwrap_or(u32::MAX)).collect();
                Inputs::Pairs(keys, payload)
            }
        }
    }

    /// Known answer, if the standard library can compute it.
    pub fn known_answer(&self) -> Option<u64> {
        match self {
            Inputs::Keys(keys) => {
                let mut sorted = keys.clone();
                sorted.sort_unstable();
                Some(digest(sorted.into_iter().map(u64::from), []))
            }
            Inputs::Pairs(keys, payload) => {
                let mut sorted = payload.clone();
                sorted.sort_by_key(|&index| keys[index as usize]);
                Some(digest(
                    sorted.iter().map(|&index| keys[index as usize]),
                    sorted.iter().copied(),
                ))
            }
            Inputs::Texts(..) | Inputs::Chain(_) => None,
        }
    }
}

/// Splits off the number that forces a shape, as tables of papers vary it: `anti-diagonal, 128
/// lanes` and `adaptive, divided from 512`.
pub fn shaped(method: &str) -> (&str, Option<u64>) {
    let Some((method, shape)) = method.split_once(", ") else {
        return (method, None);
    };
    (method, shape.split(' ').find_map(|word| word.parse().ok()))
}

/// FNV hash by words, which any other order is very unlikely to have.
pub fn digest(keys: impl IntoIterator<Item = u64>, payload: impl IntoIterator<Item = u32>) -> u64 {
    let step = |hash: u64, word: u64| {
        (hash ^ word)
            .wrapping_mul(0x0000_0100_0000_01b3)
            .rotate_left(29)
    };
    let of_keys = keys.into_iter().fold(0xcbf2_9ce4_8422_2325, step);
    payload.into_iter().map(u64::from).fold(of_keys, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_tells_orders_apart() {
        let sorted = digest([1, 2, 2, 3], [3, 0, 1, 2]);
        assert_eq!(sorted, digest([1, 2, 2, 3], [3, 0, 1, 2]));
        for (keys, payload) in [
            ([2, 1, 2, 3], [3, 0, 1, 2]),
            ([1, 2, 2, 3], [3, 1, 0, 2]),
            ([1, 2, 2, 4], [3, 0, 1, 2]),
        ] {
            assert_ne!(sorted, digest(keys, payload), "{keys:?} {payload:?}");
        }
    }

    #[test]
    fn pairs_have_equal_keys_whose_order_shows() {
        let case = Case {
            problem: Problem::Sort,
            kind: Kind::Pairs,
            sizes: (100, None),
            path: false,
        };
        let Inputs::Pairs(keys, payload) = Inputs::of(&case) else {
            panic!("pairs")
        };
        assert!(keys[1] == keys[0] && keys.len() == payload.len());
    }
}
