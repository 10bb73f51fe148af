//! Where the costs of a table lie.

use super::tiling::Tiling;
use crate::plan::BufferId;

/// Where the costs of a finished plan lie.
#[derive(Clone, Debug)]
pub enum Layout {
    /// In tiles, over these buffers.
    Tiles(Tiling, Vec<BufferId>),
    /// By length, then start.
    ByLength {
        /// Leaves of the sequence.
        leaves: u64,
        /// The buffer of the table.
        table: BufferId,
    },
    /// By start, then length.
    ByStart {
        /// Leaves of the sequence.
        leaves: u64,
        /// The buffer of the table.
        table: BufferId,
    },
}

impl Layout {
    /// The buffer, and the value in it, of the range `i..j`.
    pub(super) fn place(&self, i: u64, j: u64) -> (BufferId, u64) {
        match self {
            Layout::Tiles(tiling, chunks) => {
                let (chunk, place) = tiling.place(i, j);
                (chunks[chunk], place)
            }
            Layout::ByLength { leaves, table } => {
                let longer = j - i - 1;
                (
                    *table,
                    longer * leaves - (longer * longer).saturating_sub(longer) / 2 + i,
                )
            }
            Layout::ByStart { leaves, table } => (
                *table,
                i * leaves - (i * i).saturating_sub(i) / 2 + j - i - 1,
            ),
        }
    }
}
