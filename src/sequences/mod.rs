//! Shared parts of problems with two sequences: codes, affixes, cost estimates, and table and
//! wavefront methods.

pub(crate) mod affixes;
pub mod bit_parallel;
pub mod blocks;
pub mod codes;
pub(crate) mod cost_estimate;
pub(crate) mod course;
pub mod diagonal_transition;
pub(crate) mod equal;
pub(crate) mod letters;
pub(crate) mod pair;
pub(crate) mod problem;
pub(crate) mod query;
pub(crate) mod reference_method;
pub(crate) mod request;
pub(crate) mod similarity;
pub(crate) mod stripped;
pub(crate) mod tiny;
pub mod tuning;
pub(crate) mod typed;
pub(crate) mod ways;
