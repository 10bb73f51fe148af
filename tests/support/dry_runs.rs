//! Comparison of dry runs with calls.

use std::fmt::Display;

use swath::PathMode;
use swath::{Error, PlanSummary, Report};

/// Method, device, path mode and cells, common to plan and report.
pub type Said = (&'static str, String, PathMode, u128);

/// Requires that a dry run and a call agree, including errors.
#[track_caller]
pub fn assert_agree<E: Display>(plan: Result<Said, E>, run: Result<Said, E>, case: &str) {
    match (plan, run) {
        (Ok(plan), Ok(run)) => assert_eq!(plan, run, "{case}"),
        (Err(plan), Err(run)) => assert_eq!(plan.to_string(), run.to_string(), "{case}"),
        (plan, run) => {
            let said = |said: Result<Said, E>| {
                said.map_or_else(|error| error.to_string(), |said| format!("{said:?}"))
            };
            panic!("{case}: the plan: {}, the call: {}", said(plan), said(run))
        }
    }
}

/// Requires agreement on method and device, for calls whose path mode depends on the result.
#[track_caller]
pub fn assert_method_and_device_agree<A>(
    plan: Result<PlanSummary, Error>,
    run: Result<Report<A>, Error>,
    case: &str,
) {
    let without_mode = |(method, device, _, cells)| (method, device, PathMode::None, cells);
    let (plan, run) = (planned(plan), ran(run));
    assert_agree(plan.map(without_mode), run.map(without_mode), case);
}

/// Requires that a plan and a report agree, including errors.
#[track_caller]
pub fn assert_same_is_said<A>(
    plan: Result<PlanSummary, Error>,
    run: Result<Report<A>, Error>,
    case: &str,
) {
    assert_agree(planned(plan), ran(run), case);
}

fn planned(plan: Result<PlanSummary, Error>) -> Result<Said, Error> {
    plan.map(|plan| (plan.method, plan.device, plan.path_mode, plan.cells))
}

fn ran<A>(run: Result<Report<A>, Error>) -> Result<Said, Error> {
    let run = run.map(|report| report.run);
    run.map(|run| (run.method, run.device, run.path_mode, run.cells))
}
