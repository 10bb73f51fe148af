//! Length or distance of pairs so small that waking other threads would take longer than filling the
//! table.

use crate::call::phase::Phase;
use crate::engine::placement::{Call, Cost, Running, Way};
use crate::engine::{Device, Engine, profile};
use crate::error::Result;
use crate::sequences::bit_parallel::cpu::small;
use crate::sequences::bit_parallel::recurrence::Recurrence as _;
use crate::sequences::problem::Problem;
use crate::sequences::query::PairQuery;
use crate::sequences::request::{BIT_PARALLEL, Found, Outcome, Solution};

pub(crate) struct OneThread;

impl OneThread {
    pub(crate) fn fill<P: Problem>(call: &Call<'_>, query: &PairQuery<'_, P>) -> Result<Found> {
        let (control, cells) = (query.request.control, query.cells());
        control.check()?;
        control.set_phase(Phase::Sweep);
        control.add_total(cells as u64);
        let (rows, cols) = query.lens();
        let cost = P::Sweep::cost(query.sequences.last_value::<P>(), rows, cols);
        control.add_done(cells as u64);
        call.phases.lap(Phase::Sweep);
        let solution = Solution::of_cost(cost);
        Ok(query.request.within_limit(solution, cells))
    }
}

impl<P: Problem> Way<PairQuery<'_, P>> for OneThread {
    fn method(&self) -> &'static str {
        BIT_PARALLEL
    }

    fn on_cpu(&self, _: &Engine, query: &PairQuery<'_, P>) -> Result<Option<Cost>> {
        let (rows, cols) = query.lens();
        Ok(Some(Cost {
            tile: (rows as u64, cols as u64),
            host_bytes: small::size_bytes(rows, cols),
            ..Cost::new(query.cells() as f64 / profile::cpu::SMALL_CELLS_PER_SECOND)
        }))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut PairQuery<'_, P>,
        _: Option<&'a Device<'a>>,
    ) -> Running<'a, Outcome> {
        Box::pin(async { Self::fill(call, query).map(Some) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::call::control::{CancelHandle, Control, Progress};
    use crate::edit_distance::Distance;
    use crate::engine::CPU;
    use crate::error::Error;
    use crate::path_mode::PathMode;
    use crate::sequences::bit_parallel::inputs::Random;
    use crate::sequences::tiny::{MAX_LEN, MAX_TINY_CELLS, is_tiny};
    use crate::{Edit, Lcs, lcs};

    #[test]
    fn tiny_pair_has_a_full_report() {
        let (a, b) = (b"common GATTACA ends", b"common TACAGA ends");
        let found = Engine::cpu().run(&Lcs::of(a, b)).expect("small");
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
    }

    #[test]
    fn tiny_pair_distance_respects_the_limit() {
        for (max_distance, expected) in [
            (2, Distance::MoreThan(2)),
            (3, Distance::Exactly(3)),
            (7, Distance::Exactly(3)),
        ] {
            let found = Engine::cpu()
                .run(&Edit::of(b"kitten", b"sitting").within(max_distance))
                .expect("small");
            assert_eq!(found.distance, expected);
        }
    }

    #[test]
    fn tiny_pair_limits_are_inclusive() {
        let engine = Engine::cpu();
        let mut random = Random::new(5);
        let edge = MAX_TINY_CELLS.isqrt();
        for (rows, cols, small) in [
            (0, 0, true),
            (edge, edge, true),
            (edge, edge + 1, false),
            (MAX_LEN, 1, true),
            (1, MAX_LEN + 1, false),
            (MAX_LEN, MAX_TINY_CELLS / MAX_LEN, true),
        ] {
            let (a, b) = (random.codes(rows, 4), random.codes(cols, 4));
            assert_eq!(is_tiny(rows, cols), small, "{rows} x {cols}");
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
        Engine::cpu()
            .run_with(&task, &control)
            .expect("not cancelled");
        let reports = reports
            .lock()
            .expect("unharmed")
            .iter()
            .map(|report| (report.done, report.total))
            .collect::<Vec<_>>();
        assert_eq!(reports, [(16, 16), (16, 16)]);
        cancel.cancel();
        assert!(matches!(
            Engine::cpu().run_with(&task, &control),
            Err(Error::Cancelled)
        ));
    }
}
