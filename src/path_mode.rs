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
    /// All modes.
    pub const ALL: [Self; 8] = [
        Self::None,
        Self::Table,
        Self::Wavefronts,
        Self::StoredBoundaries,
        Self::StoredRows,
        Self::StoredAntiDiagonals,
        Self::Hirschberg,
        Self::Pairs,
    ];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Table => "table",
            Self::Wavefronts => "wavefronts",
            Self::StoredBoundaries => "stored boundaries",
            Self::StoredRows => "stored rows",
            Self::StoredAntiDiagonals => "stored anti-diagonals",
            Self::Hirschberg => "hirschberg",
            Self::Pairs => "pairs",
        }
    }

    /// This mode if there is a path.
    pub(crate) fn if_path(self, has_path: bool) -> Self {
        if has_path { self } else { Self::None }
    }
}

named!(PathMode, "path mode");
