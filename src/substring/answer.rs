//! Answers of the tasks.

use super::place::Place;

/// The answer of [`Substring`](super::Substring).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CommonSubstring {
    /// Length of the longest common substring.
    pub length: usize,
    /// All distinct substrings of this length that occur in enough inputs, ordered by first place;
    /// empty if the length is 0. When both strands are searched, a substring and its reverse
    /// complement count as one, read on the strand of its first place.
    pub substrings: Vec<Occurrences>,
}

/// The places of one substring; [`Substring`](crate::Substring) has an example.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Occurrences {
    /// All places in all inputs, sorted and verified. A substring that equals its own reverse
    /// complement is reported on the forward strand only.
    pub places: Vec<Place>,
}

/// The answer of [`Matches`](super::Matches).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MaximalMatches {
    /// All matches, verified and sorted.
    pub matches: Vec<MaximalMatch>,
}

/// A pair of equal runs in two inputs; [`Matches`](super::Matches) has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MaximalMatch {
    /// The run in the earlier input, always on the forward strand.
    pub a: Place,
    /// The run in the later input.
    pub b: Place,
    /// Length of both runs, in symbols.
    pub length: usize,
}
