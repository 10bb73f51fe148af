//! The answer.

/// The answer of [`RadixSort`](super::RadixSort).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Sorted<K> {
    /// The keys in order.
    pub keys: Vec<K>,
    /// The word of each key; empty where none were given.
    pub payload: Vec<u32>,
}
