//! What `--dry-run` prints.

use std::io::{self, Write};

use super::json::Sequence;
use super::run::{PlanFigures, plan_lines};
use super::{Plan, write_aligned, write_json};

/// One `key  value` line each.
pub fn plan_text(plan: &Plan<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (inputs, summary) = (plan.inputs, plan.summary);
    let (a_len, b_len) = inputs.sequences.lengths();
    let mut lines = vec![
        ("a", format!("{a_len} symbols, {}", inputs.a_name)),
        ("b", format!("{b_len} symbols, {}", inputs.b_name)),
    ];
    lines.extend(plan_lines(summary, summary.method.name()));
    write_aligned(&lines, out)
}

#[derive(serde::Serialize)]
struct Report<'a> {
    schema: &'static str,
    problem: &'static str,
    #[serde(flatten)]
    plan: PlanFigures<'a>,
    a: Sequence<'a>,
    b: Sequence<'a>,
}

/// Schema `swath/lcs-plan/1`.
pub fn plan_json(plan: &Plan<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (inputs, summary) = (plan.inputs, plan.summary);
    let (a_len, b_len) = inputs.sequences.lengths();
    let report = Report {
        schema: "swath/lcs-plan/1",
        problem: "lcs",
        plan: PlanFigures::new(summary, summary.method.name()),
        a: Sequence { name: &inputs.a_name, length: a_len },
        b: Sequence { name: &inputs.b_name, length: b_len },
    };
    write_json(&report, out)
}
