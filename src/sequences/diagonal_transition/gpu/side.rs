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
    pub(super) fn span(&self, part: &Range<u64>) -> Span {
        Span {
            buffer: POINTS,
            first: self.at + part.start - self.indices.start,
            words: part.end - part.start,
        }
    }

    /// Wavefront of the points at these indices. All are inside the table, also where a device has
    /// damaged them: then no path is found, or its certificate fails.
    pub(super) fn wavefront<R: WavefrontRecurrence, S>(
        &self,
        part: &Range<u64>,
        words: &[u32],
        side: &Side<'_, S>,
    ) -> Wavefront<R> {
        if self.distance == 0 {
            return Wavefront::stored(0, vec![side.slid as u32]);
        }
        let first = R::DIAGONAL_STEP * part.start as i64 - self.distance as i64;
        let diagonals = (first..).step_by(R::DIAGONAL_STEP as usize);
        let row = |(&word, diagonal): (&u32, i64)| {
            // Every stored diagonal is reached.
            let row = i64::from(word) - 1;
            let last = (side.a.len() as i64).min(side.b.len() as i64 + diagonal);
            row.max(diagonal).min(last).max(0) as u32
        };
        Wavefront::stored(first, words.iter().zip(diagonals).map(row).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit_distance::wavefront::Levenshtein;
    use crate::lcs::wavefront::Indel;

    fn assert_next_stays_inside<R: WavefrontRecurrence>() {
        let (a, b) = (b"GATTACA", b"TACATGA");
        let side = Side {
            a: &a[..],
            b: &b[..],
            kept: &[],
            slid: 0,
        };
        let kept = StoredWavefront {
            distance: 4,
            at: 0,
            indices: 0..1 + 8 / R::DIAGONAL_STEP as u64,
        };
        for word in [0, 1, 4, 9, 1 << 20, u32::MAX] {
            let words = vec![word; kept.indices.end as usize];
            let wavefront = kept.wavefront::<R, _>(&kept.indices, &words, &side);
            let next = wavefront.next(wavefront.next_diagonals(7, 7), side.a, side.b);
            assert!(next.rows.iter().all(|&row| row <= 7), "{word} {next:?}");
        }
    }

    #[test]
    fn damaged_points_stay_inside_the_table() {
        assert_next_stays_inside::<Levenshtein>();
        assert_next_stays_inside::<Indel>();
    }
}
