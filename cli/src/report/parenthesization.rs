//! Best trees: the summary for people, and the same as one JSON object.

use std::io::{self, Write};

use serde_json::Number;
use swath::parenthesization::{Arithmetic, Goal, Parenthesization, Value};
use swath::{Interface, PlanSummary};

use super::run::{Phase, device, phases, rate};
use super::tree::{Nodes, Shown, text};
use super::{units, write_aligned, write_json};
use crate::input::printable;

/// Leaves up to which the summary shows the tree.
const SHOWN_LEAVES: usize = 40;

/// An answer and what it is about.
pub struct TreeAnswer<'a, V> {
    pub problem: &'static str,
    /// What the input has: `5 corners`.
    pub input: &'a str,
    pub goal: Goal,
    pub name: &'a str,
    pub shown: Shown<'a>,
    pub solved: &'a swath::Report<Parenthesization<V>>,
}

impl<V: Value> TreeAnswer<'_, V> {
    /// What the tree costs less than that of the order from the left, as a share of that; none for a maximum.
    fn saving(&self) -> Option<f64> {
        let in_order = number(self.solved.in_order?);
        let cost = number(self.solved.cost);
        let share = if in_order > 0.0 {
            1.0 - cost / in_order
        } else {
            0.0
        };
        (self.goal == Goal::Least).then_some(share)
    }
}

/// For ratios only.
fn number<V: Value>(value: V) -> f64 {
    value.to_string().parse().unwrap_or(f64::NAN)
}

fn arithmetic(arithmetic: Arithmetic) -> String {
    let approximate = if arithmetic.is_approximate() {
        ", approximate: another tree may cost less"
    } else {
        ""
    };
    format!("{}{approximate}", arithmetic.name())
}

/// One `key  value` line each.
pub fn tree_text<V: Value>(answer: &TreeAnswer<'_, V>, out: &mut dyn Write) -> io::Result<()> {
    let (solved, run) = (answer.solved, &answer.solved.run);
    let leaves = solved.tree.leaves();
    let mut lines = vec![(
        if answer.goal == Goal::Least {
            "cost"
        } else {
            "pairs"
        },
        solved.cost.to_string(),
    )];
    match (answer.goal, answer.saving(), solved.in_order) {
        (Goal::Least, Some(saving), Some(in_order)) => {
            lines.push((
                "saving",
                format!("{:.2} % of {in_order} from left to right", 100.0 * saving),
            ));
        }
        (Goal::Least, ..) => {
            let greatest = solved.arithmetic.greatest();
            lines.push((
                "saving",
                format!("from left to right the cost passes {greatest}"),
            ));
        }
        _ => {}
    }
    if leaves <= SHOWN_LEAVES && !matches!(answer.shown, Shown::Triangles) {
        let mut shown = Vec::new();
        text(answer.shown, &solved.tree, &mut shown)?;
        lines.push((
            "tree",
            String::from_utf8_lossy(&shown).trim_end().to_string(),
        ));
    }
    lines.extend([
        (
            "input",
            format!("{}, {}", answer.input, printable(answer.name)),
        ),
        ("method", run.method.to_string()),
        ("arithmetic", arithmetic(solved.arithmetic)),
        ("device", device(run, solved.interface)),
        ("time", units::time(run.elapsed)),
        (
            "splits",
            format!("{}, {} computed", run.cells, run.computed_cells),
        ),
    ]);
    write_aligned(&lines, out)
}

#[derive(serde::Serialize)]
struct Report<'a> {
    schema: &'static str,
    problem: &'static str,
    cost: Option<Number>,
    in_order: Option<Number>,
    saving: Option<f64>,
    leaves: usize,
    name: &'a str,
    method: &'static str,
    arithmetic: &'static str,
    approximate: bool,
    device: &'a str,
    interface: Option<&'static str>,
    seconds: f64,
    splits: u128,
    computed_splits: u128,
    splits_per_second: f64,
    phases: Vec<Phase>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<Nodes<'a>>,
}

/// Schema `swath/parenthesization/1`; `text` and `tree` only where the tree is asked for.
pub fn tree_json<V: Value>(
    answer: &TreeAnswer<'_, V>,
    with_tree: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (solved, run) = (answer.solved, &answer.solved.run);
    let exact = |value: V| value.to_string().parse::<Number>().ok();
    let mut shown = Vec::new();
    if with_tree {
        text(answer.shown, &solved.tree, &mut shown)?;
    }
    let report = Report {
        schema: "swath/parenthesization/1",
        problem: answer.problem,
        cost: exact(solved.cost),
        in_order: solved.in_order.and_then(exact),
        saving: answer.saving(),
        leaves: solved.tree.leaves(),
        name: answer.name,
        method: run.method,
        arithmetic: solved.arithmetic.name(),
        approximate: solved.arithmetic.is_approximate(),
        device: &run.device,
        interface: solved.interface.map(Interface::name),
        seconds: run.elapsed.as_secs_f64(),
        splits: run.cells,
        computed_splits: run.computed_cells,
        splits_per_second: rate(run.computed_cells, run.elapsed),
        phases: phases(&run.phases),
        text: with_tree.then(|| String::from_utf8_lossy(&shown).trim_end().to_string()),
        tree: with_tree.then(|| Nodes(solved.tree.nodes())),
    };
    write_json(&report, out)
}

/// One `key  value` line each.
pub fn tree_plan_text(
    (name, input): (&str, &str),
    summary: &PlanSummary,
    out: &mut dyn Write,
) -> io::Result<()> {
    let lines = [
        ("input", format!("{input}, {}", printable(name))),
        ("method", summary.method.to_string()),
        ("device", summary.device.clone()),
        ("splits", summary.cells.to_string()),
        ("tile", format!("{} x {}", summary.tile.0, summary.tile.1)),
        ("tile rows", summary.strips.to_string()),
        ("passes", summary.passes.to_string()),
        ("device memory", units::bytes(summary.device_bytes)),
        ("host memory", units::bytes(summary.host_bytes)),
        ("expected time", units::time(summary.expected)),
    ];
    write_aligned(&lines, out)
}

#[derive(serde::Serialize)]
struct PlanReport<'a> {
    schema: &'static str,
    problem: &'static str,
    name: &'a str,
    leaves: usize,
    method: &'static str,
    device: &'a str,
    splits: u128,
    tile: [u64; 2],
    tile_rows: u64,
    passes: u64,
    device_bytes: u64,
    host_bytes: u64,
    expected_seconds: f64,
}

/// Schema `swath/parenthesization-plan/1`.
pub fn tree_plan_json(
    problem: &'static str,
    (name, leaves): (&str, usize),
    summary: &PlanSummary,
    out: &mut dyn Write,
) -> io::Result<()> {
    let report = PlanReport {
        schema: "swath/parenthesization-plan/1",
        problem,
        name,
        leaves,
        method: summary.method,
        device: &summary.device,
        splits: summary.cells,
        tile: [summary.tile.0, summary.tile.1],
        tile_rows: summary.strips,
        passes: summary.passes,
        device_bytes: summary.device_bytes,
        host_bytes: summary.host_bytes,
        expected_seconds: summary.expected.as_secs_f64(),
    };
    write_json(&report, out)
}
