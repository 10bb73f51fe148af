//! Search for a band that proves its own answer.
//!
//! A band yields the cost of some path, an upper bound of the least cost. A band that contains
//! every path of that cost proves it. The first band is sized by the estimate, the second one
//! contains every path at most as costly as the first result.

use super::{GpuSweep, StoredSweep};
use crate::engine::Device;
use crate::error::Result;
use crate::path_mode::PathMode;
use crate::sequences::bit_parallel::hirschberg;
use crate::sequences::bit_parallel::recurrence::Recurrence;
use crate::sequences::bit_parallel::shape::Shape;
use crate::sequences::codes::Codes;
use crate::sequences::request::{Found, Outcome, Request};

/// Answer by bands, starting with all paths of the estimated cost. `None` without an estimate, and
/// if bands are expected to take as long as the full table.
pub(crate) async fn search<R: Recurrence>(
    device: &Device<'_>,
    codes: Codes<'_>,
    request: Request<'_>,
) -> Result<Option<Found>> {
    let Some(upper) = request.estimate.map(|estimate| estimate.upper) else {
        return Ok(None);
    };
    let whole = Shape::of(R::TABLE, codes);
    // The cost is at least the difference of the lengths.
    let mut bound = upper
        .max(whole.rows.abs_diff(whole.cols))
        .min(request.max_cost);
    let mut computed_cells = 0;
    // The next band reuses the uploaded sequences.
    let session = device.open_session()?;
    let (cost, path) = loop {
        let sweep = GpuSweep {
            bound,
            ..GpuSweep::new(device, request.tuning)
        };
        let Some(banded) = sweep.sizing().band(whole, bound, request.forced())? else {
            return Ok(None);
        };
        let swept = banded.cells();
        computed_cells += swept;
        let tiling = if request.path {
            sweep.sizing().path_tiling(banded)?
        } else {
            None
        };
        let work = if request.path {
            sweep.sizing().path_work(banded, tiling.as_ref())
        } else {
            u64::try_from(swept).unwrap_or(u64::MAX)
        };
        request.control.set_estimate(work);
        let stored = match tiling {
            Some((tiling, layout)) => {
                Some(StoredSweep::sweep::<R>(&session, tiling, layout, codes).await?)
            }
            None => None,
        };
        let mut split = None;
        let value = match &stored {
            Some(stored) => stored.result.value(),
            None if request.path => {
                let tiling = sweep.sizing().midpoint_tiling(banded)?;
                let (value, found) = sweep.split::<R>(&session, &tiling, codes).await?;
                split = Some(found);
                value
            }
            None => sweep.value_in::<R>(&session, codes).await?,
        };
        let found = R::cost(value, codes.a.len(), codes.b.len());
        if found <= bound {
            let path = match (stored, split) {
                (Some(stored), _) => {
                    let path = stored.walk::<R>().await?;
                    Some((path, PathMode::StoredBoundaries))
                }
                (None, Some(split)) => {
                    let mut sweep = GpuSweep {
                        bound: found,
                        ..sweep
                    };
                    computed_cells += swept;
                    // Subproblems open their own sessions, which would wait for this one's memory.
                    session.give_back();
                    let path = hirschberg::path_through::<R, _>(&mut sweep, codes, split);
                    Some(path.await?)
                }
                (None, None) => None,
            };
            break (Some(found), path);
        }
        if bound == request.max_cost {
            break (None, None);
        }
        bound = found.min(request.max_cost);
    };
    let (path, mode) = path.unzip();
    Ok(Some(Found {
        answer: Outcome { cost, path },
        path_mode: mode.unwrap_or(PathMode::None),
        computed_cells,
    }))
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::backend::recording_backend::RecordingBackend;
    use crate::call::control::Control;
    use crate::call::phases::Phases;
    use crate::edit_distance::{Mode, reference};
    use crate::kernels::bit_parallel::Matching;
    use crate::sequences::bit_parallel::inputs::Random;
    use crate::sequences::bit_parallel::recurrence::Edit;
    use crate::sequences::codes::Encoded;
    use crate::sequences::cost_estimate::CostEstimate;
    use crate::sequences::request::BANDED;
    use crate::sequences::tuning::Tuning;

    #[test]
    fn band_search_uploads_sequences_once() {
        let Some(backend) = RecordingBackend::open() else {
            return;
        };
        let (control, phases) = (Control::default(), Phases::start());
        let device = backend.device(Duration::from_millis(60), &control, &phases);
        let mut random = Random::new(8);
        let a = random.codes(2000, 4);
        // A block moved far away: no path in the first band has its cost.
        let b = [&a[700..], &a[..700]].concat();
        let codes = Encoded::new(&a, &b);
        let tuning = Tuning {
            matching: Some(Matching::Planes),
            limbs: Some(2),
            columns: Some(16),
            steps: Some(4),
            directions: Some(1),
            ..Tuning::default()
        };
        for path in [false, true] {
            let request = Request {
                estimate: Some(CostEstimate::from_bound(20)),
                path,
                tuning,
                ..Request::new(BANDED, &control)
            };
            let before = backend.loads().len();
            let found = pollster::block_on(search::<Edit>(&device, codes.codes(), request))
                .expect("it runs")
                .expect("a band is asked for");
            assert_eq!(
                found.answer.cost,
                Some(reference::distance(&a, &b, Mode::Global))
            );
            let loads = &backend.loads()[before..];
            let inputs = |uploaded| {
                ["row planes", "column codes"]
                    .map(|name| (name.to_string(), uploaded))
                    .to_vec()
            };
            assert!(loads.len() >= 2 && loads[0] == inputs(true), "{loads:?}");
            assert!(
                loads[1..].iter().all(|load| *load == inputs(false)),
                "{loads:?}"
            );
        }
    }
}
