//! Longest common substring, and all maximal matches.
//!
//! A substring is a run of consecutive symbols. The longest one that several inputs have is looked for by its length `L`: where some
//! substring of `L` symbols is in at least `k` inputs, so is its prefix of `L - 1`, and the greatest such `L` is the answer.
//!
//! The task [`Substring`] asks for it, and [`Matches`] for all maximal matches; both have an example.
//!
//! Source: Gusfield, "Algorithms on Strings, Trees, and Sequences" (1997), chapters 7.4 and 7.6, doi:10.1017/CBO9780511574931.

mod answer;
mod certificate;
mod decision;
mod dna;
pub(crate) mod gpu;
mod inputs;
pub(crate) mod matches;
mod memory;
pub(crate) mod options;
mod pattern;
mod place;
pub(crate) mod question;
pub(crate) mod reference;
pub(crate) mod search;
mod selftest;
mod solve;
pub(crate) mod suffix_array;
mod suffix_sort;
mod summary;
mod task;
pub(crate) mod texts;

use crate::engine::names::named;
pub use answer::{CommonSubstring, MaximalMatch, MaximalMatches, Occurrences};
pub use matches::Matches;
pub(crate) use options::SubstringOptions;
pub use place::{Place, Strand};
pub(crate) use selftest::selftest;
pub use task::Substring;

/// How to find common substrings.
///
/// ```
/// use swath::substring::Method;
/// use swath::{Engine, Options, Substring};
///
/// let method: Method = "suffix-array".parse()?;
/// let report = Engine::new(Options::default())?.run(&Substring::of(b"xxABCyy", b"zABCz").method(method))?;
/// assert_eq!((report.length, report.run.method), (3, "suffix-array"));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The fastest that is right for these inputs and this device.
    #[default]
    Auto,
    /// Windows of one length that may be in enough inputs, filtered by bitmaps of their keys; length after length.
    Cascade,
    /// The hashes of all windows of one length sorted, and neighbours compared; length after length.
    SortAndScan,
    /// The suffix array of all inputs and the lengths of common prefixes in it; CPU only.
    SuffixArray,
    /// All maximal matches: blocks of one input are looked for in the other, and what is found is extended; CPU only.
    Anchors,
    /// The plain table, the reference; CPU only.
    Reference,
}

impl Method {
    /// Every method, in the order of the documentation.
    pub const ALL: [Method; 6] = [
        Method::Auto,
        Method::Cascade,
        Method::SortAndScan,
        Method::SuffixArray,
        Method::Anchors,
        Method::Reference,
    ];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Cascade => "cascade",
            Method::SortAndScan => "sort-and-scan",
            Method::SuffixArray => "suffix-array",
            Method::Anchors => "anchors",
            Method::Reference => "reference",
        }
    }
}

named!(Method, "method");

/// What ran to get an answer.
pub(crate) type Run = crate::engine::report::Run<Method>;

/// What a call would do.
pub(crate) type PlanSummary = crate::engine::report::PlanSummary<Method>;
