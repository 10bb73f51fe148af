//! Pieces of the target: where the best ones end, and where they start.
//!
//! The target gives the rows and the query the columns, so that the last column holds the distance of the whole query to a piece
//! that ends at each row. A piece that starts anywhere has a first column without differences (Sellers 1980,
//! doi:10.1016/0196-6774(80)90016-4).

use super::Mode;
use crate::alphabet::{Encoded, Symbol};
use crate::control::Control;
use crate::error::Result;
use crate::strips::band::Band;
use crate::strips::cpu;
use crate::strips::cpu::banded::{Codes, FIRST_SLACK, Proven, Shape, Wanted, search};
use crate::strips::recurrence::{Column, Edit, Recurrence};

/// The least distance to a piece, and where such pieces end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ends {
    pub distance: u64,
    /// In increasing order, from 0, the end of the empty piece, to `b.len()`.
    pub ends: Vec<usize>,
}

/// Pieces of `b` at the least distance from `a`; `None` where that is greater than `most`. Adds to `cells` what was computed.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub(super) fn ends<S: Symbol>(
    a: &[S],
    b: &[S],
    mode: Mode,
    most: u64,
    control: &Control,
    cells: &mut u64,
) -> Result<Option<Ends>> {
    // The empty piece has the distance a.len().
    let most = most.min(a.len() as u64);
    let found = match mode {
        Mode::Infix => {
            let codes = Encoded::new(b, a);
            control.expect(codes.a.len() as u64 * codes.b.len() as u64);
            let column = cpu::last_column::<Edit>((&codes.a, &codes.b), codes.shared, [0, 0], Band::WHOLE, control)?;
            *cells += column.cells;
            least(&column.found, b.len())
        }
        Mode::Global | Mode::Prefix => {
            // A longer piece has more symbols to delete than the distance.
            let b = &b[..b.len().min(a.len().saturating_add(most as usize))];
            let codes = Encoded::new(b, a);
            let codes = Codes { rows: &codes.a, cols: &codes.b, shared: codes.shared };
            let shape = Shape { rows: b.len() as u64, cols: a.len() as u64, corner: false };
            let mut last = Ends { distance: u64::MAX, ends: Vec::new() };
            let proven = search(shape, Wanted::Cost, (FIRST_SLACK, most), u64::MAX, |slack| {
                control.expect(shape.cells(slack));
                let band = shape.band(slack);
                let pair = (codes.rows, codes.cols);
                let column = cpu::last_column::<Edit>(pair, codes.shared, Edit::FIRST_COLUMN, band, control)?;
                *cells += column.cells;
                last = least(&column.found, b.len());
                Ok(last.distance)
            })?;
            if !matches!(proven, Proven::Within { .. }) {
                return Ok(None);
            }
            last
        }
    };
    Ok((found.distance <= most).then_some(found))
}

/// The first place where a piece of `b` starts that ends at `end` and has this distance from `a`: the reversed sequences have a
/// prefix there.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub(super) fn start<S: Symbol>(
    a: &[S],
    b: &[S],
    end: usize,
    distance: u64,
    control: &Control,
    cells: &mut u64,
) -> Result<usize> {
    let first = end.saturating_sub(a.len().saturating_add(distance as usize));
    let reversed = |symbols: &[S]| symbols.iter().rev().copied().collect::<Vec<_>>();
    let found = ends(&reversed(a), &reversed(&b[first..end]), Mode::Prefix, distance, control, cells)?;
    Ok(found.and_then(|found| found.ends.last().copied()).map_or(end, |longest| end - longest))
}

/// The least values of a column, and their rows; `above` is the value above its first row.
pub(super) fn least((column, above): &(Column, i64), rows: usize) -> Ends {
    let mut value = *above;
    let mut least = Ends { distance: value as u64, ends: vec![0] };
    for first in (0..rows).step_by(64) {
        let count = (rows - first).min(64);
        let [shrinks, grows] = column.gains::<Edit>(first, count);
        // Within these rows the value shrinks at most by the ones there.
        if value - i64::from(shrinks.count_ones()) > least.distance as i64 {
            value += i64::from(grows.count_ones()) - i64::from(shrinks.count_ones());
            continue;
        }
        for row in 0..count {
            value += (grows >> row & 1) as i64 - (shrinks >> row & 1) as i64;
            let end = first + row + 1;
            match (value as u64).cmp(&least.distance) {
                std::cmp::Ordering::Less => least = Ends { distance: value as u64, ends: vec![end] },
                std::cmp::Ordering::Equal => least.ends.push(end),
                std::cmp::Ordering::Greater => {}
            }
        }
    }
    least
}
