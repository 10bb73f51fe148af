//! Places, and which ones are searched.

use crate::names::named;
use crate::substring::Strand;

/// A piece of a text near a pattern.
///
/// Ordered by text, start, end, pattern and strand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Place {
    /// Position of the text in its list.
    pub text: u32,
    /// First symbol of the piece in the text, from 0.
    pub start: u64,
    /// End of the piece in the text, excluded.
    pub end: u64,
    /// Position of the pattern in its list.
    pub pattern: u32,
    /// Strand of the pattern that matches the text as given.
    pub strand: Strand,
    /// Edit distance of the pattern, on this strand, to the piece, and the cost of symbols that
    /// stick out.
    pub cost: u32,
    /// Symbols of the pattern, along the text, that lie before its start; 0 without an
    /// [overhang](super::Search::overhang).
    pub before: u32,
    /// Symbols of the pattern that lie behind the end of the text.
    pub after: u32,
}

/// The rule that selects places among the ends of a pattern.
///
/// ```
/// use swath::search::Choice;
///
/// assert_eq!("best".parse::<Choice>().ok(), Some(Choice::Best));
/// assert_eq!(Choice::default().to_string(), "minima");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Choice {
    /// Every end within the bound.
    Ends,
    /// Local minima: one place for each occurrence.
    #[default]
    Minima,
    /// The local minima of least cost of each pattern in each text, of both strands together.
    Best,
}

named! {
    Choice, "choice of places",
    Ends = "ends",
    Minima = "minima",
    Best = "best",
}

/// Strands of the patterns that are searched.
///
/// ```
/// use swath::search::Strands;
///
/// assert_eq!("both".parse::<Strands>().ok(), Some(Strands::Both));
/// assert_eq!(Strands::default().to_string(), "forward");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strands {
    /// The patterns as given.
    #[default]
    Forward,
    /// Their reverse complements.
    Reverse,
    /// Both.
    Both,
}

impl Strands {
    /// The strands, forward first.
    pub(super) fn all(self) -> &'static [Strand] {
        match self {
            Strands::Forward => &Strand::ALL[..1],
            Strands::Reverse => &Strand::ALL[1..],
            Strands::Both => &Strand::ALL,
        }
    }
}

named! {
    Strands, "strands",
    Forward = "forward",
    Reverse = "reverse",
    Both = "both",
}

/// Part of each pattern that matches without an edit: a number of its symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exact {
    /// The first symbols.
    Head(usize),
    /// The last symbols.
    Tail(usize),
}
