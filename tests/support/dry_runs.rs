//! Comparison of dry runs with calls.

use std::fmt::Display;

use swath::PathMode;
use swath::{Engine, Error, PlanSummary, Report, Task};

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
pub fn assert_method_and_device_agree<T: Task>(engine: &Engine, task: &T, case: &str) {
    let plan = engine.plan(task);
    let plan = plan.map(|plan| (plan.method, plan.device, PathMode::None, plan.cells));
    let run = engine.run(task).map(|report| report.run);
    let run = run.map(|run| (run.method, run.device, PathMode::None, run.cells));
    assert_agree(plan, run, case);
}

/// Requires that the dry run of a task agrees with its call.
#[track_caller]
pub fn assert_dry_run_agrees<T: Task>(engine: &Engine, task: &T, case: &str) {
    assert_same_is_said(engine.plan(task), engine.run(task), case);
}

/// Requires that a plan and a report agree, including errors.
#[track_caller]
pub fn assert_same_is_said<A>(
    plan: Result<PlanSummary, Error>,
    run: Result<Report<A>, Error>,
    case: &str,
) {
    let plan = plan.map(|plan| (plan.method, plan.device, plan.path_mode, plan.cells));
    let run = run.map(|report| report.run);
    let run = run.map(|run| (run.method, run.device, run.path_mode, run.cells));
    assert_agree(plan, run, case);
}
