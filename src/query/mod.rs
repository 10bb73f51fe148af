//! Queries: tasks whose symbols have a type that is known at run time, for bindings to other
//! languages.
//!
//! [`Symbols`] are bytes, numbers of 32 bits or [`Letter`](crate::matching::Letter)s; a
//! [`StringList`] is a list of strings of them in Arrow's layout. Each problem has a query, which an
//! [`Engine`] runs as the task of the same name: [`Edit`], [`Lcs`], [`Pairs`] and so on. [`Query`] is
//! any of them, and [`Answer`] its answer.
//!
//! ```
//! use swath::query::{Answer, Edit, Pair, Query, Symbols};
//! use swath::{Engine, Options};
//!
//! let engine = Engine::new(Options::default())?;
//! let bytes = Symbols::Bytes(b"GATTACA".into());
//! let numbers = Symbols::Numbers("GÄTTACA".chars().map(u32::from).collect());
//! let mut query = Edit::from(Pair::of_symbols(bytes, numbers)?);
//! query.options.path = true;
//! let report = engine.run(&query)?;
//! let alignment = report.alignment.as_ref().expect("it was asked for");
//! assert_eq!(query.pair.cigar_extended(alignment)?, "1=1X5=");
//!
//! let report = engine.run(&Query::from(query))?;
//! assert!(matches!(report.answer, Answer::Edit(found) if found.distance.exactly() == Some(1)));
//! # Ok::<(), swath::Error>(())
//! ```

pub mod edlib;
mod lists;
mod sequences;

use crate::call::control::Control;
use crate::edit_distance::{Alignment, EditDistance};
pub use crate::engine::task::ForEach;
use crate::engine::task::{Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;
use crate::lcs::CommonSubsequence;
use crate::neighbors::{ClusterList, NeighborList};
use crate::orientation::{Orient, Orientations};
use crate::pairs::{Kept, PairValues, PairsDone};
use crate::parenthesization::{MatrixChain, Parenthesization, Parenthesize, RnaFold};
use crate::search::PlaceList;
pub use crate::sequences::typed::{Symbols, Two as Pair, Typed};
use crate::substring::{CommonSubstring, MaximalMatches};
use crate::supersequence::CommonSupersequence;
pub use lists::{Alignments, Clusters, KeptSink, Neighbors, Pairs, Search, StringList, ValueSink};
pub use sequences::{Edit, Lcs, Matches, Scs, Substring};

/// [`Query`] and [`Answer`]: a variant for each problem.
macro_rules! queries {
    ($($(#[doc = $text:literal])* $problem:ident($query:ty) -> $answer:ty,)*) => {
        /// A query of any problem, of which an [`Engine`] gives the [`Answer`].
        #[must_use = "an engine runs it"]
        #[non_exhaustive]
        pub enum Query<'a> {
            $($(#[doc = $text])* $problem($query),)*
        }

        /// Answer of a [`Query`].
        #[derive(Clone, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        #[non_exhaustive]
        pub enum Answer {
            $($(#[doc = $text])* $problem($answer),)*
        }

        $(impl<'a> From<$query> for Query<'a> {
            fn from(query: $query) -> Self {
                Self::$problem(query)
            }
        })*

        impl Sealed for Query<'_> {}

        impl Task for Query<'_> {
            type Answer = Answer;

            async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<Answer>> {
                match self {
                    $(Self::$problem(query) => {
                        query.solve(engine, control).await.map(|report| report.map(Answer::$problem))
                    })*
                }
            }

            fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
                match self {
                    $(Self::$problem(query) => query.decide(engine),)*
                }
            }
        }
    };
}

queries! {
    /// Edit distance.
    Edit(Edit<'a>) -> EditDistance,
    /// Longest common subsequence.
    Lcs(Lcs<'a>) -> CommonSubsequence,
    /// Shortest common supersequence.
    Scs(Scs<'a>) -> CommonSupersequence,
    /// Longest common substrings.
    Substring(Substring<'a>) -> CommonSubstring,
    /// Maximal matches.
    Matches(Matches<'a>) -> MaximalMatches,
    /// Values of many pairs.
    Pairs(Pairs<'a>) -> PairValues,
    /// Values of many pairs, block by block.
    ForEach(ForEach<Pairs<'a>, ValueSink<'a>>) -> PairsDone,
    /// Values of the pairs within a bound, block by block.
    ForEachKept(ForEach<Kept<Pairs<'a>>, KeptSink<'a>>) -> PairsDone,
    /// Alignments of many pairs.
    Alignments(Alignments<'a>) -> Vec<Alignment>,
    /// Pairs within a distance.
    Neighbors(Neighbors<'a>) -> NeighborList,
    /// Places of patterns in texts.
    Search(Search<'a>) -> PlaceList,
    /// Clusters of similar strings.
    Clusters(Clusters<'a>) -> ClusterList,
    /// Strand, origin and partners of records.
    Orient(Orient<'a>) -> Orientations,
    /// Order of the products of a chain of matrices.
    MatrixChain(Parenthesize<MatrixChain>) -> Parenthesization<u64>,
    /// Secondary structure of RNA.
    RnaFold(Parenthesize<RnaFold>) -> Parenthesization<u64>,
}
