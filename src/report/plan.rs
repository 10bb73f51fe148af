//! What `--dry-run` prints.

use std::io::{self, Write};

use super::json::Sequence;
use super::{Plan, units, write_aligned, write_json};

/// One `key  value` line each.
pub fn plan_text(plan: &Plan<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (inputs, summary) = (plan.inputs, plan.summary);
    let (a_len, b_len) = inputs.sequences.lengths();
    let lines = [
        ("a", format!("{a_len} symbols, {}", inputs.a_name)),
        ("b", format!("{b_len} symbols, {}", inputs.b_name)),
        ("method", summary.method.name().to_string()),
        ("path", summary.path_mode.to_string()),
        ("device", summary.device.clone()),
        ("cells", summary.cells.to_string()),
        ("tile", format!("{} x {}", summary.tile.0, summary.tile.1)),
        ("strips", summary.strips.to_string()),
        ("passes", summary.passes.to_string()),
        ("device memory", units::bytes(summary.device_bytes)),
        ("host memory", units::bytes(summary.host_bytes)),
        ("expected time", units::time(summary.expected)),
    ];
    write_aligned(&lines, out)
}

#[derive(serde::Serialize)]
struct Report<'a> {
    schema: &'static str,
    problem: &'static str,
    method: &'static str,
    path_mode: &'static str,
    device: &'a str,
    cells: u128,
    tile: [u64; 2],
    strips: u64,
    passes: u64,
    device_bytes: u64,
    host_bytes: u64,
    expected_seconds: f64,
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
        method: summary.method.name(),
        path_mode: summary.path_mode,
        device: &summary.device,
        cells: summary.cells,
        tile: [summary.tile.0, summary.tile.1],
        strips: summary.strips,
        passes: summary.passes,
        device_bytes: summary.device_bytes,
        host_bytes: summary.host_bytes,
        expected_seconds: summary.expected.as_secs_f64(),
        a: Sequence { name: &inputs.a_name, length: a_len },
        b: Sequence { name: &inputs.b_name, length: b_len },
    };
    write_json(&report, out)
}
