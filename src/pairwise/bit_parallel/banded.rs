//! Answers from bands of the table: what both problems share of choosing and searching them, on the CPU and on a GPU.

use crate::backend::Backend;
use crate::call::phases::Phases;
use crate::engine::{CPU, Engine};
use crate::error::Result;
use crate::pairwise::codes::Encoded;
use crate::pairwise::expected;
use crate::pairwise::search::{Outcome, Request};

use super::band::Band;
use super::cpu::banded::{BandSweep, Codes, FIRST_SLACK, Proven, Wanted};
use super::cpu::{self, Kernels};
use super::gpu::search;
use super::gpu::tiling::Shape;
use super::hirschberg;

/// The share of a GPU's expected time that is spent on bands on the CPU.
const TRIAL_SHARE: f64 = 0.05;
/// The share of the table's cells above which the whole table is swept at once.
const WORTH: f64 = 0.85;

/// The answer of bands; `None` where they are not expected to be cheaper than the whole table.
///
/// # Errors
/// What the device returns, and [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) async fn solve<R: Kernels>(
    engine: &Engine,
    gpu: Option<&dyn Backend>,
    codes: &Encoded,
    ask: Request<'_>,
    phases: &Phases,
) -> Result<Option<Outcome>> {
    let found = match gpu {
        Some(_) if ask.forced => None,
        _ => engine.on_threads(|| on_cpu::<R>(engine, gpu, codes, ask))?,
    };
    phases.lap("bands");
    match gpu {
        Some(gpu) if found.is_none() => search::<R>(&engine.device(gpu, ask.control, phases), codes, ask).await,
        _ => Ok(found),
    }
}

fn on_cpu<R: Kernels>(
    engine: &Engine,
    gpu: Option<&dyn Backend>,
    codes: &Encoded,
    ask: Request<'_>,
) -> Result<Option<Outcome>> {
    let shape = Shape::new(R::TABLE, codes.a.len() as u64, codes.b.len() as u64, codes.shared);
    let most_cells = match gpu {
        _ if ask.forced => u64::MAX,
        // A narrow band is one chain of tiles: more threads do not make it faster.
        Some(_) => cpu::cells_in(expected::expected_seconds(engine, gpu, shape) * TRIAL_SHARE, 1),
        None => (shape.cells() as f64 * WORTH) as u64,
    };
    let hopeful = ask.guess.is_some_and(|guess| shape.within(guess.min(ask.most)).cells() <= u128::from(most_cells));
    if !ask.forced && !hopeful {
        return Ok(None);
    }
    let mut sweep = BandSweep::<R>::new(engine.host_budget(), most_cells, ask.control);
    let wanted = if ask.path { Wanted::Band } else { Wanted::Cost };
    let pair = Codes { rows: &codes.a, cols: &codes.b, shared: codes.shared };
    let (mut cost, mut path, mut path_mode) = (None, None, "none");
    // A path takes one sweep more than its cost, so that its band had better be narrow.
    let guessed = ask.guess.and_then(|guess| Band::slack(shape.rows, shape.cols, guess)).filter(|_| !ask.path);
    let first = guessed.unwrap_or(FIRST_SLACK).max(FIRST_SLACK);
    match sweep.search(pair, wanted, (first, ask.most))? {
        Proven::NotWorth => return Ok(None),
        Proven::TooFar => {}
        Proven::Within { cost: found, .. } if !ask.path => cost = Some(found),
        Proven::Within { slack, .. } => {
            let found = hirschberg::path::<R, _>(sweep.with_slack(slack), &codes.a, &codes.b, codes.shared);
            let (found, mode) = pollster::block_on(found)?;
            let of_path = R::path_cost(&found, &codes.a, &codes.b);
            if of_path <= ask.most {
                (cost, path, path_mode) = (Some(of_path), Some(found), mode);
            }
        }
    }
    let computed_cells = u128::from(sweep.cells);
    Ok(Some(Outcome { cost, path, path_mode, device: CPU.to_string(), computed_cells }))
}
