//! Ends of the nearest pieces of the target.
//!
//! Rows are the target and columns the query, so the last column holds the distance of the whole
//! query to the pieces that end at each row. For pieces that may start anywhere, the first column
//! is all 0 (Sellers 1980, doi:10.1016/0196-6774(80)90016-4).

use std::ops::Range;

use crate::call::control::Control;
use crate::error::Result;
use crate::host::parallel::map_each;
use crate::host::threads::threads;
use crate::sequences::bit_parallel::band::Band;
use crate::sequences::bit_parallel::cpu::banded::{
    BandSearchResult, BandedTable, FIRST_SLACK, SearchGoal, search,
};
use crate::sequences::bit_parallel::cpu::text::Ends;
use crate::sequences::bit_parallel::cpu::{self, Computed};
use crate::sequences::bit_parallel::recurrence::{Edit, LastColumn, Recurrence};
use crate::sequences::codes::Codes;

/// Prefixes of the rows at the minimum distance from the columns; a greater distance than
/// `max_distance`, which is at most the number of columns, need not be exact. The rows must be cut
/// to [`reach`]. Adds the computed cells to `cells`.
pub(super) fn prefixes(
    codes: Codes<'_>,
    max_distance: u64,
    control: &Control,
    cells: &mut u64,
) -> Result<Ends> {
    let shape = BandedTable::new(codes.a.len(), codes.b.len(), false);
    let mut last = Ends::NONE;
    let proven = search(
        shape,
        SearchGoal::Cost,
        FIRST_SLACK,
        max_distance,
        u64::MAX,
        |slack| {
            control.add_total(shape.cells(slack));
            let band = shape.band(slack);
            let column = cpu::last_column::<Edit>(codes, Edit::FIRST_COLUMN, band, control)?;
            *cells += column.cells;
            last = minimum(&column.found, codes.a.len());
            Ok(last.distance)
        },
    )?;
    if !matches!(proven, BandSearchResult::Within { .. }) {
        last.distance = u64::MAX;
    }
    Ok(last)
}

/// Last column for pieces that start anywhere.
///
/// A piece that ends in a row starts at most twice the number of columns above it. Parts of the
/// rows are therefore swept in parallel if the columns alone do not occupy the threads.
pub(super) fn infix_column(codes: Codes<'_>, control: &Control) -> Result<Computed<LastColumn>> {
    let (rows, cols) = (codes.a.len(), codes.b.len());
    let lead = (2 * cols).next_multiple_of(64);
    let part = part_rows(rows, cols, lead, threads(None));
    let sweep = |start: usize| {
        let (first, end) = (
            start.saturating_sub(lead),
            rows.min(start.saturating_add(part)),
        );
        control.add_total((end - first) as u64 * cols as u64);
        let part = Codes {
            a: &codes.a[first..end],
            ..codes
        };
        let mut swept = cpu::last_column::<Edit>(part, [0, 0], Band::WHOLE, control)?;
        for words in &mut swept.found.column.0 {
            words.truncate((end - first).div_ceil(64));
            words.drain(..(start - first) / 64);
        }
        Ok(swept)
    };
    let starts: Vec<_> = (0..rows.max(1)).step_by(part).collect();
    let parts: Vec<_> = map_each(starts, sweep).into_iter().collect::<Result<_>>()?;
    let cells = parts.iter().map(|part| part.cells).sum();
    let mut parts = parts.into_iter().map(|part| part.found);
    let mut whole = parts.next().unwrap_or_default();
    for part in parts {
        let words = whole.column.0.iter_mut().zip(part.column.0);
        words.for_each(|(whole, part)| whole.extend(part));
    }
    Ok(Computed {
        found: whole,
        cells,
    })
}

/// Rows per part, a multiple of 64.
fn part_rows(rows: usize, cols: usize, lead: usize, threads: usize) -> usize {
    if threads == 1 || cols >= COLUMNS_PER_THREAD * threads {
        return rows.next_multiple_of(64).max(64);
    }
    rows.div_ceil(threads * PARTS_PER_THREAD)
        .max(lead * MIN_PART_OVERLAPS)
        .max(MIN_PART_ROWS)
        .next_multiple_of(64)
}

/// Columns that occupy one thread.
const COLUMNS_PER_THREAD: usize = 2048;
const PARTS_PER_THREAD: usize = 4;
/// Minimum length of a part, in lengths of the overlap that is swept twice.
const MIN_PART_OVERLAPS: usize = 16;
/// Minimum rows of a part.
const MIN_PART_ROWS: usize = 1 << 16;

/// Length of the prefix of a target that contains every prefix within `max_distance` of a query, and
/// every nearest one. Longer prefixes need more deletions, and the empty prefix is as far as the
/// query is long.
pub(super) fn reach(query: usize, target: usize, max_distance: u64) -> usize {
    let max_distance = max_distance.min(query as u64) as usize;
    target.min(query.saturating_add(max_distance))
}

/// Least values of a column and their rows; includes the value above the first row.
pub(super) fn minimum(column: &LastColumn, rows: usize) -> Ends {
    // Counted first: a list that grows takes up to three times its memory.
    let (mut nearest, mut count) = (column.above, 0);
    each_within(column, rows, nearest, |_, value| {
        count = if value < nearest { 1 } else { count + 1 };
        nearest = value;
        value
    });
    let mut ends = Vec::with_capacity(count);
    each_within(column, rows, nearest, |end, value| {
        ends.push(end);
        value
    });
    Ends {
        distance: nearest as u64,
        ends,
    }
}

/// Maximal ranges of ends whose value is at most `max_distance`, in order.
pub(super) fn within(column: &LastColumn, rows: usize, max_distance: u64) -> Vec<Range<usize>> {
    let max_distance = i64::try_from(max_distance).unwrap_or(i64::MAX);
    let mut ranges: Vec<Range<usize>> = Vec::new();
    each_within(column, rows, max_distance, |end, _| {
        match ranges.last_mut() {
            Some(last) if last.end == end => last.end += 1,
            _ => ranges.push(end..end + 1),
        }
        max_distance
    });
    ranges
}

/// Visits all ends with a value of at most `max_distance`; end 0 is above the first row. `visit`
/// returns the next `max_distance`.
fn each_within(
    LastColumn { column, above }: &LastColumn,
    rows: usize,
    mut max_distance: i64,
    mut visit: impl FnMut(usize, i64) -> i64,
) {
    let mut value = *above;
    if value <= max_distance {
        max_distance = visit(0, value);
    }
    for first in (0..rows).step_by(64) {
        let count = (rows - first).min(64);
        let [shrinks, grows] = column.gains::<Edit>(first, count);
        // Skip 64 rows if even their decrements alone cannot reach `max_distance`.
        if value - i64::from(shrinks.count_ones()) > max_distance {
            value += i64::from(grows.count_ones()) - i64::from(shrinks.count_ones());
            continue;
        }
        for row in 0..count {
            value += (grows >> row & 1) as i64 - (shrinks >> row & 1) as i64;
            if value <= max_distance {
                max_distance = visit(first + row + 1, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequences::bit_parallel::inputs::Random;
    use crate::sequences::codes::Encoded;

    #[test]
    fn banded_prefix_search_matches_the_whole_table() {
        let (mut random, control) = (Random::new(41), Control::default());
        for (query, target) in [
            (20_000, 18_000),
            (20_000, 19_600),
            (20_000, 19_400),
            (18_000, 20_000),
            (20_000, 3_000),
        ] {
            for letters in [4, 20] {
                let (a, mut b) = (random.codes(query, letters), random.codes(target, letters));
                if letters == 20 {
                    // Every ninth symbol differs.
                    b = [&a[..], &b].concat()[..target].to_vec();
                    (0..target)
                        .step_by(9)
                        .for_each(|place| b[place] = random.below(20) as u32);
                }
                let codes = Encoded::new(&b, &a);
                let first_column = Edit::FIRST_COLUMN;
                let whole =
                    cpu::last_column::<Edit>(codes.codes(), first_column, Band::WHOLE, &control);
                let whole = minimum(&whole.expect("not cancelled").found, target);
                for max_distance in [query as u64, whole.distance, whole.distance - 1] {
                    let reached = Encoded::new(&b[..reach(query, target, max_distance)], &a);
                    let found = prefixes(reached.codes(), max_distance, &control, &mut 0)
                        .expect("not cancelled");
                    let found = Some(found).filter(|found| found.distance <= max_distance);
                    let wanted = (whole.distance <= max_distance).then(|| whole.clone());
                    assert_eq!(
                        found, wanted,
                        "{query} {target} {letters}, at most {max_distance}"
                    );
                }
            }
        }
    }

    #[test]
    fn parallel_parts_give_the_column_of_the_whole_table() {
        let (mut random, control) = (Random::new(43), Control::default());
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .expect("a pool");
        for (rows, cols) in [
            (0, 5),
            (1, 5),
            (65_535, 7),
            (65_536, 7),
            (65_537, 64),
            (200_001, 200),
            (300_000, 1),
        ] {
            // One or two letters make long pieces; many leave rows without a match.
            for letters in [1, 2, 300] {
                let encoded =
                    Encoded::new(&random.codes(rows, letters), &random.codes(cols, letters));
                let codes = encoded.codes();
                let parts = pool
                    .install(|| infix_column(codes, &control))
                    .expect("not cancelled")
                    .found;
                let whole = cpu::last_column::<Edit>(codes, [0, 0], Band::WHOLE, &control);
                let whole = whole.expect("not cancelled").found;
                let all = |column| {
                    let mut values = Vec::new();
                    each_within(column, rows, i64::MAX / 2, |end, value| {
                        values.push((end, value));
                        i64::MAX / 2
                    });
                    values
                };
                assert!(all(&parts) == all(&whole), "{rows} {cols} {letters}");
                assert_eq!(all(&whole).len(), rows + 1);
            }
        }
    }
}
