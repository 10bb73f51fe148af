//! Anti-diagonals that keep their origins, for a canonical path.

/// Stored anti-diagonals of one table: the last one of every segment, with the one before, since a diagonal step may pass over
/// it. Those of the first segment are not kept: all their origins are the first cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    /// Anti-diagonals of a segment, at least 2.
    pub every: u64,
    /// Segments but the first.
    pub layers: u64,
    /// Symbols of `a`.
    pub rows: u64,
    /// Symbols of `b`.
    pub cols: u64,
}

impl Stored {
    /// Words of the origins of one segment's end: `[column][on the anti-diagonal before]`.
    pub(crate) fn layer_words(cols: u64) -> u64 {
        2 * (cols + 1)
    }

    /// Words of all stored origins.
    pub(crate) fn words(&self) -> u64 {
        self.layers * Self::layer_words(self.cols)
    }

    /// How far behind the last stored anti-diagonal this one is.
    pub(crate) fn behind(&self, diagonal: u64) -> u64 {
        diagonal - self.segment(diagonal) * self.every
    }

    /// Where the origins of this anti-diagonal are kept: that of column 0.
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
