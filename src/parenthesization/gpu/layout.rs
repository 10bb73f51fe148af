//! Layout of a table in buffers.

use super::tiling::Tiling;
use crate::plan::BufferId;

#[derive(Clone, Debug)]
pub enum Layout {
    /// Tiles, distributed over these buffers.
    Tiles(Tiling, Vec<BufferId>),
    /// By length, then start.
    ByLength { leaves: u64, table: BufferId },
    /// By start, then length.
    ByStart { leaves: u64, table: BufferId },
}

impl Layout {
    /// Buffer and value index of the range `i..j`.
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
