//! The last column of what was swept, read back from the device.

use super::plan::Sweep;
use super::tiling::{LIMB_ROWS, Tiling};
use crate::backend::{Loaded, Span};
use crate::error::Result;
use crate::strips::band::Band;
use crate::strips::hirschberg::crossing;
use crate::strips::recurrence::{Column, Recurrence, growth};
use crate::strips::trace::pack_rows;

/// The last column of a direction.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// Its vertical differences. Rows that are not swept continue the others at a loss of one each.
    pub column: Column,
    /// Columns on the way to it.
    cols: u64,
    /// What tells the value above its first row, where a band is swept.
    lower: Option<Lower>,
}

/// The lower edge of a band, from the table's first cell down the left ends of strips and along their last rows.
#[derive(Clone, Copy, Debug)]
struct Lower {
    /// Rows that are swept, those past the table's last among them.
    rows: u64,
    /// Columns in which the value grows along last rows, less those in which it shrinks.
    along: i64,
}

/// The last column of every direction.
///
/// # Errors
/// What reading from the device returns.
pub(super) async fn read(loaded: &mut dyn Loaded, sweep: &Sweep, tiling: &Tiling) -> Result<Vec<Edge>> {
    let mut spans = vec![Span { buffer: sweep.state, first: 0, words: tiling.state_words() }];
    let banded = tiling.shape.band != Band::WHOLE;
    if banded {
        spans.push(Span { buffer: sweep.above, first: 0, words: tiling.above_words() });
    }
    let words = loaded.read(&spans)?.await?;
    let (state, above) = words.split_at(tiling.state_words() as usize);
    let directions = tiling.directions as usize;
    let edge = |(direction, state): (usize, &[u32])| {
        let cols = match direction {
            0 => tiling.direction_cols(),
            _ => tiling.shape.cols - tiling.direction_cols(),
        };
        let rows = above.chunks((above.len() / directions / tiling.shape.table.horizontal() as usize).max(1));
        let mut along = [0; 2];
        for (along, row) in along.iter_mut().zip(rows.skip(direction).step_by(directions)) {
            let words = &row[tiling.lanes as usize..][..tiling.words() as usize];
            *along = words.iter().map(|word| i64::from(word.count_ones())).sum();
        }
        let lower = banded.then(|| Lower { rows: tiling.strips() * tiling.strip_rows(), along: along[0] - along[1] });
        Edge { column: column(tiling, state), cols, lower }
    };
    Ok(state.chunks(state.len() / directions).enumerate().map(edge).collect())
}

/// The best value of paths through the edges: from both ends, or from the first cell to the last.
pub(super) fn value<R: Recurrence>(edges: &[Edge], rows: usize) -> i64 {
    let gain = match edges {
        [before, behind] => crossing::<R>(&before.column, &behind.column, rows).1,
        edges => edges.iter().map(|edge| edge.column.growth::<R>(rows)).sum(),
    };
    edges.iter().map(Edge::first::<R>).sum::<i64>() + R::GAIN * gain
}

impl Edge {
    /// The value above the first row.
    fn first<R: Recurrence>(&self) -> i64 {
        let Some(lower) = self.lower else {
            return self.cols as i64 * growth(R::FIRST_ROW.map(|word| word & 1));
        };
        let down = R::GAIN * growth(R::gains(R::FIRST_COLUMN).map(|word| word & 1));
        lower.rows as i64 * down + lower.along - R::GAIN * self.column.growth::<R>(lower.rows as usize)
    }
}

/// The state's limbs in row order. Rows that are not swept continue the others at a loss of one each.
fn column(tiling: &Tiling, state: &[u32]) -> Column {
    let (lanes, limbs, lane_words) = (tiling.lanes as usize, tiling.limbs as usize, tiling.lane_words() as usize);
    // The upper strips of a band end before the last column.
    let above = (0..tiling.strips()).take_while(|&strip| tiling.span(strip).end < tiling.words()).count();
    let below = tiling.shape.rows.saturating_sub(tiling.strips() * tiling.strip_rows()).div_ceil(LIMB_ROWS) as usize;
    Column([0, 1].map(|vector: usize| {
        if vector >= tiling.shape.table.vertical() as usize {
            return Vec::new();
        }
        let first_column = tiling.shape.table.first_column()[vector];
        let in_order = state.chunks(lanes * lane_words).enumerate().flat_map(|(strip, words)| {
            let outside = (strip < above).then_some(!first_column);
            (0..lanes).flat_map(move |lane| {
                let limb = move |limb| words[(vector * limbs + limb) * lanes + lane] & (u32::MAX >> 1);
                (0..limbs).map(move |place| outside.unwrap_or_else(|| u64::from(limb(place))))
            })
        });
        pack_rows(in_order.chain(std::iter::repeat_n(first_column, below)), LIMB_ROWS as u32)
    }))
}
