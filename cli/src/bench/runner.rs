//! Measures one case by every method on every device.

use std::time::{Duration, Instant};

use swath::unstable::measure::ceiling::{Work, ceiling};
use swath::unstable::measure::timing::{Timed, once};
use swath::{Control, Engine, Error, PlanSummary, Report, Result, Run, Task};

use super::cases::NATIVE;
use super::devices::Opened;
use super::inputs::{Found, Inputs, Visitor};
use crate::report::bench::{Case, Measured, Outcome, Problem, Row};

/// How often calls are repeated.
#[derive(Clone, Copy, Debug)]
pub struct Repeats {
    /// At least so often,
    pub least: usize,
    /// and for so long,
    pub time: Duration,
    /// but not more often.
    pub most: usize,
}

/// A call that takes longer is not repeated: few other things of the machine change what it takes.
const WORTH_REPEATING: Duration = Duration::from_secs(5);

/// What measures.
pub struct Runner<'a> {
    pub devices: &'a [Opened],
    pub repeats: Repeats,
    /// What is expected to take more is not run.
    pub limit: Duration,
    pub clock_ghz: Option<f64>,
    pub dry_run: bool,
}

/// Rows of a case, and what ended it before its end.
#[derive(Default)]
pub struct Ran {
    pub rows: Vec<Row>,
    /// The first call that failed.
    pub failed: Option<Error>,
    pub is_cancelled: bool,
}

impl Runner<'_> {
    /// Every method on every device. A method that a device does not have is left out; the default one may answer elsewhere.
    /// `before` has the rows of other cases.
    pub fn case(
        &self,
        case: &Case,
        inputs: &Inputs<'_>,
        methods: &[&'static str],
        before: &[Row],
        control: &Control,
    ) -> Ran {
        let mut ran = Ran::default();
        for (device, opened) in self.devices.iter().enumerate() {
            let has = |method: &&&str| opened.is_cpu() || !NATIVE.contains(method);
            for &asked in methods.iter().filter(has) {
                let plan = inputs.visited(case, asked, Planning(&opened.engine));
                if matches!(plan, Err(Error::MethodUnavailable { .. })) {
                    continue;
                }
                let (method, outcome) = match plan {
                    Ok(plan) => {
                        let method = if case.problem == Problem::Sort {
                            plan.method
                        } else {
                            asked
                        };
                        let likely =
                            plan.expected.as_secs_f64() * pace(before, case, device, method);
                        let likely = Duration::try_from_secs_f64(likely).unwrap_or(Duration::MAX);
                        (
                            method,
                            self.outcome(
                                case,
                                inputs,
                                (opened, asked),
                                (plan.expected, likely),
                                control,
                            ),
                        )
                    }
                    Err(error) => (asked, Err(error)),
                };
                let outcome = match outcome {
                    Ok(outcome) => outcome,
                    Err(Error::Cancelled) => {
                        return Ran {
                            is_cancelled: true,
                            ..ran
                        };
                    }
                    Err(error) => refused(error, &mut ran.failed),
                };
                ran.rows.push(Row {
                    case: *case,
                    device,
                    method,
                    outcome,
                });
            }
        }
        ran
    }

    /// Runs what is planned to take so long, where it is not likely to take too long.
    fn outcome(
        &self,
        case: &Case,
        inputs: &Inputs<'_>,
        (opened, method): (&Opened, &str),
        (expected, likely): (Duration, Duration),
        control: &Control,
    ) -> Result<Outcome> {
        if self.dry_run || likely > self.limit {
            return Ok(Outcome::Expected(likely));
        }
        let running = Running {
            engine: &opened.engine,
            control,
            repeats: self.repeats,
            limit: self.limit,
        };
        let Calls {
            run,
            times,
            answers,
            work,
        } = inputs.visited(case, method, running)?;
        let here = run.device == opened.listed.name;
        Ok(Outcome::Measured(Measured {
            ran: (run.method, run.device),
            times: times.iter().map(Duration::as_secs_f64).collect(),
            expected,
            count: run.cells,
            computed: run.computed_cells,
            ceiling: here
                .then(|| ceiling(work, &opened.listed, self.clock_ghz))
                .flatten(),
            answers,
            right: true,
            checked: false,
        }))
    }
}

/// How many times as long as planned a method took on a device the last time, where that is longer: plans know the usual devices.
fn pace(before: &[Row], case: &Case, device: usize, method: &str) -> f64 {
    let is_alike = |row: &&Row| {
        let of = |case: &Case| (case.problem, case.kind, case.path);
        (row.device, row.method) == (device, method) && of(&row.case) == of(case)
    };
    let last = before.iter().rev().filter(is_alike).find_map(Row::measured);
    last.map_or(1.0, |last| last.pace().max(1.0))
}

/// What is said of a call that gave no answer; the first failure is kept.
fn refused(error: Error, failed: &mut Option<Error>) -> Outcome {
    let reason = error.to_string();
    match error {
        Error::MemoryBudget { .. }
        | Error::DeviceMemory { .. }
        | Error::HostMemory { .. }
        | Error::InputTooLong { .. }
        | Error::TooManySymbols { .. } => Outcome::NoRoom(reason),
        error => {
            failed.get_or_insert(error);
            Outcome::Failed(reason)
        }
    }
}

/// Asks what would run.
struct Planning<'a>(&'a Engine);

impl Visitor for Planning<'_> {
    type Out = PlanSummary;

    fn visit<T: Task>(self, task: &T, _: impl Fn(&T::Answer) -> Found) -> Result<PlanSummary> {
        self.0.plan(task)
    }
}

/// Runs repeatedly.
struct Running<'a> {
    engine: &'a Engine,
    control: &'a Control,
    repeats: Repeats,
    limit: Duration,
}

/// What came of it.
struct Calls {
    run: Run,
    times: Vec<Duration>,
    answers: Vec<u64>,
    work: Work,
}

impl Visitor for Running<'_> {
    type Out = Calls;

    fn visit<T: Task>(self, task: &T, found: impl Fn(&T::Answer) -> Found) -> Result<Calls> {
        let call = || self.engine.run_with(task, self.control);
        let first = once(|| Timed::warmed(call));
        let took = first.best();
        let mut timed = first.answer?;
        let Found { answer, work } = found(&timed.answer.answer);
        let mut answers = vec![answer];
        let (Repeats { least, time, most }, started) = (self.repeats, Instant::now());
        let repeated = took <= self.limit.min(WORTH_REPEATING);
        while repeated
            && (answers.len() <= least || (answers.len() <= most && started.elapsed() < time))
        {
            timed.again(call)?;
            answers.push(found(&timed.answer.answer).answer);
        }
        let times = if timed.times().is_empty() {
            vec![took]
        } else {
            timed.times().to_vec()
        };
        let Timed {
            answer: Report { run, .. },
            ..
        } = timed;
        Ok(Calls {
            run,
            times,
            answers,
            work,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::bench::Kind;

    #[test]
    fn a_method_that_took_longer_than_planned_is_expected_to_again_on_that_device_alone() {
        let case = Case {
            problem: Problem::Lcs,
            kind: Kind::Letters(4),
            sizes: (10, Some(10)),
            path: false,
        };
        let measured = Measured {
            ran: ("banded", "cpu".to_string()),
            times: vec![6.0],
            expected: Duration::from_secs(2),
            count: 100,
            computed: 100,
            ceiling: None,
            answers: vec![7],
            right: true,
            checked: true,
        };
        let quick = Measured {
            expected: Duration::from_secs(60),
            ..measured.clone()
        };
        let row = |device, measured| Row {
            case,
            device,
            method: "banded",
            outcome: Outcome::Measured(measured),
        };
        let before = [row(0, quick), row(1, measured)];
        let larger = Case {
            sizes: (40, Some(40)),
            ..case
        };
        assert_eq!(
            [0, 1, 2].map(|device| pace(&before, &larger, device, "banded")),
            [1.0, 3.0, 1.0]
        );
        assert_eq!(pace(&before, &larger, 1, "wavefront"), 1.0);
        assert_eq!(
            pace(
                &before,
                &Case {
                    kind: Kind::Letters(26),
                    ..larger
                },
                1,
                "banded"
            ),
            1.0
        );
    }
}
