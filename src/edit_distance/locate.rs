//! Pieces of the target: where the best ones end, and where they start.
//!
//! The target gives the rows and the query the columns, so that the last column holds the distance of the whole query to a piece
//! that ends at each row. A piece that starts anywhere has a first column without differences (Sellers 1980,
//! doi:10.1016/0196-6774(80)90016-4).

use super::Mode;
use crate::alphabet::{Encoded, Symbol};
use crate::control::Control;
use crate::error::{Error, Result};
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
            let b = within_reach(a, b, most);
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

/// The part of `b` that has every prefix at a distance of at most `most` from `a`, and those at the least distance: a longer one
/// has more symbols to delete, and the empty one has the distance `a.len()`.
pub(super) fn within_reach<'b, S>(a: &[S], b: &'b [S], most: u64) -> &'b [S] {
    let most = most.min(a.len() as u64) as usize;
    &b[..b.len().min(a.len().saturating_add(most))]
}

/// The first place where a piece of `b` starts that ends at `end` and has this distance from `a`, the least of those that end
/// there: the reversed sequences have a prefix there.
///
/// # Errors
/// [`Error::Cancelled`] after the caller has cancelled, and [`Error::CertificateFailed`] where no such piece ends at `end`.
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
    let longest = found.filter(|found| found.distance == distance).and_then(|found| found.ends.last().copied());
    let missing = || Error::CertificateFailed(format!("no piece that ends at {end} has the distance {distance}"));
    Ok(end - longest.ok_or_else(missing)?)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strips::inputs::Random;

    /// The distance from all of `a` to all of `b`.
    fn distance(a: &[u32], b: &[u32], control: &Control) -> u64 {
        let codes = Encoded::new(b, a);
        let value = cpu::value::<Edit>((&codes.a, &codes.b), codes.shared, Band::WHOLE, control);
        value.expect("not cancelled").found as u64
    }

    #[test]
    fn bands_give_the_prefixes_of_the_whole_table_however_long_the_query_is() {
        let (mut random, control) = (Random::new(41), Control::default());
        for (query, target) in [(20_000, 18_000), (20_000, 19_600), (20_000, 19_400), (18_000, 20_000), (20_000, 3_000)]
        {
            for letters in [4, 20] {
                let (a, mut b) = (random.codes(query, letters), random.codes(target, letters));
                if letters == 20 {
                    // One symbol in nine is another.
                    b = [&a[..], &b].concat()[..target].to_vec();
                    (0..target).step_by(9).for_each(|place| b[place] = random.below(20) as u32);
                }
                let codes = Encoded::new(&b, &a);
                let pair = (&codes.a[..], &codes.b[..]);
                let whole = cpu::last_column::<Edit>(pair, codes.shared, Edit::FIRST_COLUMN, Band::WHOLE, &control);
                let whole = least(&whole.expect("not cancelled").found, target);
                for most in [u64::MAX, whole.distance, whole.distance - 1] {
                    let found = ends(&a, &b, Mode::Prefix, most, &control, &mut 0).expect("not cancelled");
                    let wanted = (whole.distance <= most).then(|| whole.clone());
                    assert_eq!(found, wanted, "{query} {target} {letters}, at most {most}");
                }
            }
        }
    }

    #[test]
    fn pieces_start_where_their_distance_is_that_of_their_end() {
        let (mut random, control) = (Random::new(42), Control::default());
        for (query, target) in [(20_000, 17_000), (17_000, 20_000), (20_000, 20_000)] {
            let (a, b) = (random.codes(query, 4), random.codes(target, 4));
            let found =
                ends(&a, &b, Mode::Infix, u64::MAX, &control, &mut 0).expect("not cancelled").expect("no limit");
            let end = found.ends[0];
            let first = start(&a, &b, end, found.distance, &control, &mut 0).expect("it has a start");
            assert_eq!(distance(&a, &b[first..end], &control), found.distance, "{query} {target}");
            let none = start(&a, &b, end, found.distance - 1, &control, &mut 0);
            assert!(matches!(none, Err(Error::CertificateFailed(_))), "{none:?}");
        }
    }
}
