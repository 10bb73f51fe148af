//! Recovery of paths, as reports name it.

use crate::names::named;

/// Recovery of a path, as in [`Run::path_mode`](crate::Run::path_mode).
///
/// ```
/// use swath::{Engine, Lcs, Options, PathMode};
///
/// let report = Engine::new(Options::default())?.run(&Lcs::of(b"ABCBDAB", b"BDCABA"))?;
/// assert_eq!(report.run.path_mode, PathMode::None);
/// assert_eq!(PathMode::StoredBoundaries.to_string(), "stored boundaries");
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PathMode {
    /// No path was requested or found.
    None,
    /// From a full table.
    Table,
    /// From stored wavefronts.
    Wavefronts,
    /// From stored boundaries of tiles.
    StoredBoundaries,
    /// From stored rows, between which the table is recomputed.
    StoredRows,
    /// From stored anti-diagonals, between which the table is recomputed.
    StoredAntiDiagonals,
    /// By Hirschberg's recursion.
    Hirschberg,
    /// From the paths of pairs of inputs.
    Pairs,
}

impl PathMode {
    /// This mode if there is a path.
    pub(crate) fn if_path(self, has_path: bool) -> Self {
        if has_path { self } else { Self::None }
    }
}

named! {
    PathMode, "path mode",
    None = "none",
    Table = "table",
    Wavefronts = "wavefronts",
    StoredBoundaries = "stored boundaries",
    StoredRows = "stored rows",
    StoredAntiDiagonals = "stored anti-diagonals",
    Hirschberg = "hirschberg",
    Pairs = "pairs",
}
