/// Answer of [`RadixSort`](super::RadixSort).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Sorted<K> {
    /// The keys in ascending order.
    pub keys: Vec<K>,
    /// The payload of each key; empty if none was given.
    pub payload: Vec<u32>,
}
