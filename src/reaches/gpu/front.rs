//! Sizes of a search: which diagonals the waves have, and which of them are kept.

use std::ops::Range;

/// Waves of one dispatch: the last of them is kept.
pub const WAVES: u64 = 32;
/// Lanes of a workgroup.
pub const LANES: u64 = 256;

/// The waves of a search whose distance is at most a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Front {
    pub rows: u64,
    pub cols: u64,
    /// At least the difference of the lengths, and where diagonals are spaced by 2 even where that is.
    pub bound: u64,
    /// Diagonals from one index to the next.
    pub spacing: u64,
}

/// A wave that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub distance: u64,
    /// Its indices: the diagonal `spacing * index - distance` has an index.
    pub indices: Range<u64>,
    /// Where it lies among all of them.
    pub at: u64,
}

impl Front {
    /// Indices before its own that a reach depends on in the wave before.
    fn back(&self) -> u64 {
        2 / self.spacing
    }

    /// Indices of the wave of a distance that a path of no more than the bound can go through.
    pub fn indices(&self, distance: u64) -> Range<u64> {
        let (rows, cols, distance) = (self.rows as i64, self.cols as i64, distance as i64);
        let left = self.bound as i64 - distance;
        let low = (-distance).max(-cols).max(rows - cols - left);
        let high = distance.min(rows).min(rows - cols + left);
        let spacing = self.spacing as i64;
        // A diagonal of the other parity has no cell of this distance.
        let (first, last) = ((low + distance + spacing - 1) / spacing, (high + distance) / spacing);
        first as u64..(last + 1).max(first) as u64
    }

    /// Dispatches, each of up to [`WAVES`] waves.
    pub fn passes(&self) -> u64 {
        self.bound.div_ceil(WAVES)
    }

    /// The distance before the first wave of a pass, and that of its last.
    pub fn distances(&self, pass: u64) -> (u64, u64) {
        (pass * WAVES, ((pass + 1) * WAVES).min(self.bound))
    }

    /// Indices that a workgroup completes.
    fn completed(&self) -> u64 {
        LANES - self.back() * WAVES
    }

    /// Workgroups of a pass.
    pub fn groups(&self, pass: u64) -> u64 {
        self.width(self.distances(pass).1).div_ceil(self.completed()).max(1)
    }

    fn width(&self, distance: u64) -> u64 {
        let indices = self.indices(distance);
        indices.end - indices.start
    }

    /// Indices of the waves that are kept.
    fn widths(&self) -> impl Iterator<Item = u64> {
        (0..=self.passes()).map(|pass| self.width((pass * WAVES).min(self.bound)))
    }

    /// Indices of the widest of them.
    pub fn widest(&self) -> u64 {
        self.widths().max().unwrap_or(1)
    }

    /// The waves that are kept, all of them or, without a path, two that take turns; the first is that of the distance 0.
    pub fn kept(&self, path: bool) -> Vec<Kept> {
        let turn = self.widest();
        let mut at = 0;
        let keep = |wave: u64| {
            let distance = (wave * WAVES).min(self.bound);
            let kept = Kept { distance, indices: self.indices(distance), at: if path { at } else { wave % 2 * turn } };
            at += kept.indices.end - kept.indices.start;
            kept
        };
        (0..=self.passes()).map(keep).collect()
    }

    /// Words of the waves that are kept.
    pub fn words(&self, path: bool) -> u64 {
        if path { self.widths().sum() } else { 2 * self.widest() }
    }

    /// Reaches that are computed in a pass, those of overlapping workgroups among them.
    pub fn reaches(&self, pass: u64) -> u64 {
        let (first, last) = self.distances(pass);
        self.groups(pass) * LANES * (last - first)
    }
}
