//! Comparison of dry runs with calls.

use std::fmt::Display;

use swath::PathMode;
use swath::{Engine, Error, PlanSummary, Report, Task};

/// Method, device and path mode, common to plan and report.
pub type Said = (&'static str, String, PathMode);

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
    let plan = engine
        .plan(task)
        .map(|plan| (plan.method, plan.device, PathMode::None));
    let run = engine
        .run(task)
        .map(|report| (report.run.method, report.run.device, PathMode::None));
    assert_agree(plan, run, case);
}

/// Requires agreement within a host memory budget. The dry run may instead ask for more: the memory
/// of wavefront paths is known only after the search.
#[track_caller]
pub fn assert_dry_run_agrees_within<T: Task>(engine: &Engine, task: &T, budget: u64, case: &str) {
    match (engine.plan(task), engine.run(task)) {
        (Ok(plan), Err(Error::MemoryBudget { .. })) if plan.path_mode == PathMode::Wavefronts => {
            assert!(plan.host_bytes > budget, "{case}: {plan:?}");
        }
        (plan, run) => assert_same_is_said(plan, run, case),
    }
}

/// Requires that the dry run of a task agrees with its call.
#[track_caller]
pub fn assert_dry_run_agrees<T: Task>(engine: &Engine, task: &T, case: &str) {
    assert_same_is_said(engine.plan(task), engine.run(task), case);
}

#[track_caller]
fn assert_same_is_said<A>(
    plan: Result<PlanSummary, Error>,
    run: Result<Report<A>, Error>,
    case: &str,
) {
    let plan = plan.map(|plan| (plan.method, plan.device, plan.path_mode));
    let run = run.map(|report| (report.run.method, report.run.device, report.run.path_mode));
    assert_agree(plan, run, case);
}
