//! One direction of a search, and the wavefronts that are kept of it.

use std::ops::Range;

use super::plan::POINTS;
use super::sizes::Kept;
use crate::backend::Span;
use crate::pairwise::diagonal_transition::wavefront::Wavefront;

/// One direction of a search, as if it were all: the other one is that of both sequences reversed, each in the other's place. There what
/// is above is what is on the right here, so that a path which goes up before it goes anywhere else is the same path in both.
pub(super) struct Side<'a, S> {
    pub a: &'a [S],
    pub b: &'a [S],
    pub kept: &'a [Kept],
    /// Rows that the wavefront of the distance 0 reaches.
    pub slid: usize,
}

impl Kept {
    /// Where points of it are, from one index to another.
    pub(super) fn span(&self, part: &Range<u64>) -> Span {
        Span {
            buffer: POINTS,
            first: self.at + part.start - self.indices.start,
            words: part.end - part.start,
        }
    }

    /// What those points are.
    pub(super) fn wavefront<const SPACING: i64>(
        &self,
        part: &Range<u64>,
        words: &[u32],
        slid: usize,
    ) -> Wavefront<SPACING> {
        match self.distance {
            0 => Wavefront {
                low: 0,
                rows: vec![slid as u32],
                steps: 0,
            },
            distance => Wavefront {
                low: SPACING * part.start as i64 - distance as i64,
                // Every diagonal that is kept is reached.
                rows: words.iter().map(|row| row.saturating_sub(1)).collect(),
                steps: 0,
            },
        }
    }
}
