//! How a path was recovered.

use std::fmt;

/// How a path was recovered. Reports show its [`name`](Self::name).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathMode {
    /// No path was requested or found.
    None,
    /// From a full table.
    Table,
    /// From stored wavefronts.
    Wavefronts,
    /// From stored boundaries of tiles.
    StoredBoundaries,
    /// By Hirschberg's recursion.
    Hirschberg,
}

impl PathMode {
    /// The name in reports, as in [`Run::path_mode`](crate::Run::path_mode).
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Table => "table",
            Self::Wavefronts => "wavefronts",
            Self::StoredBoundaries => "stored boundaries",
            Self::Hirschberg => "hirschberg",
        }
    }

    /// This mode if there is a path.
    pub(crate) fn if_path(self, has_path: bool) -> Self {
        if has_path { self } else { Self::None }
    }
}

impl fmt::Display for PathMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
