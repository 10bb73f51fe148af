//! Generated inputs, and the tasks that are made of them.

use swath::edit_distance::EditDistance;
use swath::parenthesization::MatrixChain;
use swath::sort::{RadixSort, Sorted};
use swath::unstable::measure::ceiling::Work;
use swath::unstable::measure::inputs::{dimensions, letters, words};
use swath::{Edit, Lcs, Parenthesize, Result, Scs, Substring, Task};

use crate::report::bench::{Case, Kind, Problem};

/// Greatest dimension of a matrix.
const GREATEST_DIMENSION: u64 = 1000;

/// Random letters of one alphabet, generated once for all cases that follow one another: shorter texts begin longer ones.
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

/// What a case is about.
pub enum Inputs<'a> {
    Texts(&'a [u8], &'a [u8]),
    Chain(MatrixChain),
    Keys(Vec<u32>),
    /// With the place of each key as its word, which tells whether a sort is stable.
    Pairs(Vec<u64>, Vec<u32>),
}

/// What is done with the task of a case.
pub trait Visitor {
    type Out;

    /// `found` looks at an answer.
    fn visit<T: Task>(self, task: &T, found: impl Fn(&T::Answer) -> Found) -> Result<Self::Out>;
}

/// What of an answer is looked at.
pub struct Found {
    /// One number that all methods have to agree on.
    pub answer: u64,
    /// What was done for it.
    pub work: Work,
}

impl<'a> Inputs<'a> {
    /// The same for a case everywhere.
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
                let answer = |found: &EditDistance| found.distance.exactly().unwrap_or(u64::MAX);
                visitor.visit(&task, |found| Found {
                    answer: answer(found),
                    work: Work::EditCells,
                })
            }
            (&Inputs::Texts(a, b), Problem::Scs) => {
                let task = Scs::of(a, b).method(method.parse()?).with_path(path);
                visitor.visit(&task, |found| Found {
                    answer: found.length,
                    work: Work::LcsCells,
                })
            }
            (&Inputs::Texts(a, b), Problem::Substring) => {
                // A random base would make calls differ.
                let task = Substring::of(a, b).method(method.parse()?).seed(1);
                visitor.visit(&task, |found| Found {
                    answer: found.length as u64,
                    work: Work::Windows,
                })
            }
            (&Inputs::Texts(a, b), _) => {
                let task = Lcs::of(a, b).method(method.parse()?).with_path(path);
                visitor.visit(&task, |found| Found {
                    answer: found.length,
                    work: Work::LcsCells,
                })
            }
            (Inputs::Chain(chain), _) => {
                let task = Parenthesize::of(chain).method(method.parse()?);
                visitor.visit(&task, |found| Found {
                    answer: found.cost,
                    work: Work::Splits(found.arithmetic.into()),
                })
            }
            (Inputs::Keys(keys), _) => {
                visitor.visit(&RadixSort::of(keys), |found: &Sorted<u32>| {
                    let answer = digest(found.keys.iter().map(|&key| u64::from(key)), []);
                    Found {
                        answer,
                        work: Work::Keys {
                            key_bytes: 4,
                            payload_bytes: 0,
                        },
                    }
                })
            }
            (Inputs::Pairs(keys, places), _) => visitor.visit(
                &RadixSort::of(keys).with_payload(places),
                |found: &Sorted<u64>| {
                    let answer = digest(found.keys.iter().copied(), found.payload.iter().copied());
                    Found {
                        answer,
                        work: Work::Keys {
                            key_bytes: 8,
                            payload_bytes: 4,
                        },
                    }
                },
            ),
        }
    }
}

/// A number that any other order of keys or words is very unlikely to have: the hash of Fowler, Noll and Vo, by words.
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
