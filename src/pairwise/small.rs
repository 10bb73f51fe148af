//! Pairs whose whole table takes less time than to decide how it is filled: lengths and distances alone, on the thread that calls.

use std::time::Duration;

use crate::call::control::Control;
use crate::call::phases::Phases;
use crate::engine::report::{PlanSummary, Run};
use crate::engine::{CPU, Engine, profile};
use crate::error::Result;
use crate::pairwise::affixes::Stripped;
use crate::pairwise::bit_parallel::cpu;
use crate::pairwise::bit_parallel::recurrence::Recurrence;
use crate::pairwise::codes::Symbol;
use crate::pairwise::request::{Request, Strategy};

/// Most cells of such a table, and most symbols of its longer side.
const MOST_CELLS: usize = 1 << 18;
const LONGEST: usize = 1 << 12;
/// Most cells of a table that one thread has filled before others are awake: amd-epyc/2026-11-22-small.json.
const MOST_CELLS_OF_ONE_THREAD: usize = 1 << 21;

/// Whether a request is for the length or distance alone by any method, of a pair so small, and the CPU is to answer: a GPU that
/// was asked for does, however small the pair.
///
/// # Errors
/// As [`Engine::device_estimate`].
pub(crate) fn applies(
    engine: &Engine,
    (a, b): (usize, usize),
    request: &Request<'_>,
) -> Result<bool> {
    let small =
        request.by == Strategy::Auto && !request.path && a.max(b) <= LONGEST && a * b <= MOST_CELLS;
    Ok(small && (engine.chooses_device() || engine.device_estimate(0.0)?.is_none()))
}

/// Whether the thread that calls fills the table, should all that is tried before give no answer.
pub(crate) fn takes_one_thread((rows, cols): (usize, usize), request: &Request<'_>) -> bool {
    let few = rows.max(cols) <= LONGEST && rows * cols <= MOST_CELLS_OF_ONE_THREAD;
    request.by == Strategy::Auto && !request.path && few
}

/// What a call for a pair so small does.
pub(crate) fn plan<S: Symbol>(stripped: &Stripped<'_, S>, symbols: usize) -> PlanSummary<Strategy> {
    let (rows, cols) = (stripped.rows.len(), stripped.cols.len());
    let seconds = profile::cpu::SMALL_CALL_SECONDS
        + symbols as f64 * profile::cpu::SYMBOL_SECONDS
        + stripped.cells() as f64 / profile::cpu::SMALL_CELLS_PER_SECOND;
    PlanSummary {
        method: Strategy::Sweep,
        device: CPU.to_string(),
        path_mode: "none",
        cells: stripped.cells(),
        tile: (rows as u64, cols as u64),
        strips: 1,
        passes: 1,
        device_bytes: 0,
        host_bytes: cpu::small::size_bytes(rows, cols),
        expected: Duration::from_secs_f64(seconds),
    }
}

/// The last value of the table between the common affixes, on this thread.
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
    phases.lap("sweep");
    Ok(value)
}

/// The last value of the table between the common affixes, and what ran, where the pair is small and the CPU is to answer.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled, and what opening a device returns.
pub(crate) fn last_value<R: Recurrence, S: Symbol, M>(
    engine: &Engine,
    (a, b): (&[S], &[S]),
    request: Request<'_>,
    phases: &Phases,
    method: M,
) -> Result<Option<(u64, Run<M>)>> {
    if !applies(engine, (a.len(), b.len()), &request)? {
        return Ok(None);
    }
    let stripped = Stripped::new(a, b);
    phases.lap("strip");
    let value = sweep::<R, S>(&stripped, request.control, phases)?;
    let run = stripped.run(method, (CPU.to_string(), "none"), stripped.cells());
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
    fn a_small_pair_is_reported_like_any_other() {
        let (a, b) = (b"common GATTACA ends", b"common TACAGA ends");
        let found = cpu().run(&Lcs::of(a, b)).expect("small");
        assert_eq!(found.length, lcs::reference::length(a, b));
        let run = &found.run;
        assert_eq!(
            (run.method, run.path_mode, run.device.as_str()),
            ("bit-parallel", "none", CPU)
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
            ["strip", "sweep"]
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
            ["strip", "sweep"]
        );
    }

    #[test]
    fn a_small_distance_is_told_up_to_what_is_asked_for() {
        for (most, expected) in [
            (2, Distance::MoreThan(2)),
            (3, Distance::Exactly(3)),
            (7, Distance::Exactly(3)),
        ] {
            let found = cpu()
                .run(&Edit::of(b"kitten", b"sitting").within(most))
                .expect("small");
            assert_eq!(found.distance, expected);
        }
    }

    #[test]
    fn pairs_are_small_up_to_the_most_cells_and_the_longest_side() {
        let engine = cpu();
        let mut random = Random::new(5);
        let edge = MOST_CELLS.isqrt();
        for (rows, cols, small) in [
            (0, 0, true),
            (edge, edge, true),
            (edge, edge + 1, false),
            (LONGEST, 1, true),
            (1, LONGEST + 1, false),
            (LONGEST, MOST_CELLS / LONGEST, true),
        ] {
            let (a, b) = (random.codes(rows, 4), random.codes(cols, 4));
            let (control, phases) = (Control::default(), Phases::start());
            let request = Request::of_all(Strategy::Auto, &control);
            let found =
                last_value::<recurrence::Lcs, u32, _>(&engine, (&a, &b), request, &phases, ())
                    .expect("not cancelled");
            assert_eq!(found.is_some(), small, "{rows} x {cols}");
            assert_eq!(
                engine.run(&Lcs::of(&a, &b)).expect("not cancelled").length,
                lcs::reference::length(&a, &b)
            );
        }
    }

    #[test]
    fn a_small_pair_reports_its_cells_once_and_can_be_cancelled_before() {
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
