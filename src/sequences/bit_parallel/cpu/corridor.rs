//! Sweep of the tiles that a path of bounded cost can cross: the least cost, and the path, of
//! similar sequences.
//!
//! A cell is of interest if its value and a lower bound of the remaining cost are within the limit
//! (A*PA2: Groot Koerkamp 2024, doi:10.4230/LIPIcs.WABI.2024.17). The remaining cost is at least the
//! distance to the last diagonal, and at least the number of remaining seeds, disjoint pieces of the
//! columns, that occur in the rows on no diagonal of interest. Away from the diagonals of all other
//! seeds these are missed as well, until the path has come back ([`Floor`]). A strip begins where a
//! value of interest reaches its upper edge, and ends once its left edge has none. Values of interest are
//! exact, others may be too great. A cost within the limit is therefore the least one. The limit is
//! the cost of the best path in a beam, a corridor around the most promising cells.
//!
//! Values are known at every 63 rows or 64 columns. Between these cells a value differs from its
//! neighbour's by at most one, so the known values give lower bounds of the others.

use super::coding::Coding;
use super::corridor_sweep::{BEAM, Limit, Swept};
use super::floor::Floor;
use super::kept::Keep;
use super::kernels::{Kernel, Kernels};
use super::schedule::BLOCK_COLS;
use super::seconds::walk_work;
use super::table::StripTable;
use super::values::Computed;
use crate::call::control::Control;
use crate::error::Result;
use crate::sequences::bit_parallel::band::Band;
use crate::sequences::codes::Codes;
use crate::sequences::cost_estimate::CostEstimate;
use crate::sequences::request::Outcome;

/// Addition to the expected cost for the width of the beam's band: a share, and a constant.
const MARGIN_DIVISOR: u64 = 32;
const MARGIN: u64 = 64;
/// Height, in strips, from which several threads sweep a corridor.
const MIN_PARALLEL_STRIPS: u64 = 2;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    pub estimate: CostEstimate,
    pub max_cost: u64,
    pub path: bool,
    /// Maximum bytes that a sweep keeps for the path.
    pub limit_bytes: u64,
}

/// Least cost of a pair, and its canonical path. `None` if the beam finds no path within the upper
/// estimate, so that a band of that cost has fewer cells, or if a path needs too much memory.
pub(crate) fn solve<R: Kernels>(
    codes: Codes<'_>,
    goal: Goal,
    control: &Control,
) -> Result<Option<Computed<Outcome>>> {
    let (rows, cols) = (codes.a.len(), codes.b.len());
    let most = goal.max_cost.min(R::greatest_cost(rows, cols));
    let coding = Coding::new(codes);
    let band = |cost| {
        let slack = Band::slack(rows as u64, cols as u64, cost);
        slack.map(|slack| Band::around(rows as u64, cols as u64, slack))
    };
    let table = |kernel, keep| {
        let (block_cols, first_column) = (BLOCK_COLS, R::FIRST_COLUMN);
        let whole = Band::WHOLE;
        StripTable::<R>::with_kernel(kernel, coding, codes, block_cols, first_column, whole)
            .keeping(keep)
    };
    let too_far = |cells| Computed {
        found: Outcome::default(),
        cells,
    };

    let walk_cells = if goal.path { walk_work(cols) } else { 0 };
    let expected = goal.estimate.expected.max(rows.abs_diff(cols) as u64);
    let expected = expected.saturating_add(expected / MARGIN_DIVISOR + MARGIN);
    let expected = expected.min(most);
    let Some(beam_band) = band(expected) else {
        return Ok(Some(too_far(0)));
    };
    let blocks = cols.div_ceil(BLOCK_COLS);
    let (kernel, keep) = kernel_for::<R>(rows, cols, coding.planes, 0, false);
    let beam_cells = vec![cells_of_column(&kernel, rows, BEAM as u64); blocks];
    // The sweep's height falls from the excess over the lower bound to 0 if that is missed evenly.
    let rest = |excess: u64| {
        let columns = beam_cells[0].saturating_add(cells_of_column(&kernel, rows, excess / 2));
        columns
            .saturating_mul(blocks as u64)
            .saturating_add(walk_cells)
    };
    let floor_cells = Floor::work(rows);
    control.set_estimate(floor_cells.saturating_add(rest(expected / 2)));
    let mut floor = Floor::new(codes, beam_band, control);
    control.set_estimate(rest(expected.saturating_sub(floor.at_start() as u64)));
    let beam =
        table(kernel, keep).run_in_corridor(Limit::Beam, &floor, true, &beam_cells, control)?;
    let (upper, least_sums, beam_cells) = (beam.cost, beam.least_sums, beam.table.cells);
    let Some(upper) = upper.filter(|&upper| upper <= goal.estimate.upper) else {
        return Ok(None);
    };

    let limit = upper.min(most);
    let Some(band) = band(limit) else {
        return Ok(Some(too_far(beam_cells)));
    };
    // Bounds for a wider band hold in a narrower one.
    if limit > expected {
        control.set_estimate(floor_cells.saturating_add(rest(limit / 2)));
        floor = Floor::new(codes, band, control);
    }
    let height = limit.saturating_sub(floor.at_start() as u64);
    let (kernel, keep) = kernel_for::<R>(rows, cols, coding.planes, height, goal.path);
    let tiles = band.tiles(rows, cols, kernel.strip_rows(), BLOCK_COLS);
    let bytes = kernel.kept_bytes::<R>(BLOCK_COLS, keep) as u64;
    if tiles.saturating_mul(bytes) > goal.limit_bytes {
        return Ok(None);
    }
    // The beam is close to the least path, which leaves the rest of the limit to other ones.
    let columns: Vec<_> = least_sums
        .iter()
        .map(|&least| {
            let height = (limit as i64).saturating_sub(least).max(0) as u64;
            cells_of_column(&kernel, rows, height)
        })
        .collect();
    control.set_estimate(columns.iter().sum::<u64>().saturating_add(walk_cells));
    let is_serial = height < MIN_PARALLEL_STRIPS * kernel.strip_rows() as u64;
    let Swept { table, cost, .. } = table(kernel, keep).run_in_corridor(
        Limit::Cost(limit as i64),
        &floor,
        is_serial,
        &columns,
        control,
    )?;
    let cells = beam_cells + table.cells;
    match cost {
        Some(cost) if cost <= limit => {
            let walk = || table.walk(codes, control);
            let found = Outcome {
                cost: Some(cost),
                path: goal.path.then(walk).transpose()?,
            };
            Ok(Some(Computed { found, cells }))
        }
        // A path within the limit would have been found.
        _ => Ok(Some(too_far(cells)).filter(|_| limit < upper)),
    }
}

/// Expected cells of a column of tiles in a corridor of this height, which ends within a strip.
fn cells_of_column(kernel: &Kernel, rows: usize, height: u64) -> u64 {
    let rows = (kernel.strip_rows() as u64)
        .saturating_add(height)
        .min(rows as u64);
    rows * BLOCK_COLS as u64
}

fn kernel_for<R: Kernels>(
    rows: usize,
    cols: usize,
    planes: usize,
    height: u64,
    path: bool,
) -> (Kernel, Keep) {
    let kernel = |keep| {
        let narrow = R::pick_narrow(height, planes);
        narrow.unwrap_or_else(|| R::pick(rows, planes, keep == Keep::Boundaries))
    };
    let strip_rows = kernel(Keep::Entries).strip_rows();
    // A corridor crosses about one strip more than it is high, and one more at its edges.
    let strips = 2 + height / strip_rows as u64;
    let tiles = strips.saturating_mul(cols.div_ceil(BLOCK_COLS) as u64);
    let keep = if path {
        Keep::of_path(tiles, rows, cols, strip_rows, BLOCK_COLS, 1)
    } else {
        Keep::Nothing
    };
    (kernel(keep), keep)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::super::{path, value};
    use super::*;
    use crate::sequences::bit_parallel::inputs::{self, Random};
    use crate::sequences::bit_parallel::recurrence::{Edit, Lcs, Recurrence};
    use crate::sequences::codes::Encoded;

    /// Compares with whole tables, for estimates that are too low, right and too high, and for
    /// bounds. Returns the number of calls without an answer, of 30.
    fn assert_corridor<R: Kernels>(a: &[u32], b: &[u32]) -> usize {
        let (encoded, control) = (Encoded::new(a, b), Control::default());
        let codes = encoded.codes();
        let whole = path::<R>(codes, Band::WHOLE, &control).expect("not cancelled");
        let (expected_path, last) = whole.found;
        let cost = R::cost(last, a.len(), b.len());
        let mut left_open = 0;
        for estimate in [cost, 0, cost / 2, cost + cost / 3, u64::MAX / 4] {
            for max_cost in [u64::MAX, cost, cost.saturating_sub(1)] {
                for is_path in [false, true] {
                    let goal = Goal {
                        estimate: CostEstimate {
                            expected: estimate,
                            upper: u64::MAX,
                        },
                        max_cost,
                        path: is_path,
                        limit_bytes: u64::MAX,
                    };
                    let found = solve::<R>(codes, goal, &control).expect("not cancelled");
                    let Some(Computed { found, .. }) = found else {
                        left_open += 1;
                        continue;
                    };
                    let shown = || format!("{:?} {goal:?} {} {}", R::TABLE, a.len(), b.len());
                    let is_within = cost <= max_cost;
                    assert_eq!(found.cost, is_within.then_some(cost), "{}", shown());
                    let path = (is_within && is_path).then_some(&expected_path);
                    assert!(found.path.as_ref() == path, "{}", shown());
                }
            }
        }
        left_open
    }

    fn cost_goal(expected: u64, upper: u64) -> Goal {
        Goal {
            estimate: CostEstimate { upper, expected },
            max_cost: u64::MAX,
            path: false,
            limit_bytes: u64::MAX,
        }
    }

    fn assert_both(a: &[u32], b: &[u32]) -> usize {
        assert_corridor::<Lcs>(a, b) + assert_corridor::<Edit>(a, b)
    }

    #[test]
    fn corridors_of_edited_copies_match_whole_tables() {
        let (mut random, mut left_open) = (Random::new(81), 0);
        for letters in [1, 2, 4, 20, 300] {
            for every in [3, 10, 100] {
                let len = 7000 + random.below(200);
                let a = random.codes(len, letters);
                let mut b = random.edited(&a, every, letters);
                left_open += assert_both(&a, &b);
                // A long gap, and a moved part.
                let moved: Vec<_> = b.drain(500..2000).collect();
                left_open += assert_both(&a, &b);
                b.splice(4000..4000, moved);
                left_open += assert_both(&b, &a);
            }
        }
        // The beam of narrow strips, as of AVX2, loses a few.
        let calls = 5 * 3 * 3 * 60;
        assert!(left_open <= calls / 10, "{left_open} of {calls}");
    }

    #[test]
    fn corridors_match_whole_tables_on_every_kind_of_input() {
        let (mut calls, mut left_open) = (0, 0);
        for (rows, cols) in [(3100, 3000), (1600, 4700), (1024, 1025)] {
            for (a, b) in inputs::pairs(rows, cols) {
                if !a.is_empty() && !b.is_empty() {
                    left_open += assert_both(&a, &b);
                    calls += 60;
                }
            }
        }
        // The beam can die between sequences that have little in common.
        assert!(left_open < calls / 3, "{left_open} of {calls}");
    }

    #[test]
    fn corridors_of_similar_sequences_are_narrow() {
        let mut random = Random::new(83);
        let a = random.codes(60_000, 4);
        let b = random.edited(&a, 20, 4);
        let (codes, control) = (Encoded::new(&a, &b), Control::default());
        let whole = value::<Edit>(codes.codes(), Band::WHOLE, &control);
        let found = solve::<Edit>(codes.codes(), cost_goal(2500, 3500), &control);
        let found = found
            .expect("not cancelled")
            .expect("the beam keeps the path");
        let cost = Edit::cost(whole.expect("not cancelled").found, a.len(), b.len());
        assert_eq!(found.found.cost, Some(cost));
        assert!(found.cells < 60_000 * 60_000 / 6, "{}", found.cells);
    }

    #[test]
    fn fractions_of_a_corridor_rise_evenly_to_its_end() {
        let mut random = Random::new(86);
        let a = random.codes(60_000, 4);
        for every in [5, 20, 60] {
            let b = random.edited(&a, every, 4);
            let codes = Encoded::new(&a, &b);
            let reports = Arc::new(Mutex::new(vec![0.0]));
            let seen = reports.clone();
            let control = Control::default().on_progress(move |progress| {
                seen.lock().expect("unharmed").push(progress.fraction);
            });
            let expected = 60_000 / every as u64;
            let found = solve::<Edit>(codes.codes(), cost_goal(expected, 2 * expected), &control);
            let found = found.expect("not cancelled");
            assert!(
                found.is_some_and(|found| found.found.cost.is_some()),
                "{every}"
            );
            let reports = reports.lock().expect("unharmed");
            // A report is of one column of tiles, or of the seeds of a block.
            let steps = reports.windows(2).map(|pair| pair[1] - pair[0]);
            let longest = steps.fold(0.0, f64::max);
            assert!(longest < 0.2, "{every}: {longest}");
            assert!(reports.last().is_some_and(|last| *last > 0.95), "{every}");
        }
    }

    #[test]
    fn several_threads_sweep_a_high_corridor() {
        let mut random = Random::new(84);
        let a = random.codes(30_000, 4);
        let b = random.edited(&a, 3, 4);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4);
        let pool = pool.build().expect("four threads");
        assert_eq!(pool.install(|| assert_both(&a, &b)), 0);
    }

    #[test]
    fn a_path_beyond_the_upper_estimate_is_left_to_bands() {
        let mut random = Random::new(85);
        let a = random.codes(20_000, 4);
        let mut b = a.clone();
        b.splice(10_000..10_000, random.codes(5000, 4));
        let (codes, control) = (Encoded::new(&a, &b), Control::default());
        let cost = |upper| {
            let found = solve::<Edit>(codes.codes(), cost_goal(5000, upper), &control);
            found.expect("not cancelled").map(|found| found.found.cost)
        };
        assert_eq!(cost(4999), None);
        assert_eq!(cost(u64::MAX), Some(Some(5000)));
    }
}
