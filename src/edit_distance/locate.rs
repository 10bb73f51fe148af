//! Pieces of the target: where the best ones end.
//!
//! The target gives the rows and the query the columns, so that the last column holds the distance of the whole query to a piece
//! that ends at each row. A piece that starts anywhere has a first column without differences (Sellers 1980,
//! doi:10.1016/0196-6774(80)90016-4).

use std::ops::Range;

use rayon::prelude::*;

use crate::call::control::Control;
use crate::error::Result;
use crate::pairwise::bit_parallel::band::Band;
use crate::pairwise::bit_parallel::cpu::banded::{
    BandSearchResult, BandedTable, Codes, FIRST_SLACK, SearchGoal, search,
};
use crate::pairwise::bit_parallel::cpu::{self, Computed};
use crate::pairwise::bit_parallel::recurrence::{Column, Edit, Recurrence};
use crate::pairwise::pair::Pair;

/// The least distance to a piece, and where such pieces end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ends {
    pub distance: u64,
    /// In increasing order, from 0, the end of the empty piece, to the length of the target.
    pub ends: Vec<usize>,
}

/// Prefixes of the rows, which are [`within_reach`], at the least distance from the columns; `None` where that is greater than
/// `most`, which is at most the columns. Adds to `cells` what was computed.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub(super) fn prefixes(
    codes: Codes<'_>,
    most: u64,
    control: &Control,
    cells: &mut u64,
) -> Result<Option<Ends>> {
    let shape = BandedTable {
        rows: codes.rows.len() as u64,
        cols: codes.cols.len() as u64,
        corner: false,
    };
    let mut last = Ends {
        distance: u64::MAX,
        ends: Vec::new(),
    };
    let proven = search(
        shape,
        SearchGoal::Cost,
        (FIRST_SLACK, most),
        u64::MAX,
        |slack| {
            control.expect(shape.cells(slack));
            let band = shape.band(slack);
            let pair = Pair::new(codes.rows, codes.cols);
            let column =
                cpu::last_column::<Edit>(pair, codes.shared, Edit::FIRST_COLUMN, band, control)?;
            *cells += column.cells;
            last = least(&column.found, codes.rows.len());
            Ok(last.distance)
        },
    )?;
    Ok(
        (matches!(proven, BandSearchResult::Within { .. }) && last.distance <= most)
            .then_some(last),
    )
}

/// The last column of a table whose pieces start anywhere, and the value above it.
///
/// What ends in a row starts at most twice as many rows above it as there are columns. So parts of the rows are swept at once
/// where the columns alone do not keep the threads busy.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub(super) fn infix_column(codes: Codes<'_>, control: &Control) -> Result<Computed<(Column, i64)>> {
    let (rows, cols) = (codes.rows.len(), codes.cols.len());
    let lead = (2 * cols).next_multiple_of(64);
    let part = part_rows((rows, cols), lead, rayon::current_num_threads());
    let sweep = |start: usize| {
        let (first, end) = (
            start.saturating_sub(lead),
            rows.min(start.saturating_add(part)),
        );
        control.expect((end - first) as u64 * cols as u64);
        let pair = Pair::new(&codes.rows[first..end], codes.cols);
        let mut swept = cpu::last_column::<Edit>(pair, codes.shared, [0, 0], Band::WHOLE, control)?;
        for words in &mut swept.found.0.0 {
            words.truncate((end - first).div_ceil(64));
            words.drain(..(start - first) / 64);
        }
        Ok(swept)
    };
    let starts: Vec<_> = (0..rows.max(1)).step_by(part).collect();
    let parts: Vec<_> = starts.into_par_iter().map(sweep).collect::<Result<_>>()?;
    let cells = parts.iter().map(|part| part.cells).sum();
    let mut parts = parts.into_iter().map(|part| part.found);
    let mut whole = parts.next().unwrap_or_default();
    for (Column(part), _) in parts {
        whole
            .0
            .0
            .iter_mut()
            .zip(part)
            .for_each(|(whole, part)| whole.extend(part));
    }
    Ok(Computed {
        found: whole,
        cells,
    })
}

/// Rows of a part, whole words of them.
fn part_rows((rows, cols): (usize, usize), lead: usize, threads: usize) -> usize {
    if threads == 1 || cols >= WIDE * threads {
        return rows.next_multiple_of(64).max(64);
    }
    rows.div_ceil(threads * PARTS)
        .max(lead * LEADS)
        .max(LEAST_PART)
        .next_multiple_of(64)
}

/// Columns that keep a thread busy.
const WIDE: usize = 2048;
/// Parts for each thread.
const PARTS: usize = 4;
/// How much longer a part is than what is swept twice for it.
const LEADS: usize = 16;
/// Rows that are worth a part.
const LEAST_PART: usize = 1 << 16;

/// The part of `b` that has every prefix at a distance of at most `most` from `a`, and those at the least distance: a longer one
/// has more symbols to delete, and the empty one has the distance `a.len()`.
pub(super) fn within_reach<'b, S>(a: &[S], b: &'b [S], most: u64) -> &'b [S] {
    let most = most.min(a.len() as u64) as usize;
    &b[..b.len().min(a.len().saturating_add(most))]
}

/// The least values of a column, and their rows; beside it stands the value above its first row.
pub(super) fn least(column: &(Column, i64), rows: usize) -> Ends {
    let mut least = Ends {
        distance: column.1 as u64,
        ends: Vec::new(),
    };
    each_within(column, rows, column.1, |end, value| {
        if (value as u64) < least.distance {
            least = Ends {
                distance: value as u64,
                ends: Vec::new(),
            };
        }
        least.ends.push(end);
        value
    });
    least
}

/// Where the values of a column are at most `most`: in order, as ranges of ends as long as they can be.
pub(super) fn within(column: &(Column, i64), rows: usize, most: u64) -> Vec<Range<usize>> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut ranges: Vec<Range<usize>> = Vec::new();
    each_within(column, rows, most, |end, _| {
        match ranges.last_mut() {
            Some(last) if last.end == end => last.end += 1,
            _ => ranges.push(end..end + 1),
        }
        most
    });
    ranges
}

/// Visits the values that are at most `most`, which each visit sets anew, with the ends that they belong to: 0 is above the
/// first row.
fn each_within(
    (column, above): &(Column, i64),
    rows: usize,
    mut most: i64,
    mut visit: impl FnMut(usize, i64) -> i64,
) {
    let mut value = *above;
    if value <= most {
        most = visit(0, value);
    }
    for first in (0..rows).step_by(64) {
        let count = (rows - first).min(64);
        let [shrinks, grows] = column.gains::<Edit>(first, count);
        // Within these rows the value shrinks at most by the ones there.
        if value - i64::from(shrinks.count_ones()) > most {
            value += i64::from(grows.count_ones()) - i64::from(shrinks.count_ones());
            continue;
        }
        for row in 0..count {
            value += (grows >> row & 1) as i64 - (shrinks >> row & 1) as i64;
            if value <= most {
                most = visit(first + row + 1, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairwise::bit_parallel::inputs::Random;
    use crate::pairwise::codes::Encoded;

    #[test]
    fn bands_give_the_prefixes_of_the_whole_table_however_long_the_query_is() {
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
                    // One symbol in nine is another.
                    b = [&a[..], &b].concat()[..target].to_vec();
                    (0..target)
                        .step_by(9)
                        .for_each(|place| b[place] = random.below(20) as u32);
                }
                let codes = Encoded::new(&b, &a);
                let pair = codes.pair();
                let whole = cpu::last_column::<Edit>(
                    pair,
                    codes.shared,
                    Edit::FIRST_COLUMN,
                    Band::WHOLE,
                    &control,
                );
                let whole = least(&whole.expect("not cancelled").found, target);
                for most in [query as u64, whole.distance, whole.distance - 1] {
                    let reached = Encoded::new(within_reach(&a, &b, most), &a);
                    let codes = Codes {
                        rows: &reached.a,
                        cols: &reached.b,
                        shared: reached.shared,
                    };
                    let found = prefixes(codes, most, &control, &mut 0).expect("not cancelled");
                    let wanted = (whole.distance <= most).then(|| whole.clone());
                    assert_eq!(found, wanted, "{query} {target} {letters}, at most {most}");
                }
            }
        }
    }

    #[test]
    fn parts_of_the_rows_give_the_column_of_all_of_them() {
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
            // Few letters, and one of them alone, make long pieces; many leave rows without a match.
            for letters in [1, 2, 300] {
                let codes =
                    Encoded::new(&random.codes(rows, letters), &random.codes(cols, letters));
                let codes = Codes {
                    rows: &codes.a,
                    cols: &codes.b,
                    shared: codes.shared,
                };
                let parts = pool
                    .install(|| infix_column(codes, &control))
                    .expect("not cancelled")
                    .found;
                let pair = Pair::new(codes.rows, codes.cols);
                let whole =
                    cpu::last_column::<Edit>(pair, codes.shared, [0, 0], Band::WHOLE, &control);
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
