//! Search: all places of patterns in texts within a number of edits.
//!
//! # Ends
//!
//! For a pattern `P` and a text `T` of `n` symbols, `D[j]` is the least edit distance of `P` to a
//! piece of `T` that ends before position `j`, for `j` from 0 (the empty piece) to `n`: the last row
//! of the table whose first row is 0 (Sellers 1980, doi:10.1016/0196-6774(80)90016-4). An *end
//! within k* is a `j` with `D[j] <= k`. Neighbouring values differ by at most 1, so that an
//! occurrence with cost 1 within 3 edits has five ends:
//!
//! ```text
//!   P = ACGTAC, k = 2        T   T  T  A  C  G  A  A  C  T  T
//!                        D   6  6  6  5  4  3  3  2  1  2  3
//!                                                 .  |  .       . an end   | a place
//! ```
//!
//! # Places
//!
//! A *place* is a local minimum of `D` within k: a maximal run `i..=j` of equal values, at most k,
//! with a greater value, or none, on either side. It ends at `j`, the last end of the run. It starts
//! where the longest piece starts that ends there at that cost. Both rules prefer the longer piece.
//! Places may overlap, and those of different patterns are independent of each other.
//!
//! On the reverse strand the rules are those of the reverse complement of the text: the search reads
//! the text from its end, with the complement of the pattern. There a place *starts* at the first
//! symbol of its run, and of the pieces that start there it is the longest. Positions are those of
//! the text as given, and alignments run along the text, with the reverse complement of the pattern.
//!
//! [`Choice::Ends`] makes a place of every end, and [`Choice::Best`] keeps only the places of least
//! cost of a pattern in a text, of both strands together.
//!
//! # Exact parts
//!
//! With [`Exact::Tail`] the last symbols of the pattern match the text exactly: `D` is that of the
//! symbols before them, and is infinite where these are not followed by the exact ones.
//! [`Exact::Head`] is the mirror image: the search runs from the other end, and places are local
//! minima of the starts. A [motif](Search::motif) has to follow the place and is not a part of it.
//!
//! # Restricted alignments
//!
//! With [`max_substitutions`](Search::max_substitutions) and [`max_gaps`](Search::max_gaps), `D[j]` is
//! the least cost of the alignments that keep both bounds; without gaps it is a Hamming distance, and
//! every end is a place.
//!
//! With an [`overhang`](Search::overhang) of cost `c` the pattern may stick out of the text: `o` of its
//! symbols before the first or behind the last symbol of the text cost `o * c`, rounded down, and the
//! piece ends, or starts, where the text does. `D[0]` is infinite then: a piece has a symbol at least.
//! Of the alignments of a piece, that with the fewest edits counts, of these that with the fewest
//! symbols outside. Nothing sticks out on the side of exact parts.

pub(crate) mod batch;
mod choosing;
mod column;
mod filter;
pub(crate) mod gpu;
mod locate;
mod many;
mod minima;
pub(crate) mod nearest;
mod ops;
mod options;
mod patterns;
mod place;
mod plans;
mod request;
mod restricted;
mod run;
pub(crate) mod selftest;
mod solve;
pub(crate) mod starts;
mod sweeps;
mod task;
#[cfg(test)]
mod tests;
pub(crate) mod words;

pub use options::SearchOptions;
pub use place::{Choice, Exact, Place, Strands};
pub use run::SearchDone;
pub(crate) use selftest::selftest;
pub use task::{ForEach, PlaceBlock, PlaceList, Search};
