//! Filter for infix search: a sweep of the query's first symbols rules out most of a long target.
//!
//! In an alignment of cost at most k, the first r symbols of the query cost at most k too. A sweep
//! of r columns instead of all finds every end of a piece within k of those r symbols. k also
//! bounds where the alignment goes on from there, so the whole query is swept only in windows
//! around those ends (filter and verify: Navarro 2001, doi:10.1145/375360.375365). The result is
//! exact: the windows contain every piece within k, and no value in a window is less than in the
//! whole table.
//!
//! Cost for a target of n symbols and a query of m: r * n cells, plus about m * m per similar
//! place.

use std::cmp::Ordering;
use std::ops::Range;

use super::column::{minimum, within};
use super::sweeps::PieceSearch;
use crate::edit_distance::{Method, Mode};
use crate::engine::placement::Boxed;
use crate::error::Result;
use crate::sequences::bit_parallel::cpu::text::Ends;
use crate::sequences::bit_parallel::recurrence::LastColumn;

/// Minimum symbols of a filtering prefix of the query; shorter ones are hardly faster.
const MIN_LEN: usize = 512;
/// Prefix symbols per edit at which unrelated text fails the filter, for most alphabets.
const SYMBOLS_PER_EDIT: u64 = 3;
/// Factor by which the prefix grows if it does not rule out enough.
const GROWTH: usize = 2;
/// Maximum cost of the prefix sweep, as a fraction of the whole sweep.
const MAX_PREFIX_COST: f64 = 1.0 / 3.0;
/// Maximum cost of the windows, as a fraction of the whole sweep.
const MAX_WINDOW_COST: f64 = 1.0 / 2.0;
/// Maximum cost of the trial sweep that looks for a better bound, as a fraction of the whole sweep.
const MAX_TRIAL_COST: f64 = 1.0 / 8.0;
/// The trial sweeps `1 / TRIAL_DIVISOR` of the query.
const TRIAL_DIVISOR: usize = 32;
/// Minimum ratio of target to query length for the trial: one window is cheap then.
const MIN_TARGET_RATIO: usize = 16;
/// The trial extends the nearest piece to the whole query if it has at least this many symbols per
/// edit.
const TRIAL_SYMBOLS_PER_EDIT: u64 = 8;
/// That window has `1 / GAP_DIVISOR` of the query as margin on either side, for gaps.
const GAP_DIVISOR: usize = 16;
/// Minimum ratio of query to prefix length in prefix mode, where the whole search is cheaper.
const MIN_QUERY_RATIO: usize = 8;

/// Length of a prefix that probably rules out pieces at more than `max_distance`.
fn enough(min_len: usize, max_distance: u64) -> usize {
    usize::try_from(max_distance.saturating_mul(SYMBOLS_PER_EDIT))
        .unwrap_or(usize::MAX)
        .max(min_len)
}

/// Pieces at the minimum distance; a greater one than `max_distance`, which is at most the query's
/// length, need not be exact. Boxed so that callers do not monomorphise it.
pub(super) fn ends<'a>(
    search: &'a mut PieceSearch<'_>,
    max_distance: u64,
) -> Boxed<'a, Result<Ends>> {
    Box::pin(search_ends(search, max_distance))
}

async fn search_ends(search: &mut PieceSearch<'_>, max_distance: u64) -> Result<Ends> {
    let (rows, cols) = (search.codes.a.len(), search.codes.b.len());
    match search.options.mode {
        Mode::Infix if search.options.method == Method::BitParallel => {
            let column = search.infix(0..rows, cols).await?;
            Ok(minimum(&column, rows))
        }
        Mode::Infix => infix_ends(search, MIN_LEN, max_distance).await,
        Mode::Global | Mode::Prefix => {
            let len = enough(MIN_LEN, max_distance);
            if search.options.method != Method::BitParallel && len <= cols / MIN_QUERY_RATIO {
                let found = search.prefixes(len, max_distance).await?;
                if found.distance > max_distance {
                    return Ok(found);
                }
            }
            search.prefixes(cols, max_distance).await
        }
    }
}

/// As [`ends`], of pieces that begin anywhere.
async fn infix_ends(
    search: &mut PieceSearch<'_>,
    min_len: usize,
    max_distance: u64,
) -> Result<Ends> {
    let (rows, cols) = (search.codes.a.len(), search.codes.b.len());
    let whole = search.seconds(rows, cols);
    let worth = |search: &PieceSearch<'_>, len: usize, share: f64| {
        len < cols && search.seconds(rows, len) <= whole * share
    };
    let trial = (cols / TRIAL_DIVISOR).max(min_len);
    let long = rows / MIN_TARGET_RATIO >= cols && worth(search, trial, MAX_TRIAL_COST);
    // Upper bound of the least distance.
    let mut bound = max_distance;
    let mut len = enough(min_len, bound).min(if long { trial } else { cols });
    while worth(search, len, MAX_PREFIX_COST) {
        let column = search.infix(0..rows, len).await?;
        let nearest = minimum(&column, rows);
        if nearest.distance > max_distance {
            return Ok(nearest);
        }
        let hopeful = nearest.distance * TRIAL_SYMBOLS_PER_EDIT <= len as u64;
        if long && hopeful && len == trial {
            let window = window(rows, cols, len, nearest.ends[0], cols / GAP_DIVISOR);
            let column = search.infix(window.clone(), cols).await?;
            bound = bound.min(minimum(&column, window.len()).distance);
        }
        let windows = windows(&column, rows, cols, len, bound as usize);
        let seconds = |count: usize, rows: usize| count as f64 * search.seconds(rows, cols);
        let covered: usize = windows.iter().map(Range::len).sum();
        if seconds(windows.len(), covered / windows.len().max(1)) <= whole * MAX_WINDOW_COST {
            return in_windows(search, windows).await;
        }
        // A longer prefix leaves at least one window per similar place; stop if one alone is too
        // slow.
        if seconds(1, rows.min(cols + 2 * bound as usize)) > whole * MAX_WINDOW_COST {
            break;
        }
        len = enough(min_len, bound).max(len * GROWTH);
    }
    in_windows(search, std::iter::once(0..rows)).await
}

/// Pieces at the minimum distance within disjoint windows of the target.
async fn in_windows(
    search: &mut PieceSearch<'_>,
    windows: impl IntoIterator<Item = Range<usize>>,
) -> Result<Ends> {
    let mut all = Ends::NONE;
    for window in windows {
        let column = search.infix(window.clone(), search.codes.b.len()).await?;
        let mut found = minimum(&column, window.len());
        found.ends.iter_mut().for_each(|end| *end += window.start);
        match found.distance.cmp(&all.distance) {
            Ordering::Less => all = found,
            Ordering::Equal => all.ends.append(&mut found.ends),
            Ordering::Greater => {}
        }
    }
    Ok(all)
}

/// Disjoint, ordered windows that contain every piece within `bound` of the query. `column` is the
/// result of the sweep of the first `len` symbols.
fn windows(
    column: &LastColumn,
    rows: usize,
    cols: usize,
    len: usize,
    bound: usize,
) -> Vec<Range<usize>> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    for ends in within(column, rows, bound as u64) {
        let window = |end| window(rows, cols, len, end, bound);
        let [first, last] = [ends.start, ends.end - 1].map(window);
        match windows.last_mut() {
            Some(before) if first.start <= before.end => before.end = last.end,
            _ => windows.push(first.start..last.end),
        }
    }
    windows
}

/// Rows of all pieces within `gaps` of the query whose alignment to its first `len` symbols ends at
/// `end`.
fn window(rows: usize, cols: usize, len: usize, end: usize, gaps: usize) -> Range<usize> {
    end.saturating_sub(len.saturating_add(gaps))
        ..rows.min(end.saturating_add(cols - len).saturating_add(gaps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit_distance::{EditOptions, reference};
    use crate::engine::Engine;
    use crate::sequences::bit_parallel::inputs::{self, Random};
    use crate::sequences::bit_parallel::recurrence::Column;
    use crate::sequences::codes::Encoded;

    /// Compares all bounds with the reference, with short filters. Returns how many searches
    /// computed less than half of the table.
    fn assert_filtered(a: &[u32], b: &[u32], bounds: impl Iterator<Item = u64>) -> usize {
        let engine = Engine::cpu();
        let options = EditOptions {
            mode: Mode::Infix,
            ..EditOptions::default()
        };
        let codes = Encoded::new(b, a);
        let (distance, places) = reference::ends(a, b, Mode::Infix);
        let mut cheap = 0;
        for bound in bounds {
            for min_len in [1, 3, 8] {
                let mut search = PieceSearch::new(&engine, &options, None, &codes);
                let found = pollster::block_on(infix_ends(&mut search, min_len, bound))
                    .expect("not cancelled");
                let found = Some(found).filter(|found| found.distance <= bound);
                let wanted = (distance <= bound).then(|| Ends {
                    distance,
                    ends: places.clone(),
                });
                assert_eq!(
                    found, wanted,
                    "at most {bound}, {min_len} symbols\nlet (a, b) = (vec!{a:?}, vec!{b:?});"
                );
                cheap += usize::from(search.cells * 2 < (a.len() * b.len()) as u64);
            }
        }
        cheap
    }

    #[test]
    fn filtered_searches_match_the_reference_for_every_bound() {
        let mut random = Random::new(51);
        let mut cheap = 0;
        for case in 0..60 {
            let letters = 2 + random.below(5) as u32;
            let len = 1 + random.below(150);
            let (a, mut b) = (random.codes(len, letters), random.codes(len * 20, letters));
            // Copies with an edit in about eight symbols; they may be adjacent and touch both ends.
            for _ in 0..case % 4 {
                let copy = a.iter().flat_map(|&symbol| match random.below(24) {
                    0 => vec![],
                    1 => vec![symbol, 1],
                    2 => vec![2],
                    _ => vec![symbol],
                });
                let copy: Vec<u32> = copy.collect();
                let place = [0, b.len(), random.below(b.len())][random.below(3)];
                b.splice(place..b.len().min(place + copy.len()), copy);
            }
            cheap += assert_filtered(&a, &b, 0..=len as u64);
        }
        assert!(cheap > 500, "only {cheap} searches were filtered");
    }

    #[test]
    fn filtered_searches_match_the_reference_on_every_kind_of_input() {
        for (query, target) in [(40, 900), (60, 100), (90, 80)] {
            for (a, b) in inputs::pairs(query, target) {
                assert_filtered(&a, &b, (0..=a.len() as u64).filter(|bound| bound % 5 < 2));
            }
        }
    }

    #[test]
    fn windows_contain_near_pieces_and_are_disjoint() {
        // Ends 2, 3 and 9 of 12 rows are within the bound.
        let column = LastColumn {
            column: Column([vec![0b10_0000_1000], vec![0b1_0000_0010]]),
            above: 1,
        };
        assert_eq!(within(&column, 12, 0), [2..4, 9..10]);
        assert_eq!(windows(&column, 12, 3, 2, 0), [0..4, 7..10]);
        assert_eq!(
            windows(&column, 12, 3, 2, 1),
            std::slice::from_ref(&(0..12))
        );
    }
}
