//! Anti-diagonals whose origins are stored for a canonical path.

/// Layout of the stored anti-diagonals: the last one of each segment and its predecessor, because a
/// diagonal step can skip one. The first segment stores none: all its origins are the first cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredDiagonals {
    /// Anti-diagonals per segment, at least 2.
    pub every: u64,
    /// Number of segments without the first.
    pub layers: u64,
    pub rows: u64,
    pub cols: u64,
}

impl StoredDiagonals {
    /// Words of the origins at a segment's end: `[column][on the preceding anti-diagonal]`.
    pub(crate) fn layer_words(cols: u64) -> u64 {
        2 * (cols + 1)
    }

    pub(crate) fn words(&self) -> u64 {
        self.layers * Self::layer_words(self.cols)
    }

    /// Distance from the last stored anti-diagonal.
    pub(crate) fn behind(&self, diagonal: u64) -> u64 {
        diagonal - self.segment(diagonal) * self.every
    }

    /// Word offset of the origin at column 0; `None` if this anti-diagonal is not stored.
    pub(crate) fn place(&self, diagonal: u64) -> Option<u64> {
        let segment = self.segment(diagonal);
        let end = (segment + 1) * self.every;
        let before = match diagonal {
            _ if diagonal == end || diagonal == self.rows + self.cols => 0,
            _ if diagonal + 1 == end => 1,
            _ => return None,
        };
        Some(segment.checked_sub(1)? * Self::layer_words(self.cols) + before)
    }

    fn segment(&self, diagonal: u64) -> u64 {
        diagonal.saturating_sub(1) / self.every
    }
}
