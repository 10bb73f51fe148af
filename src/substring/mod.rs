//! Longest common substring, and all maximal matches.
//!
//! A substring is a run of consecutive symbols. The search for the longest common one looks for its
//! length `L`: if a substring of `L` symbols occurs in at least `k` inputs, so does its prefix of
//! `L - 1` symbols. The lengths that occur are therefore all lengths up to the answer.
//!
//! The task [`Substring`] finds the longest common substrings, the task [`Matches`] all maximal
//! matches.
//!
//! Source: Gusfield, "Algorithms on Strings, Trees, and Sequences" (1997), chapters 7.4 and 7.6,
//! doi:10.1017/CBO9780511574931.

mod answer;
mod certificate;
pub(crate) mod dna;
#[allow(missing_docs)] // Reachable through `unstable` only.
pub(crate) mod gpu;
pub(crate) mod inputs;
pub(crate) mod longest;
pub(crate) mod matches;
pub(crate) mod options;
mod pattern;
mod place;
#[allow(missing_docs)] // Reachable through `unstable` only.
pub(crate) mod query;
#[allow(missing_docs)] // Reachable through `unstable` only.
pub(crate) mod reference;
#[allow(missing_docs)] // Reachable through `unstable` only.
pub(crate) mod search;
mod selftest;
mod solve;
pub(crate) mod suffix_array;
mod suffix_sort;
mod task;
#[allow(missing_docs)] // Reachable through `unstable` only.
pub(crate) mod texts;
mod ways;

use crate::names::named;
pub use answer::{CommonSubstring, MaximalMatch, MaximalMatches, Occurrences};
pub use matches::Matches;
pub use options::SubstringOptions;
pub use place::{Place, Strand};
pub(crate) use selftest::selftest;
pub use task::Substring;

/// Algorithm of a substring search.
///
/// ```
/// use swath::substring::Method;
/// use swath::{Engine, Options, Substring};
///
/// let method: Method = "suffix-array".parse()?;
/// let task = Substring::of(b"xxABCyy", b"zABCz").method(method);
/// let report = Engine::new(Options::default())?.run(&task)?;
/// assert_eq!((report.length, report.run.method), (3, "suffix-array"));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The fastest method for these inputs and this device.
    #[default]
    Auto,
    /// Filters the windows of one length with bitmaps of their keys, length by length.
    Cascade,
    /// Sorts the hashes of all windows of one length and compares neighbours, length by length.
    SortAndScan,
    /// Suffix array with LCP array of all inputs; CPU only.
    SuffixArray,
    /// All maximal matches: finds blocks of one input in the other and extends them; CPU only.
    Anchors,
    /// The plain quadratic table; CPU only.
    Reference,
}

named! {
    Method, "method",
    Auto = "auto",
    Cascade = "cascade",
    SortAndScan = "sort-and-scan",
    SuffixArray = "suffix-array",
    Anchors = "anchors",
    Reference = "reference",
}
