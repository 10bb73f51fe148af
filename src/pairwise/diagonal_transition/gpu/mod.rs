//! Wavefronts on a GPU: all diagonals of a wavefront at once, and several wavefronts a dispatch.
//!
//! The search goes from both ends at once, until what is reached from one meets what is reached from the other, so that each direction
//! has half of the distance. It knows a bound, so that a wavefront has only the diagonals from which the last cell is still within it.
//! Every few wavefronts one is kept. The path goes back through those, from where it crosses the wavefronts that meet to either end:
//! from one that is kept, the host computes the wavefronts up to the next one again, on the few diagonals that the path can be on, and
//! walks.

mod choice;
mod cost;
mod meeting;
pub mod plan;
mod search;
mod side;
mod sizes;
mod solve;
mod trace;

pub(crate) use choice::Choice;
pub(crate) use sizes::SearchSizes;
pub(crate) use solve::solve;
