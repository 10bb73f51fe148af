//! Differences that a sweep keeps for a traceback.

use super::kernel::{LIMB_ROWS, padding, snapshots};
use super::kernels::Kernel;
use crate::sequences::bit_parallel::recurrence::Recurrence;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    Nothing,
    /// The differences that enter every tile. The traceback computes its tiles again.
    Entries,
    /// The differences inside every tile.
    Boundaries,
}

#[derive(Default)]
pub(super) struct Boundaries {
    /// Snapshots of the vertical differences, tile by tile.
    pub v: Vec<u64>,
    /// Horizontal differences below every lane, tile by tile.
    pub carries: Vec<u8>,
}

impl Boundaries {
    pub(super) fn reserve<R: Recurrence>(
        &mut self,
        kernel: &Kernel,
        block_cols: usize,
        tiles: usize,
    ) {
        let [words, bytes] = Self::of_a_tile::<R>(kernel, block_cols);
        self.v.reserve_exact(words * tiles);
        self.carries.reserve_exact(bytes * tiles);
    }

    /// Words of the vertical differences and bytes of the horizontal ones of a tile.
    pub(super) fn of_a_tile<R: Recurrence>(kernel: &Kernel, block_cols: usize) -> [usize; 2] {
        let steps = block_cols + padding(kernel.chains, kernel.lanes);
        [
            snapshots(block_cols) * kernel.words_of_v::<R>(),
            steps * kernel.chains * R::HORIZONTAL,
        ]
    }
}

impl Kernel {
    pub(super) fn words_of_v<R: Recurrence>(&self) -> usize {
        self.strip_rows() / LIMB_ROWS * R::VERTICAL
    }

    pub(super) fn kept_bytes<R: Recurrence>(&self, block_cols: usize, keep: Keep) -> usize {
        let [words, bytes] = match keep {
            Keep::Nothing => [0, 0],
            Keep::Entries => {
                let words = block_cols.div_ceil(64) * R::HORIZONTAL;
                [self.words_of_v::<R>() + words, 0]
            }
            Keep::Boundaries => Boundaries::of_a_tile::<R>(self, block_cols),
        };
        words * size_of::<u64>() + bytes
    }
}
