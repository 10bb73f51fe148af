//! Banded answers on the CPU, and their expected time.

use super::band::Band;
use super::cpu::banded::{
    BandSearchResult, BandSweep, BandedTable, FIRST_SLACK, SearchGoal, search,
};
use super::cpu::corridor::{self, Goal};
use super::cpu::{self, Computed, Kernels, SweepWork};
use super::hirschberg;
use crate::call::hand_over::ready;
use crate::call::phase::Phase;
use crate::engine::Engine;
use crate::engine::placement::Cost;
use crate::error::Result;
use crate::path_mode::PathMode;
use crate::sequences::codes::Codes;
use crate::sequences::cost_estimate::CostEstimate;
use crate::sequences::request::{Found, Outcome, Request};

/// Answer by bands of at most `max_cells` cells; `None` if they need more.
pub(crate) fn solve<R: Kernels>(
    engine: &Engine,
    codes: Codes<'_>,
    request: Request<'_>,
    max_cells: u64,
) -> Result<Option<Found>> {
    let (rows, cols) = (codes.a.len(), codes.b.len());
    if let Some(outcome) = in_corridor::<R>(engine, codes, request)? {
        return Ok(Some(outcome));
    }
    let mut sweep = BandSweep::<R>::new(engine.host_budget(), max_cells, request.control);
    let (mut cost, mut path, mut path_mode) = (None, None, PathMode::None);
    let table = BandedTable::new(rows, cols, true);
    let expected = Expected::of::<R>(table, request);
    let walked = if request.path {
        cpu::walk_work(cols)
    } else {
        0
    };
    request.control.set_estimate(
        expected
            .slacks()
            .map(|slack| table.cells(slack))
            .fold(walked, u64::saturating_add),
    );
    match sweep.search(
        codes,
        search_goal(request),
        first_slack(rows, cols, request),
        request.max_cost,
    )? {
        BandSearchResult::NotWorth => return Ok(None),
        BandSearchResult::TooFar => {}
        BandSearchResult::Within { cost: found, .. } if !request.path => cost = Some(found),
        BandSearchResult::Within { slack, .. } => {
            request.control.set_phase(Phase::Path);
            sweep.slack = Some(slack);
            let (found, mode) = ready(hirschberg::path::<R, _>(&mut sweep, codes))?;
            let of_path = R::path_cost(&found, codes.a, codes.b);
            if of_path <= request.max_cost {
                (cost, path, path_mode) = (Some(of_path), Some(found), mode);
            }
        }
    }
    Ok(Some(Found {
        answer: Outcome { cost, path },
        path_mode,
        computed_cells: sweep.cells.into(),
    }))
}

/// Minimum length of sequences that are worth the lower bounds of a corridor.
const MIN_CORRIDOR_LEN: usize = 1 << 14;
/// Expected cost per thread that makes a corridor high enough for all of them.
const MIN_COST_PER_THREAD: u64 = 1 << 13;

/// Answer by a corridor; `None` if bands are expected to be faster, or a path needs too much memory.
fn in_corridor<R: Kernels>(
    engine: &Engine,
    codes: Codes<'_>,
    request: Request<'_>,
) -> Result<Option<Found>> {
    let is_long = codes.a.len().min(codes.b.len()) >= MIN_CORRIDOR_LEN;
    let threads = engine.threads() as u64;
    let is_high = |estimate: &CostEstimate| {
        threads <= 2 || estimate.expected / MIN_COST_PER_THREAD >= threads
    };
    let Some(estimate) = request
        .estimate
        .filter(|estimate| is_long && is_high(estimate))
    else {
        return Ok(None);
    };
    let goal = Goal {
        estimate,
        max_cost: request.max_cost,
        path: request.path,
        limit_bytes: engine.host_budget(),
    };
    let found = corridor::solve::<R>(codes, goal, request.control)?;
    Ok(found.map(|Computed { found, cells }| Found {
        path_mode: PathMode::StoredBoundaries.if_path(found.path.is_some()),
        computed_cells: cells.into(),
        answer: found,
    }))
}

fn search_goal(request: Request<'_>) -> SearchGoal {
    if request.path {
        SearchGoal::Band
    } else {
        SearchGoal::Cost
    }
}

/// Slack of the first band. A path needs one more sweep, so its search starts narrow.
fn first_slack(rows: usize, cols: usize, request: Request<'_>) -> u64 {
    let slack = request
        .estimate
        .and_then(|estimate| Band::slack(rows as u64, cols as u64, estimate.upper))
        .filter(|_| !request.path);
    slack.unwrap_or(FIRST_SLACK).max(FIRST_SLACK)
}

/// Expected bands of [`solve`] if the cost is as estimated; the worst case without an estimate.
struct Expected {
    /// Slacks of the bands swept for the cost.
    swept: Vec<u64>,
    /// Slack of the band swept for the path, if requested.
    path: Option<u64>,
}

impl Expected {
    fn of<R: Kernels>(shape: BandedTable, request: Request<'_>) -> Self {
        let (rows, cols) = (shape.rows as usize, shape.cols as usize);
        let greatest = R::greatest_cost(rows, cols);
        let expected = request
            .estimate
            .map_or(greatest, |estimate| estimate.expected)
            .max(shape.rows.abs_diff(shape.cols));
        let mut swept = Vec::new();
        let sweep = |slack| {
            swept.push(slack);
            Ok(expected)
        };
        let (first, goal) = (first_slack(rows, cols, request), search_goal(request));
        let max_cost = request.max_cost.min(greatest);
        let path = match search(shape, goal, first, max_cost, u64::MAX, sweep) {
            Ok(BandSearchResult::Within { slack, .. }) if request.path => Some(slack),
            _ => None,
        };
        Self { swept, path }
    }

    fn slacks(&self) -> impl Iterator<Item = u64> {
        self.swept.iter().copied().chain(self.path)
    }
}

pub(crate) fn cost<R: Kernels>(work: &SweepWork, request: Request<'_>, budget_bytes: u64) -> Cost {
    let shape = BandedTable::new(work.rows, work.cols, true);
    let in_band = |slack| SweepWork {
        band: shape.band(slack),
        ..*work
    };
    let expected = Expected::of::<R>(shape, request);
    let swept: f64 = expected
        .swept
        .iter()
        .map(|&slack| in_band(slack).seconds::<R>())
        .sum();
    let last = expected.slacks().last().unwrap_or(0);
    let cost = cpu::cost::<R>(&in_band(last), expected.path.map(|_| budget_bytes));
    let path = if expected.path.is_some() {
        cost.seconds
    } else {
        0.0
    };
    Cost {
        seconds: swept + path,
        ..cost
    }
}
