//! One direction of a search, with its stored wavefronts.

use std::ops::Range;

use super::plan::POINTS;
use super::sizes::StoredWavefront;
use crate::backend::Span;
use crate::sequences::diagonal_transition::WavefrontRecurrence;
use crate::sequences::diagonal_transition::wavefront::Wavefront;

/// One direction of a search, in the form of a forward search. The backward direction has both
/// sequences reversed and exchanged. Its up is right in the forward table, so a path that prefers
/// going up is the same path in both.
pub(super) struct Side<'a, S> {
    pub a: &'a [S],
    pub b: &'a [S],
    pub kept: &'a [StoredWavefront],
    /// Furthest row at distance 0.
    pub slid: usize,
}

impl StoredWavefront {
    /// Location of the points at these indices.
    pub(super) fn span(&self, part: &Range<u64>) -> Span {
        Span {
            buffer: POINTS,
            first: self.at + part.start - self.indices.start,
            words: part.end - part.start,
        }
    }

    /// Wavefront of the points at these indices.
    pub(super) fn wavefront<R: WavefrontRecurrence>(
        &self,
        part: &Range<u64>,
        words: &[u32],
        slid: usize,
    ) -> Wavefront<R> {
        match self.distance {
            0 => Wavefront::stored(0, vec![slid as u32]),
            distance => Wavefront::stored(
                R::DIAGONAL_STEP * part.start as i64 - distance as i64,
                // Every stored diagonal is reached.
                words.iter().map(|row| row.saturating_sub(1)).collect(),
            ),
        }
    }
}
