//! Parenthesization: optimal binary trees over a sequence, for matrix chains, polygons, search
//! trees, RNA and user-defined problems.
//!
//! `C[i][j]` is the best over `i < k < j` of `C[i][k] + C[k][j] + w(i, k, j)`, a nonserial polyadic
//! recurrence with O(n^3) splits for n leaves. A [`Problem`] defines its weights in Rust and WGSL;
//! tables, methods, devices, traceback and certificates are shared. Only costs are stored: the
//! traceback recomputes the splits of the optimal tree.
//!
//! Source: Wu, Ke, Lin and Feng 2011, "Optimizing Dynamic Programming on Graphics Processing Units
//! via Adaptive Thread-Level Parallelism".

pub(crate) mod cpu;
#[allow(missing_docs)] // Reachable through `unstable` only.
pub(crate) mod gpu;
pub(crate) mod hu_shing;
#[allow(missing_docs)] // Reachable through `unstable` only.
pub(crate) mod options;
mod problem;
mod problems;
pub(crate) mod query;
pub(crate) mod reference;
pub(crate) mod result;
mod selftest;
mod solve;
mod task;
mod trace;
mod tree;
mod value;

use crate::names::named;
pub(crate) use gpu::Tuning;
pub(crate) use options::ParenthesizationOptions;
pub use problem::{Goal, Problem, Shader, Split};
pub use problems::{MatrixChain, PointPolygon, RnaFold, SearchTree, WeightedPolygon};
pub(crate) use selftest::selftest;
pub use task::{Parenthesization, Parenthesize};
pub use tree::{Node, Step, Tree};
pub use value::{Arithmetic, Precision, Value};

/// Algorithm of a parenthesization.
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
    /// `HuShing` if it applies, else `Tiled`.
    #[default]
    Auto,
    /// O(n log n) algorithm for weights that are a product of three dimensions; CPU only.
    HuShing,
    /// Tiled table: min-plus products of finished tiles, then a closure; GPU and CPU.
    Tiled,
    /// Adaptive thread mapping of Wu et al.: several lanes per range or several ranges per
    /// workgroup; GPU only.
    Adaptive,
    /// One lane per range, after Solomon and Thulasiraman; the baseline; GPU only.
    ThreadPerSubproblem,
    /// The plain table; CPU only.
    Reference,
}

named! {
    Method, "method",
    Auto = "auto",
    HuShing = "hu-shing",
    Tiled = "tiled",
    Adaptive = "adaptive",
    ThreadPerSubproblem = "thread-per-subproblem",
    Reference = "reference",
}
named! {
    Arithmetic, "arithmetic",
    U32 = "u32",
    U64 = "u64",
    Limbs = "u64 in limbs",
    F64 = "f64",
    F32 = "f32",
}
named! {
    Goal, "goal",
    Least = "least",
    Greatest = "greatest",
}
named! {
    Precision, "precision",
    Exact = "exact",
    Single = "f32",
}

/// Splits of a table: `(n^3 - n) / 6`.
pub(crate) fn splits(leaves: usize) -> u128 {
    let n = leaves as u128;
    n * (n * n).saturating_sub(1) / 6
}

/// Splits of all tiles at this distance from the diagonal, padding included: one tile's worth per
/// tile between, and one for the closure.
pub(crate) fn splits_of_tiles(tiles: usize, distance: usize, tile: usize) -> u64 {
    let products = (tiles - distance) as u64 * distance.max(1) as u64;
    products * (tile as u64).pow(3)
}
