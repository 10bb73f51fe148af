//! What is found.

use super::place::Place;

/// The answer of [`Substring`](super::Substring).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CommonSubstring {
    /// Length of the longest common substring.
    pub length: usize,
    /// All distinct substrings of this length that are in enough inputs, in the order of their first places; none where the
    /// length is 0. With both strands a substring and its reverse complement are one, read as its first place has it.
    pub substrings: Vec<Occurrences>,
}

/// Where one substring stands.
///
/// An example is with [`Substring`](crate::Substring).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Occurrences {
    /// All its places in all inputs, in order and proven. One that is its own reverse complement is on the forward strand.
    pub places: Vec<Place>,
}

/// The answer of [`Matches`](super::Matches).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MaximalMatches {
    /// All of them, proven, in the order of their places.
    pub matches: Vec<MaximalMatch>,
}

/// Equal runs in two inputs.
///
/// An example is with [`Matches`](super::Matches).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MaximalMatch {
    /// The run in one input, always on the forward strand.
    pub a: Place,
    /// The run in an input behind that one.
    pub b: Place,
    /// Symbols of both.
    pub length: usize,
}
