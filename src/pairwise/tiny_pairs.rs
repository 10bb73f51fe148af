//! Length or distance of pairs so small that planning would take longer than filling the table.
//! Runs on the calling thread.

use std::time::Duration;

use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::report::{PlanSummary, Run};
use crate::engine::{CPU, Engine, profile};
use crate::error::Result;
use crate::pairwise::affixes::Stripped;
use crate::pairwise::bit_parallel::cpu;
use crate::pairwise::bit_parallel::recurrence::Recurrence;
use crate::pairwise::codes::Symbol;
use crate::pairwise::pair::Pair;
use crate::pairwise::request::{Request, Strategy};
use crate::path_mode::PathMode;

/// Maximum cells of the table, and maximum symbols of its longer side.
const MAX_CELLS: usize = 1 << 18;
const MAX_LEN: usize = 1 << 12;
/// Maximum cells that one thread fills before a thread pool has woken up:
/// amd-epyc/2026-11-22-small.json.
const MAX_CELLS_OF_ONE_THREAD: usize = 1 << 21;

/// Whether this path serves the request: automatic strategy, no path, a small pair, and no GPU
/// requested by name.
///
/// # Errors
/// As [`Engine::device_estimate`].
pub(crate) fn applies(
    engine: &Engine,
    (a, b): (usize, usize),
    request: &Request<'_>,
) -> Result<bool> {
    let small = request.strategy == Strategy::Auto && !request.path && is_tiny((a, b));
    Ok(small && (engine.chooses_device() || engine.device_estimate(0.0)?.is_none()))
}

/// Whether a table is small enough for this path.
pub(crate) fn is_tiny((a, b): (usize, usize)) -> bool {
    a.max(b) <= MAX_LEN && a * b <= MAX_CELLS
}

/// Whether the calling thread fills the table if no candidate before it answers.
pub(crate) fn takes_one_thread((rows, cols): (usize, usize), request: &Request<'_>) -> bool {
    let few = rows.max(cols) <= MAX_LEN && rows * cols <= MAX_CELLS_OF_ONE_THREAD;
    request.strategy == Strategy::Auto && !request.path && few
}

/// Plan of a small pair.
pub(crate) fn plan<S: Symbol>(stripped: &Stripped<'_, S>, symbols: usize) -> PlanSummary<Strategy> {
    let (rows, cols) = (stripped.rows.len(), stripped.cols.len());
    let seconds = profile::cpu::SMALL_CALL_SECONDS
        + symbols as f64 * profile::cpu::SYMBOL_SECONDS
        + stripped.cells() as f64 / profile::cpu::SMALL_CELLS_PER_SECOND;
    PlanSummary {
        method: Strategy::Sweep,
        device: CPU.to_string(),
        path_mode: PathMode::None,
        cells: stripped.cells(),
        tile: (rows as u64, cols as u64),
        strips: 1,
        passes: 1,
        device_bytes: 0,
        host_bytes: cpu::small::size_bytes(rows, cols),
        expected: Duration::from_secs_f64(seconds),
    }
}

/// Last value of the table between the affixes, on the calling thread.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub(crate) fn sweep<R: Recurrence, S: Symbol>(
    stripped: &Stripped<'_, S>,
    control: &Control,
    phases: &Phases,
) -> Result<i64> {
    control.check()?;
    let cells = stripped.cells() as u64;
    control.add_total(cells);
    let value = cpu::small::last_value::<R, S>(stripped.rows, stripped.cols);
    control.add_done(cells);
    phases.lap(Phase::Sweep);
    Ok(value)
}

/// Last value of the table between the affixes with its run report, if [`applies`].
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled), and errors of opening a device.
pub(crate) fn last_value<R: Recurrence, S: Symbol, M>(
    engine: &Engine,
    Pair { a, b }: Pair<'_, S>,
    request: Request<'_>,
    phases: &Phases,
    method: M,
) -> Result<Option<(u64, Run<M>)>> {
    if S::MATCHES_OTHERS || !applies(engine, (a.len(), b.len()), &request)? {
        return Ok(None);
    }
    let stripped = Stripped::new(a, b);
    phases.lap(Phase::Strip);
    let value = sweep::<R, S>(&stripped, request.control, phases)?;
    let run = stripped.run(method, (CPU.to_string(), PathMode::None), stripped.cells());
    Ok(Some((
        value as u64,
        Run {
            phases: phases.totals(),
            ..run
        },
    )))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::call::control::{CancelHandle, Progress};
    use crate::edit_distance::{self, Distance};
    use crate::engine::Options;
    use crate::error::Error;
    use crate::pairwise::bit_parallel::inputs::Random;
    use crate::pairwise::bit_parallel::recurrence;
    use crate::{DeviceChoice, Edit, Lcs, lcs};

    fn cpu() -> Engine {
        Engine::new(Options {
            device: DeviceChoice::Cpu,
            ..Options::default()
        })
        .expect("the CPU is always here")
    }

    #[test]
    fn tiny_pair_has_a_full_report() {
        let (a, b) = (b"common GATTACA ends", b"common TACAGA ends");
        let found = cpu().run(&Lcs::of(a, b)).expect("small");
        assert_eq!(found.length, lcs::reference::length(a, b));
        let run = &found.run;
        assert_eq!(
            (run.method, run.path_mode, run.device.as_str()),
            ("bit-parallel", PathMode::None, CPU)
        );
        assert_eq!(
            (
                run.common_prefix,
                run.common_suffix,
                run.cells,
                run.computed_cells
            ),
            (7, 6, 19 * 18, 6 * 5)
        );
        assert_eq!(
            run.phases
                .iter()
                .map(|(phase, _)| *phase)
                .collect::<Vec<_>>(),
            [Phase::Strip, Phase::Sweep]
        );
        assert!(!run.elapsed.is_zero());
        let found = cpu().run(&Edit::of(a, b)).expect("small");
        let distance = edit_distance::reference::distance(a, b, edit_distance::Mode::Global);
        assert_eq!(found.distance, Distance::Exactly(distance));
        assert_eq!(
            (found.run.method, found.run.computed_cells),
            ("bit-parallel", 6 * 5)
        );
        assert_eq!(
            found
                .run
                .phases
                .iter()
                .map(|(phase, _)| *phase)
                .collect::<Vec<_>>(),
            [Phase::Strip, Phase::Sweep]
        );
    }

    #[test]
    fn tiny_pair_distance_respects_the_limit() {
        for (max_distance, expected) in [
            (2, Distance::MoreThan(2)),
            (3, Distance::Exactly(3)),
            (7, Distance::Exactly(3)),
        ] {
            let found = cpu()
                .run(&Edit::of(b"kitten", b"sitting").within(max_distance))
                .expect("small");
            assert_eq!(found.distance, expected);
        }
    }

    #[test]
    fn tiny_pair_limits_are_inclusive() {
        let engine = cpu();
        let mut random = Random::new(5);
        let edge = MAX_CELLS.isqrt();
        for (rows, cols, small) in [
            (0, 0, true),
            (edge, edge, true),
            (edge, edge + 1, false),
            (MAX_LEN, 1, true),
            (1, MAX_LEN + 1, false),
            (MAX_LEN, MAX_CELLS / MAX_LEN, true),
        ] {
            let (a, b) = (random.codes(rows, 4), random.codes(cols, 4));
            let (control, phases) = (Control::default(), Phases::start());
            let request = Request::new(Strategy::Auto, &control);
            let found = last_value::<recurrence::Lcs, u32, _>(
                &engine,
                Pair::new(&a, &b),
                request,
                &phases,
                (),
            )
            .expect("not cancelled");
            assert_eq!(found.is_some(), small, "{rows} x {cols}");
            assert_eq!(
                engine.run(&Lcs::of(&a, &b)).expect("not cancelled").length,
                lcs::reference::length(&a, &b)
            );
        }
    }

    #[test]
    fn tiny_pair_reports_progress_and_can_be_cancelled() {
        let reports = Arc::new(Mutex::new(Vec::new()));
        let seen = reports.clone();
        let cancel = CancelHandle::new();
        let callback =
            Arc::new(move |progress: Progress| seen.lock().expect("unharmed").push(progress));
        let control = Control::new(cancel.clone(), Some(callback));
        let task = Lcs::of(b"abcd", b"cdab");
        cpu().run_with(&task, &control).expect("not cancelled");
        let reports = reports
            .lock()
            .expect("unharmed")
            .iter()
            .map(|report| (report.done, report.total))
            .collect::<Vec<_>>();
        assert_eq!(reports, [(16, 16), (16, 16)]);
        cancel.cancel();
        assert!(matches!(
            cpu().run_with(&task, &control),
            Err(Error::Cancelled)
        ));
    }
}
