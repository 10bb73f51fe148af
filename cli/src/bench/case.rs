//! Cases of the benchmark: problems, sizes, generated inputs, and the tasks that are made of them.

use clap::ValueEnum;
use serde::Deserialize;
use swath::parenthesization::MatrixChain;
use swath::sort::RadixSort;
use swath::unstable::measure::ceiling::Work;
use swath::unstable::measure::inputs::{dimensions, letters, words};
use swath::{Edit, Lcs, Parenthesize, Result, Scs, Substring, Task};

use super::papers;

/// A problem to measure.
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
    /// The word that selects it.
    pub fn name(self) -> &'static str {
        self.words().0
    }

    /// Heading in tables.
    pub fn title(self) -> &'static str {
        self.words().1
    }

    /// Unit of work.
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

    /// The methods that others are compared with: those of the papers; sorts with that of the CPU.
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

/// Kind of generated inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Kind {
    /// Random letters of an alphabet of this size.
    Letters(u64),
    /// Random dimensions of matrices.
    Dimensions,
    /// Random keys of 32 bits.
    Keys,
    /// Random keys of 64 bits with a word each.
    Pairs,
}

impl Kind {
    /// As tables and plots are headed.
    pub fn name(self) -> String {
        match self {
            Kind::Letters(letters) => format!("{letters} letters"),
            Kind::Dimensions => "random dimensions".to_string(),
            Kind::Keys => "u32 keys".to_string(),
            Kind::Pairs => "u64 keys with a word each".to_string(),
        }
    }
}

/// Of both inputs, or of the only one.
pub type Sizes = (usize, Option<usize>);

/// One input of one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub problem: Problem,
    pub kind: Kind,
    pub sizes: Sizes,
    /// Whether the witness is computed too.
    pub path: bool,
}

impl Case {
    /// The sizes: `1000 x 1000`.
    pub fn size(&self) -> String {
        let (first, second) = self.sizes;
        second.map_or_else(|| first.to_string(), |second| format!("{first} x {second}"))
    }

    /// One number for plots: the geometric mean of both sizes.
    pub fn extent(&self) -> f64 {
        let (first, second) = self.sizes;
        (first as f64 * second.unwrap_or(first) as f64).sqrt()
    }
}

/// Fewest symbols, matrices or keys of a case.
const LEAST: usize = 8;

/// Sizes of a problem, from small to large: of a quick look, and more of a long one.
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

/// Kinds of inputs of a problem.
const fn kinds(problem: Problem) -> &'static [Kind] {
    match problem {
        Problem::Lcs | Problem::Edit | Problem::Scs | Problem::Substring => {
            &[Kind::Letters(4), Kind::Letters(26)]
        }
        Problem::Chain => &[Kind::Dimensions],
        Problem::Sort => &[Kind::Keys, Kind::Pairs],
    }
}

/// The cases of a problem, with every size divided by `shrink`.
pub fn of_problem(problem: Problem, quick: bool, shrink: u32) -> Vec<Case> {
    let mut cases = Vec::new();
    for &kind in kinds(problem) {
        for full in sizes(problem, quick) {
            let size = (full / shrink as usize).max(LEAST);
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

/// The cases of its paper's tables, each once; none where it has no paper.
pub fn of_paper(problem: Problem) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for table in papers::tables(problem) {
        for case in table.cases(problem) {
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
    }
    cases
}

/// The methods to ask for: the default one, and all that give the exact answer of two inputs.
pub fn methods(problem: Problem) -> Vec<&'static str> {
    use swath::{edit_distance, lcs, parenthesization, substring, supersequence};
    let mut methods = match problem {
        Problem::Lcs => lcs::Method::ALL.map(lcs::Method::name).to_vec(),
        Problem::Edit => edit_distance::Method::ALL
            .map(|method| method.name())
            .to_vec(),
        Problem::Scs => supersequence::Method::ALL
            .map(|method| method.name())
            .to_vec(),
        Problem::Chain => parenthesization::Method::ALL
            .map(|method| method.name())
            .to_vec(),
        Problem::Substring => substring::Method::ALL.map(|method| method.name()).to_vec(),
        Problem::Sort => vec![DEFAULT],
    };
    methods.retain(|method| !OF_SEVERAL.contains(method));
    methods
}

/// The methods of a paper's tables, after the default one.
pub fn methods_of_paper(problem: Problem) -> Vec<&'static str> {
    let mut methods = vec![DEFAULT];
    let tables = papers::tables(problem);
    for &method in tables.flat_map(|table| &table.methods) {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    methods
}

/// Methods that the CPU answers, whatever the device.
pub const NATIVE: [&str; 3] = ["reference", "hu-shing", "suffix-array"];

/// Methods for supersequences of more than two inputs.
const OF_SEVERAL: [&str; 3] = ["k-dimensional", "merge-tree", "majority-merge"];

/// The method that a problem takes by default.
pub const DEFAULT: &str = "auto";

/// Greatest dimension of a matrix.
const GREATEST_DIMENSION: u64 = 1000;

/// Random letters of one alphabet, generated once for all cases that follow one another: shorter
/// texts begin longer ones.
#[derive(Default)]
pub struct Texts {
    letters: u64,
    kept: [Vec<u8>; 2],
}

impl Texts {
    /// Two texts of these lengths.
    fn of(&mut self, symbols: u64, lengths: [usize; 2]) -> [&[u8]; 2] {
        if self.letters != symbols {
            *self = Self {
                letters: symbols,
                ..Self::default()
            };
        }
        for (seed, (kept, length)) in (1..).zip(self.kept.iter_mut().zip(lengths)) {
            if kept.len() < length {
                *kept = letters(length, symbols, seed);
            }
        }
        let [a, b] = &self.kept;
        [&a[..lengths[0]], &b[..lengths[1]]]
    }
}

/// Inputs of a case.
pub enum Inputs<'a> {
    Texts(&'a [u8], &'a [u8]),
    Chain(MatrixChain),
    Keys(Vec<u32>),
    /// With the place of each key as its word, which tells whether a sort is stable.
    Pairs(Vec<u64>, Vec<u32>),
}

/// Operation on the task of a case.
pub trait Visitor {
    type Out;

    /// `found` looks at an answer.
    fn visit<T: Task>(self, task: &T, found: impl Fn(&T::Answer) -> Found) -> Result<Self::Out>;
}

/// One number of an answer that all methods have to agree on, and what was done for it.
pub type Found = (u64, Work);

impl<'a> Inputs<'a> {
    /// Generates the inputs of a case, the same on every machine.
    pub fn of(case: &Case, texts: &'a mut Texts) -> Self {
        let (first, second) = case.sizes;
        match case.kind {
            Kind::Letters(symbols) => {
                let [a, b] = texts.of(symbols, [first, second.unwrap_or(first)]);
                Inputs::Texts(a, b)
            }
            Kind::Dimensions => {
                Inputs::Chain(MatrixChain::new(dimensions(first, GREATEST_DIMENSION, 1)))
            }
            Kind::Keys => Inputs::Keys(words(first, 1)),
            Kind::Pairs => {
                let wide = |words: &[u32]| u64::from(words[0]) << 32 | u64::from(words[1]);
                // Every eighth key is the one before, so that a sort that is not stable is noticed.
                let mut keys: Vec<u64> = words(2 * first, 1).chunks_exact(2).map(wide).collect();
                (1..keys.len())
                    .step_by(8)
                    .for_each(|place| keys[place] = keys[place - 1]);
                let places = (0..u32::try_from(first).unwrap_or(u32::MAX)).collect();
                Inputs::Pairs(keys, places)
            }
        }
    }

    /// The answer, where a few lines of the standard library give it.
    pub fn known_answer(&self) -> Option<u64> {
        match self {
            Inputs::Keys(keys) => {
                let mut sorted = keys.clone();
                sorted.sort_unstable();
                Some(digest(sorted.into_iter().map(u64::from), []))
            }
            Inputs::Pairs(keys, places) => {
                let mut sorted = places.clone();
                sorted.sort_by_key(|&place| keys[place as usize]);
                Some(digest(
                    sorted.iter().map(|&place| keys[place as usize]),
                    sorted.iter().copied(),
                ))
            }
            Inputs::Texts(..) | Inputs::Chain(_) => None,
        }
    }

    /// Makes the task of a case by this method.
    ///
    /// # Errors
    /// Those of the visitor.
    pub fn visited<V: Visitor>(&self, case: &Case, method: &str, visitor: V) -> Result<V::Out> {
        let path = case.path;
        match (self, case.problem) {
            (&Inputs::Texts(a, b), Problem::Edit) => {
                let task = Edit::of(a, b).method(method.parse()?).with_path(path);
                visitor.visit(&task, |found| {
                    (
                        found.distance.exactly().unwrap_or(u64::MAX),
                        Work::EditCells,
                    )
                })
            }
            (&Inputs::Texts(a, b), Problem::Scs) => {
                let task = Scs::of(a, b).method(method.parse()?).with_path(path);
                visitor.visit(&task, |found| (found.length, Work::LcsCells))
            }
            (&Inputs::Texts(a, b), Problem::Substring) => {
                // A random base would make calls differ.
                let task = Substring::of(a, b).method(method.parse()?).seed(1);
                visitor.visit(&task, |found| (found.length as u64, Work::Windows))
            }
            (&Inputs::Texts(a, b), _) => {
                let task = Lcs::of(a, b).method(method.parse()?).with_path(path);
                visitor.visit(&task, |found| (found.length, Work::LcsCells))
            }
            (Inputs::Chain(chain), _) => {
                let task = Parenthesize::of(chain).method(method.parse()?);
                visitor.visit(&task, |found| {
                    (found.cost, Work::Splits(found.arithmetic.into()))
                })
            }
            (Inputs::Keys(keys), _) => visitor.visit(&RadixSort::of(keys), |found| {
                let keys = found.keys.iter().map(|&key| u64::from(key));
                (digest(keys, []), keys_work(4, 0))
            }),
            (Inputs::Pairs(keys, places), _) => {
                let task = RadixSort::of(keys).with_payload(places);
                visitor.visit(&task, |found| {
                    let (keys, places) = (found.keys.iter(), found.payload.iter());
                    (digest(keys.copied(), places.copied()), keys_work(8, 4))
                })
            }
        }
    }
}

fn keys_work(key_bytes: u32, payload_bytes: u32) -> Work {
    Work::Keys {
        key_bytes,
        payload_bytes,
    }
}

/// A number that any other order of keys or words is very unlikely to have: the hash of Fowler,
/// Noll and Vo, by words.
fn digest(keys: impl IntoIterator<Item = u64>, places: impl IntoIterator<Item = u32>) -> u64 {
    let step = |hash: u64, word: u64| {
        (hash ^ word)
            .wrapping_mul(0x0000_0100_0000_01b3)
            .rotate_left(29)
    };
    let of_keys = keys.into_iter().fold(0xcbf2_9ce4_8422_2325, step);
    places.into_iter().map(u64::from).fold(of_keys, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_tells_orders_apart() {
        let sorted = digest([1, 2, 2, 3], [3, 0, 1, 2]);
        assert_eq!(sorted, digest([1, 2, 2, 3], [3, 0, 1, 2]));
        for (keys, places) in [
            ([2, 1, 2, 3], [3, 0, 1, 2]),
            ([1, 2, 2, 3], [3, 1, 0, 2]),
            ([1, 2, 2, 4], [3, 0, 1, 2]),
        ] {
            assert_ne!(sorted, digest(keys, places), "{keys:?} {places:?}");
        }
    }

    #[test]
    fn texts_are_those_of_their_seed_and_length_whatever_came_before() {
        let mut texts = Texts::default();
        for (symbols, lengths) in [(4, [50, 20]), (4, [30, 40]), (26, [10, 10]), (4, [0, 60])] {
            let fresh = [
                letters(lengths[0], symbols, 1),
                letters(lengths[1], symbols, 2),
            ];
            assert_eq!(
                texts.of(symbols, lengths),
                [&fresh[0][..], &fresh[1]],
                "{symbols} {lengths:?}"
            );
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
        let mut texts = Texts::default();
        let Inputs::Pairs(keys, places) = Inputs::of(&case, &mut texts) else {
            panic!("pairs")
        };
        assert!(keys[1] == keys[0] && keys.len() == places.len());
    }
}
