//! Bands: only the diagonals that a path of the distance can reach are computed.
//!
//! What a band gives is the cost of a path, so it bounds the least cost from above; a band that holds every path of that cost
//! proves it. The search widens the band until it does, at once where the bound says how wide it has to be and that is not much
//! more than was tried.

use std::marker::PhantomData;

use crate::call::control::Control;
use crate::error::Result;
use crate::pairwise::bit_parallel::band::Band;
use crate::pairwise::bit_parallel::hirschberg::Sweep;
use crate::pairwise::blocks::Blocks;

use super::{Counted, Kernels, boundary_bytes, midpoint, path, value};

/// Two sequences in codes that both share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Codes<'a> {
    pub rows: &'a [u32],
    pub cols: &'a [u32],
    pub shared: u32,
}

/// The first slack that is tried where nothing is known.
pub(crate) const FIRST_SLACK: u64 = 512;
/// How much wider the next band is.
const GROWTH: u64 = 4;
/// How much more than the next band may be computed to be done at once.
const RUSH: u64 = 8;
/// The share of a narrow band's cost that the least cost may well have.
const BETTER: f64 = 0.9;
/// How much more than the first band may be computed to be done at once.
const SMALL: u64 = 3;

/// Tables of one shape, and the bands in them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub rows: u64,
    pub cols: u64,
    /// Whether paths end in the last row, or anywhere in the last column.
    pub corner: bool,
}

impl Shape {
    /// How far a path of this cost leaves the diagonals between its ends, at most; `None` where there is no such path.
    fn slack(&self, cost: u64) -> Option<u64> {
        if self.corner {
            Band::slack(self.rows, self.cols, cost)
        } else {
            (cost >= self.columns_over()).then_some(cost)
        }
    }

    /// The band that holds every path that leaves those diagonals by no more, and one path at least.
    pub(crate) fn band(&self, slack: u64) -> Band {
        if self.corner {
            return Band::around(self.rows, self.cols, slack);
        }
        // Without a corner to end in, the diagonals are those of a square.
        Band::around(self.rows, self.rows, slack.max(self.columns_over()))
    }

    /// Columns that no row is left for: a path from the first cell to the last column goes that far off the diagonal.
    fn columns_over(&self) -> u64 {
        self.cols.saturating_sub(self.rows)
    }

    /// Cells of a band, roughly.
    pub(crate) fn cells(&self, slack: u64) -> u64 {
        let whole = u128::from(self.rows) * u128::from(self.cols);
        let cells =
            self.band(slack).cells(self.rows, self.cols) + u128::from(TILE) * u128::from(self.cols);
        u64::try_from(cells.min(whole)).unwrap_or(u64::MAX)
    }
}

/// Rows by which tiles at the edge of a band overlap it, roughly.
const TILE: u64 = 4096;

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proven {
    /// A cost that is no less than the least, and a slack whose band holds every best path.
    Within { cost: u64, slack: u64 },
    /// The least cost is greater than the greatest that was asked for.
    TooFar,
    /// It would take more cells than it may.
    NotWorth,
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The least cost itself.
    Cost,
    /// A band for the path: its last, widest sweep is left to the caller. Only there a cost beyond `most` may come out.
    Band,
}

/// Widens a band until it proves the least cost, or that it is greater than `most`.
///
/// Starts with the slack `first`. `most` is no more than what any two sequences of this shape cost. `cost` gives the least cost
/// of paths in a band of this slack; a band is not computed where it takes more than `most_cells`.
///
/// # Errors
/// What `cost` returns.
pub(crate) fn search(
    shape: Shape,
    wanted: Wanted,
    (first, most): (u64, u64),
    most_cells: u64,
    mut cost: impl FnMut(u64) -> Result<u64>,
) -> Result<Proven> {
    let mut bound = most;
    let Some(enough) = shape.slack(bound) else {
        return Ok(Proven::TooFar);
    };
    let small =
        first == FIRST_SLACK && shape.cells(enough) <= shape.cells(first).saturating_mul(SMALL);
    let mut slack = if small { enough } else { first.min(enough) };
    let mut needed = enough;
    loop {
        if shape.cells(slack) > most_cells {
            return Ok(Proven::NotWorth);
        }
        if wanted == Wanted::Band && needed <= slack {
            return Ok(Proven::Within {
                cost: bound,
                slack: needed,
            });
        }
        let found = cost(slack)?;
        if found <= most {
            bound = found.min(bound);
            needed = shape.slack(bound).unwrap_or(enough);
            // Wider bands find somewhat better paths.
            if shape.cells((needed as f64 * BETTER) as u64) > most_cells {
                return Ok(Proven::NotWorth);
            }
        }
        if needed <= slack {
            return Ok(if found <= most {
                Proven::Within {
                    cost: found,
                    slack: needed,
                }
            } else {
                Proven::TooFar
            });
        }
        let next = slack.saturating_mul(GROWTH);
        let rush = shape.cells(needed) <= shape.cells(next).saturating_mul(RUSH);
        slack = if rush || next >= needed { needed } else { next };
    }
}

/// The CPU as a device that sweeps bands.
pub(crate) struct BandSweep<'a, R> {
    /// The most bytes of stored boundaries.
    pub limit_bytes: u64,
    /// Cells that a band may take.
    pub most_cells: u64,
    pub control: &'a Control,
    /// Cells that were computed.
    pub cells: u64,
    /// The slack of the part that [`Sweep::stored_path`] had no room for.
    slack: Option<u64>,
    recurrence: PhantomData<R>,
}

impl<'a, R: Kernels> BandSweep<'a, R> {
    pub(crate) fn new(limit_bytes: u64, most_cells: u64, control: &'a Control) -> Self {
        Self {
            limit_bytes,
            most_cells,
            control,
            cells: 0,
            slack: None,
            recurrence: PhantomData,
        }
    }

    /// The least cost where it is at most `most`, or a band for the path.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
    pub(crate) fn search(
        &mut self,
        codes: Codes<'_>,
        wanted: Wanted,
        (first, most): (u64, u64),
    ) -> Result<Proven> {
        let shape = shape(codes);
        let most = most.min(R::greatest_cost(codes.rows.len(), codes.cols.len()));
        search(shape, wanted, (first, most), self.most_cells, |slack| {
            self.control.add_total(shape.cells(slack));
            let pair = (codes.rows, codes.cols);
            let Counted { found, cells } =
                value::<R>(pair, codes.shared, shape.band(slack), self.control)?;
            self.cells += cells;
            Ok(R::cost(found, codes.rows.len(), codes.cols.len()))
        })
    }

    /// Starts [`hirschberg::path`](crate::pairwise::bit_parallel::hirschberg::path) with a slack that is known to hold every best path.
    pub(crate) fn with_slack(&mut self, slack: u64) -> &mut Self {
        self.slack = Some(slack);
        self
    }

    /// A slack that holds every best path of a part.
    fn proven_slack(&mut self, codes: Codes<'_>) -> Result<u64> {
        if let Some(slack) = self.slack.take() {
            return Ok(slack);
        }
        self.most_cells = u64::MAX;
        match self.search(codes, Wanted::Band, (FIRST_SLACK, u64::MAX))? {
            Proven::Within { slack, .. } => Ok(slack),
            // No cost is greater than all numbers, nor are the cells of a table.
            Proven::TooFar | Proven::NotWorth => Ok(u64::MAX),
        }
    }
}

fn shape(codes: Codes<'_>) -> Shape {
    Shape {
        rows: codes.rows.len() as u64,
        cols: codes.cols.len() as u64,
        corner: true,
    }
}

impl<R: Kernels> Sweep<R> for BandSweep<'_, R> {
    async fn midpoint(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<(usize, usize)> {
        let codes = Codes {
            rows: a,
            cols: b,
            shared,
        };
        let band = shape(codes).band(self.proven_slack(codes)?);
        let Counted { found, cells } = midpoint::<R>((a, b), shared, band, self.control)?;
        self.cells += cells;
        Ok(found)
    }

    async fn stored_path(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<Option<Blocks>> {
        let codes = Codes {
            rows: a,
            cols: b,
            shared,
        };
        let slack = self.proven_slack(codes)?;
        let band = shape(codes).band(slack);
        if boundary_bytes::<R>(a.len(), b.len(), band) > self.limit_bytes {
            self.slack = Some(slack);
            return Ok(None);
        }
        self.control.add_total(shape(codes).cells(slack));
        let Counted { found, cells } = path::<R>((a, b), shared, band, self.control)?;
        self.cells += cells;
        Ok(Some(found.0))
    }
}
