//! Parenthesization: the best binary tree over a sequence, for matrix chains, polygons, search trees, RNA and problems of
//! your own.
//!
//! `C[i][j]` is the best over `i < k < j` of `C[i][k] + C[k][j] + w(i, k, j)`, a recurrence called nonserial polyadic:
//! O(n^3) steps, n the number of leaves. A [`Problem`] is its weight, in Rust and in WGSL; tables, methods, devices, trees
//! and certificates come with it. Only costs are stored: the splits of the best tree are found again from them.
//!
//! Source: Wu, Ke, Lin and Feng 2011, "Optimizing Dynamic Programming on Graphics Processing Units via Adaptive Thread-Level
//! Parallelism".

pub(crate) mod cpu;
mod found;
pub(crate) mod gpu;
pub(crate) mod hu_shing;
pub(crate) mod options;
mod problem;
mod problems;
pub(crate) mod reference;
mod selftest;
mod solve;
mod task;
mod trace;
mod tree;
mod value;

use crate::engine::names::named;
pub(crate) use gpu::Tuning;
pub(crate) use options::ParenthesizationOptions;
pub use problem::{Goal, Problem, Shader};
pub use problems::{MatrixChain, PointPolygon, RnaFold, SearchTree, WeightedPolygon};
pub(crate) use selftest::selftest;
pub(crate) use solve::{solve, summarize};
pub use task::{Parenthesization, Parenthesize};
pub use tree::{Node, Step, Tree};
pub use value::{Arithmetic, Precision, Value};

/// How to find the best tree.
///
/// ```
/// use swath::parenthesization::{MatrixChain, Method};
/// use swath::{Engine, Options, Parenthesize};
///
/// let chain = MatrixChain::new(vec![10, 100, 5, 50]);
/// let method: Method = "tiled".parse()?;
/// let report = Engine::new(Options::default())?.run(&Parenthesize::of(&chain).method(method))?;
/// assert_eq!((report.cost, report.run.method), (7_500, "tiled"));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// `HuShing` where it applies, else `Tiled`.
    #[default]
    Auto,
    /// O(n log n), for weights that are a product of three dimensions; CPU only.
    HuShing,
    /// Tiles of the table: products of finished tiles, then a closure; GPU and CPU.
    Tiled,
    /// The thread mapping of Wu et al., several lanes a range and several ranges a workgroup; GPU only.
    Adaptive,
    /// One lane a range, after Solomon and Thulasiraman; GPU only, the baseline.
    ThreadPerSubproblem,
    /// The plain table, the reference; CPU only.
    Reference,
}

impl Method {
    /// Every method, in the order of the documentation.
    pub const ALL: [Method; 6] = [
        Method::Auto,
        Method::HuShing,
        Method::Tiled,
        Method::Adaptive,
        Method::ThreadPerSubproblem,
        Method::Reference,
    ];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::HuShing => "hu-shing",
            Method::Tiled => "tiled",
            Method::Adaptive => "adaptive",
            Method::ThreadPerSubproblem => "thread-per-subproblem",
            Method::Reference => "reference",
        }
    }
}

named!(Method, "method");
named!(Arithmetic, "arithmetic");
named!(Goal, "goal");
named!(Precision, "precision");

/// What ran to get an answer. `cells` counts splits.
pub(crate) type Run = crate::engine::report::Run<Method>;

/// What a call would do. `cells` counts splits, `strips` are the rows of tiles.
pub(crate) type PlanSummary = crate::engine::report::PlanSummary<Method>;

/// What a call found, and what ran.
#[derive(Clone, Debug)]
pub(crate) struct Solved<V> {
    pub cost: V,
    /// A tree of that cost.
    pub tree: Tree,
    /// What the tree `((0 1) 2) 3` costs; `None` where that does not fit.
    pub in_order: Option<V>,
    /// What the table was computed with.
    pub arithmetic: Arithmetic,
    /// What ran.
    pub run: Run,
}

/// Splits of a table: `(n^3 - n) / 6`.
pub(crate) fn splits(leaves: usize) -> u128 {
    let n = leaves as u128;
    n * (n * n).saturating_sub(1) / 6
}

/// Splits, padding included, that tiles at this distance from the diagonal have in all: those between their own two, and one
/// tile's worth in these.
pub(crate) fn splits_of_tiles(tiles: usize, distance: usize, tile: usize) -> u64 {
    let products = (tiles - distance) as u64 * distance.max(1) as u64;
    products * (tile as u64).pow(3)
}
