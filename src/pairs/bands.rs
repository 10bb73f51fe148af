//! Bands of long, similar strings: windows of rows that move down along the diagonal.

use super::request::PairLens;
use crate::sequences::bit_parallel::band::Band;

pub(super) const LIMB_ROWS: u64 = 32;
/// Limbs of windows. Few, so that few kernels are built.
pub(super) const LIMBS: [u32; 6] = [4, 8, 12, 16, 24, WIDEST];
pub(super) const WIDEST: u32 = 32;
/// Time of a cell by bit planes, in cells by masks: 10.5 instructions and one per plane,
/// `engine::profile::gpu::strip_sweep`.
pub(super) const PLANES_COST: f64 = 4.0 / 3.0;

/// Greatest distance that a window of `limbs` limbs proves for strings of these lengths: its value is
/// exact up to this, and else the distance is at least this. `None` if the window does not reach
/// both corners.
///
/// The window has [`LIMB_ROWS`] rows more than the band has diagonals beside the first, as it moves
/// by whole limbs.
pub(super) fn proven(limbs: u32, lens: PairLens) -> Option<u64> {
    let room = LIMB_ROWS * u64::from(limbs - 1);
    let slack = Band::slack(lens.query, lens.target, room)?;
    Some(2 * slack + lens.longer() - lens.shorter() + 2)
}

/// Share of the pairs that the sample may have missed: they try all wider windows before a whole
/// table, which takes a lane up to seconds.
const MISSED: u64 = 16;

/// Windows of a call.
#[derive(Clone, Debug)]
pub(super) struct Bands {
    /// Limbs of each, ascending. Pairs that one does not settle go on to the next, and those that are
    /// left to whole tables.
    pub(super) limbs: Vec<u32>,
    /// Edits per symbol that a window must prove to be tried.
    pub(super) rate: f64,
    /// Expected cells, as a share of those of the whole tables.
    pub(super) share: f64,
}

impl Bands {
    /// Greatest distance that a window proves, if a pair of these lengths tries the window.
    pub(super) fn proven(&self, limbs: u32, lens: PairLens) -> Option<u64> {
        let expected = self.rate * lens.longer() as f64;
        proven(limbs, lens).filter(|&proven| proven as f64 >= expected)
    }

    /// Wider windows of up to `max_limbs` limbs for pairs that are left, if these are few.
    pub(super) fn wider(
        &self,
        max_limbs: u32,
        left: u64,
        all: u64,
    ) -> impl Iterator<Item = u32> + use<> {
        let widest = self.limbs.last().copied().unwrap_or(WIDEST);
        let wider = LIMBS.into_iter().filter(move |&limbs| limbs > widest);
        wider.filter(move |&limbs| limbs <= max_limbs && left * MISSED < all)
    }
}
