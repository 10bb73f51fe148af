//! What is asked about two sequences, by which strategy it is answered, and what comes of it.

use crate::call::control::Control;
use crate::pairwise::blocks::Blocks;
use crate::pairwise::guess::Guess;
use crate::pairwise::tuning::Tuning;

/// How an answer is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// By what is expected to be fastest.
    Auto,
    /// By the strip sweep of the whole table.
    Sweep,
    /// By bands of the table.
    Bands,
    /// By wavefronts of furthest-reaching points.
    Wavefronts,
    /// By a baseline of the problem's own, of this name.
    Baseline(&'static str),
    /// By the reference table.
    Reference,
}

/// What is asked, in costs: a step off a diagonal costs one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    /// What is asked for, or [`Strategy::Auto`].
    pub by: Strategy,
    /// What the answer probably costs; without a guess there are only searches that are asked for.
    pub guess: Option<Guess>,
    /// The greatest cost of interest.
    pub most: u64,
    /// Whether the path is asked for.
    pub path: bool,
    pub tuning: Tuning,
    pub control: &'a Control,
}

impl<'a> Request<'a> {
    /// Any cost, without a path and a guess.
    pub(crate) fn of_all(by: Strategy, control: &'a Control) -> Self {
        Self {
            by,
            guess: None,
            most: u64::MAX,
            path: false,
            tuning: Tuning::default(),
            control,
        }
    }

    /// Whether the strategy is asked for, and not only taken where it is cheaper than another.
    pub(crate) fn forced(&self) -> bool {
        self.by != Strategy::Auto
    }
}

/// What was found, and how.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Never [`Strategy::Auto`].
    pub by: Strategy,
    /// The least cost, or `None` where it is greater than was asked for.
    pub cost: Option<u64>,
    pub path: Option<Blocks>,
    pub path_mode: &'static str,
    pub device: String,
    pub computed_cells: u128,
}
