//! Searches within a bound of the cost: what all methods for similar inputs are asked, and what they prove.

use crate::blocks::Blocks;
use crate::control::Control;
use crate::strips::gpu::tiling::Tuning;

/// What is asked of a search, in costs: a step off a diagonal costs one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    /// What the answer probably costs at most; without a guess there are only searches that are asked for.
    pub guess: Option<u64>,
    /// The greatest cost of interest.
    pub most: u64,
    /// Whether the method is asked for, and not only taken where it is cheaper than the whole table.
    pub forced: bool,
    /// Whether the path is asked for.
    pub path: bool,
    pub tuning: Tuning,
    pub control: &'a Control,
}

impl<'a> Ask<'a> {
    /// Any cost, without a path and a guess.
    pub fn of_all(control: &'a Control) -> Self {
        Self { guess: None, most: u64::MAX, forced: false, path: false, tuning: Tuning::default(), control }
    }
}

/// What a search proves.
#[derive(Clone, Debug)]
pub(crate) struct Bounded {
    /// The least cost, or `None` where it is greater than was asked for.
    pub cost: Option<u64>,
    pub path: Option<Blocks>,
    pub path_mode: &'static str,
    pub device: String,
    pub computed_cells: u128,
}
