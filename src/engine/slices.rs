//! Runs a loaded plan in slices: calibrated, stamped, cancellable.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::backend::{Loaded, Pending, Span};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::plan::Pass;

/// Cells of the first slice: about 30 ms on a slow GPU.
const FIRST_CELLS: u64 = 1 << 34;
/// Most passes of one submission.
const MOST_PASSES: usize = 4096;
/// Most passes of the first one: the device starts on them while the others are recorded.
const FIRST_PASSES: usize = 8;
/// Submissions in flight: one runs while the next is recorded.
const IN_FLIGHT: usize = 2;

/// Decides how many cells a slice takes from how long the last ones took.
#[derive(Debug)]
struct Pace {
    target: Duration,
    cells: u64,
}

impl Pace {
    /// The next slice's share: four times as much at the most, half after an overrun.
    fn adjust(&mut self, cells: u64, elapsed: Duration) {
        let ratio = self.target.as_secs_f64() / elapsed.as_secs_f64().max(1e-6);
        let aimed = cells as f64 * if ratio < 0.5 { 0.5 } else { ratio.min(4.0) };
        self.cells = (aimed as u64).max(1);
    }

    /// How many of `passes` fit into the next slice, at least one and no more than `most`.
    fn take(&self, passes: &[Pass], most: usize) -> usize {
        let mut cells = 0u64;
        let fitting = passes.iter().take(most).take_while(|pass| {
            cells = cells.saturating_add(pass.cells);
            cells <= self.cells
        });
        fitting.count().max(1)
    }
}

struct InFlight {
    stamp: u32,
    cells: u64,
    arriving: Pending<u32>,
}

/// Runs all passes in order and reads the words of `spans` behind the last. Each slice leaves a stamp that is checked when it is
/// done.
///
/// # Errors
/// [`Error::MissingStamp`] when a slice claims success without its stamp, [`Error::Cancelled`], [`Error::DeviceLost`].
pub async fn run(
    loaded: &mut dyn Loaded,
    device: &str,
    passes: &[Pass],
    spans: &[Span],
    target: Duration,
    control: &Control,
) -> Result<Vec<u32>> {
    let mut pace = Pace { target, cells: FIRST_CELLS };
    let mut rest = passes;
    let mut in_flight = VecDeque::with_capacity(IN_FLIGHT);
    let mut stamp = 0;
    let mut words = None;
    let mut last_done = Instant::now();
    while !rest.is_empty() || !in_flight.is_empty() {
        control.check()?;
        while !rest.is_empty() && in_flight.len() < IN_FLIGHT {
            let most = if stamp == 0 { FIRST_PASSES } else { MOST_PASSES };
            let (slice, later) = rest.split_at(pace.take(rest, most));
            stamp += 1;
            let cells = slice.iter().map(|pass| pass.cells).sum();
            in_flight.push_back(InFlight { stamp, cells, arriving: loaded.submit(slice, stamp)? });
            rest = later;
        }
        if rest.is_empty() && words.is_none() {
            // Behind the last slice, not when it is known to be done.
            words = Some(loaded.read(spans)?);
        }
        if let Some(slice) = in_flight.pop_front() {
            if slice.arriving.await? != slice.stamp {
                return Err(Error::MissingStamp { device: device.to_string(), slice: slice.stamp });
            }
            pace.adjust(slice.cells, last_done.elapsed());
            last_done = Instant::now();
            control.advance(slice.cells);
        }
    }
    control.check()?;
    match words {
        Some(words) => words.await,
        None => loaded.read(spans)?.await,
    }
}
