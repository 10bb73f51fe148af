//! What `--dry-run` prints.

use std::io::{self, Write};

use serde::Serialize;
use swath::PlanSummary;

use super::inputs::Named;
use super::run::{PlanFigures, plan_lines};
use super::{write_aligned, write_json};

/// A plan, with the names of its problem and method, and the inputs that it is for.
#[derive(Clone, Copy)]
pub struct Plan<'a, I> {
    pub problem: &'static str,
    pub method: &'static str,
    pub inputs: &'a I,
    pub summary: &'a PlanSummary,
}

/// One JSON object, or one `key  value` line each.
pub fn write_plan<I: Named>(json: bool, plan: &Plan<'_, I>, out: &mut dyn Write) -> io::Result<()> {
    if json {
        as_json(plan, out)
    } else {
        as_text(plan, out)
    }
}

fn as_text<I: Named>(plan: &Plan<'_, I>, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = plan.inputs.lines();
    lines.extend(plan_lines(plan.summary, plan.method));
    write_aligned(&lines, out)
}

#[derive(Serialize)]
struct Report<'a, I> {
    schema: String,
    problem: &'static str,
    #[serde(flatten)]
    plan: PlanFigures<'a>,
    #[serde(flatten)]
    inputs: I,
}

/// Schemas `swath/lcs-plan/1`, `swath/edit-plan/1` and `swath/scs-plan/1`.
fn as_json<I: Named>(plan: &Plan<'_, I>, out: &mut dyn Write) -> io::Result<()> {
    let report = Report {
        schema: format!("swath/{}-plan/1", plan.problem),
        problem: plan.problem,
        plan: PlanFigures::new(plan.summary, plan.method),
        inputs: plan.inputs.figures(),
    };
    write_json(&report, out)
}
