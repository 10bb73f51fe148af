//! Search for a band that proves its own answer.
//!
//! A band yields the cost of some path, an upper bound of the least cost. A band that contains
//! every path of that cost proves it. The search widens the band until it does. It goes straight to
//! the width that the bound requires if that is not much wider than the last one.

use std::marker::PhantomData;

use super::{Computed, Kernels, SweepWork, midpoint, path, value};
use crate::call::control::Control;
use crate::error::Result;
use crate::host::threads::threads;
use crate::sequences::bit_parallel::band::Band;
use crate::sequences::bit_parallel::hirschberg::{Split, Sweep, Table};
use crate::sequences::blocks::Blocks;
use crate::sequences::codes::Codes;

/// First slack without a cost estimate.
pub(crate) const FIRST_SLACK: u64 = 512;
/// Factor from one band's slack to the next.
const GROWTH: u64 = 4;
/// Goes straight to the required band if it has at most this many times the cells of the next one.
const MAX_JUMP: u64 = 8;
/// Expected ratio of the least cost to the cost found in a narrow band.
const EXPECTED_IMPROVEMENT: f64 = 0.9;
/// Starts with the final band if it has at most this many times the cells of the first one.
const MAX_FIRST_JUMP: u64 = 3;

/// Table dimensions and the end of its paths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BandedTable {
    pub rows: u64,
    pub cols: u64,
    /// Whether paths end in the last cell, instead of anywhere in the last column.
    pub corner: bool,
}

impl BandedTable {
    pub(crate) fn new(rows: usize, cols: usize, corner: bool) -> Self {
        Self {
            rows: rows as u64,
            cols: cols as u64,
            corner,
        }
    }

    fn slack(&self, cost: u64) -> Option<u64> {
        if self.corner {
            Band::slack(self.rows, self.cols, cost)
        } else {
            (cost >= self.columns_over()).then_some(cost)
        }
    }

    /// The band of all paths with at most this slack. Contains at least one path.
    pub(crate) fn band(&self, slack: u64) -> Band {
        if self.corner {
            return Band::around(self.rows, self.cols, slack);
        }
        // Without an end cell, the diagonals are those of a square.
        Band::around(self.rows, self.rows, slack.max(self.columns_over()))
    }

    /// Columns beyond the last row: a path to the last column leaves the diagonal by at least that
    /// many.
    fn columns_over(&self) -> u64 {
        self.cols.saturating_sub(self.rows)
    }

    /// Rough cells of a band.
    pub(crate) fn cells(&self, slack: u64) -> u64 {
        let whole = u128::from(self.rows) * u128::from(self.cols);
        let cells =
            self.band(slack).cells(self.rows, self.cols) + u128::from(TILE) * u128::from(self.cols);
        u64::try_from(cells.min(whole)).unwrap_or(u64::MAX)
    }
}

/// Typical rows by which tiles extend beyond the edge of a band.
const TILE: u64 = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BandSearchResult {
    /// A path cost, and a slack whose band contains every optimal path. The cost is the least one
    /// for [`SearchGoal::Cost`].
    Within {
        cost: u64,
        slack: u64,
    },
    TooFar,
    NotWorth,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchGoal {
    Cost,
    /// A band for the path. The caller does its last and widest sweep, and only there a cost above
    /// the limit may appear.
    Band,
}

/// Widens a band until it proves the least cost, or that this exceeds `max_cost`.
///
/// `first` is the first slack, and `max_cost` is at most the greatest cost for this shape. `cost`
/// returns the least cost of paths in the band of a slack; bands above `max_cells` are not
/// computed.
pub(crate) fn search(
    shape: BandedTable,
    goal: SearchGoal,
    first: u64,
    max_cost: u64,
    max_cells: u64,
    mut cost: impl FnMut(u64) -> Result<u64>,
) -> Result<BandSearchResult> {
    let mut bound = max_cost;
    let Some(enough) = shape.slack(bound) else {
        return Ok(BandSearchResult::TooFar);
    };
    let small = first == FIRST_SLACK
        && shape.cells(enough) <= shape.cells(first).saturating_mul(MAX_FIRST_JUMP);
    let mut slack = if small { enough } else { first.min(enough) };
    let mut needed = enough;
    loop {
        if shape.cells(slack) > max_cells {
            return Ok(BandSearchResult::NotWorth);
        }
        if goal == SearchGoal::Band && needed <= slack {
            return Ok(BandSearchResult::Within {
                cost: bound,
                slack: needed,
            });
        }
        let found = cost(slack)?;
        if found <= max_cost {
            bound = found.min(bound);
            needed = shape.slack(bound).unwrap_or(enough);
            // Wider bands find slightly better paths.
            if shape.cells((needed as f64 * EXPECTED_IMPROVEMENT) as u64) > max_cells {
                return Ok(BandSearchResult::NotWorth);
            }
        }
        if needed <= slack {
            return Ok(if found <= max_cost {
                BandSearchResult::Within {
                    cost: found,
                    slack: needed,
                }
            } else {
                BandSearchResult::TooFar
            });
        }
        let next = slack.saturating_mul(GROWTH);
        let rush = shape.cells(needed) <= shape.cells(next).saturating_mul(MAX_JUMP);
        slack = if rush || next >= needed { needed } else { next };
    }
}

/// The CPU as a device that sweeps bands.
pub(crate) struct BandSweep<'a, R> {
    /// Maximum bytes of stored boundaries.
    pub limit_bytes: u64,
    pub max_cells: u64,
    pub control: &'a Control,
    pub cells: u64,
    /// Proven slack of the first part, or of one whose boundaries exceeded the limit.
    pub slack: Option<u64>,
    recurrence: PhantomData<R>,
}

impl<'a, R: Kernels> BandSweep<'a, R> {
    pub(crate) fn new(limit_bytes: u64, max_cells: u64, control: &'a Control) -> Self {
        Self {
            limit_bytes,
            max_cells,
            control,
            cells: 0,
            slack: None,
            recurrence: PhantomData,
        }
    }

    pub(crate) fn search(
        &mut self,
        codes: Codes<'_>,
        goal: SearchGoal,
        first: u64,
        max_cost: u64,
    ) -> Result<BandSearchResult> {
        let (shape, rows, cols) = (shape(codes), codes.a.len(), codes.b.len());
        let max_cost = max_cost.min(R::greatest_cost(rows, cols));
        search(shape, goal, first, max_cost, self.max_cells, |slack| {
            self.control.add_total(shape.cells(slack));
            let Computed { found, cells } = value::<R>(codes, shape.band(slack), self.control)?;
            self.cells += cells;
            Ok(R::cost(found, rows, cols))
        })
    }

    /// A slack whose band contains every optimal path of a part.
    fn proven_slack(&mut self, codes: Codes<'_>) -> Result<u64> {
        if let Some(slack) = self.slack.take() {
            return Ok(slack);
        }
        self.max_cells = u64::MAX;
        match self.search(codes, SearchGoal::Band, FIRST_SLACK, u64::MAX)? {
            BandSearchResult::Within { slack, .. } => Ok(slack),
            // Unreachable, since neither the cost nor the cells are limited.
            BandSearchResult::TooFar | BandSearchResult::NotWorth => Ok(u64::MAX),
        }
    }
}

fn shape(codes: Codes<'_>) -> BandedTable {
    BandedTable::new(codes.a.len(), codes.b.len(), true)
}

impl<R: Kernels> Sweep<R> for BandSweep<'_, R> {
    async fn midpoint(&mut self, Table { codes, .. }: Table<'_>) -> Result<Split> {
        let band = shape(codes).band(self.proven_slack(codes)?);
        let Computed { found, cells } = midpoint::<R>(codes, band, self.control)?;
        self.cells += cells;
        Ok(found)
    }

    async fn stored_path(&mut self, Table { codes, .. }: Table<'_>) -> Result<Option<Blocks>> {
        let slack = self.proven_slack(codes)?;
        let band = shape(codes).band(slack);
        let work = SweepWork::of(codes, band, threads(None));
        if work.path_bytes::<R>() > self.limit_bytes {
            self.slack = Some(slack);
            return Ok(None);
        }
        self.control.add_total(shape(codes).cells(slack));
        let Computed { found, cells } = path::<R>(codes, band, self.control)?;
        self.cells += cells;
        Ok(Some(found.0))
    }
}
