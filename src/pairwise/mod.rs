//! Shared parts of problems with two sequences: codes, affixes, cost estimates, and table and
//! wavefront methods.

pub(crate) mod affixes;
pub mod bit_parallel;
pub mod blocks;
pub(crate) mod candidate;
pub mod codes;
pub(crate) mod cost_estimate;
pub(crate) mod course;
pub(crate) mod decision;
pub mod diagonal_transition;
pub(crate) mod equal;
pub(crate) mod pair;
pub(crate) mod problem;
pub(crate) mod reference_method;
pub(crate) mod related;
pub(crate) mod request;
mod rolling_hash;
pub(crate) mod similarity;
pub(crate) mod solve_pair;
pub(crate) mod tiny_pairs;
pub mod tuning;
pub(crate) mod typed;
mod wavefront_trial;
