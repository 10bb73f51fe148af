//! Wavefronts on a GPU: all diagonals in parallel, several wavefronts per dispatch.
//!
//! The search runs from both ends until the two directions meet, so each covers half the distance.
//! It has a bound: a wavefront keeps only the diagonals from which the last cell is within the
//! bound. Some wavefronts are stored at regular distances. The traceback starts where the path
//! crosses the meeting wavefronts and goes to both ends. From each stored wavefront the host
//! recomputes the ones up to the next, on the few diagonals that the path can cross.

mod choice;
mod cost;
mod increasing_bounds;
mod meeting;
pub mod plan;
mod search;
mod side;
mod sizes;
mod trace;

pub(crate) use choice::SearchChoice;
pub(crate) use increasing_bounds::solve;
