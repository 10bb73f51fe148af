//! What `--dry-run` prints.

use std::io::{self, Write};

use serde::Serialize;
use swath::PlanSummary;

use crate::input::Groups;
use crate::report::inputs::Named;
use crate::report::{units, write_aligned, write_json};

#[derive(Serialize)]
struct Report<'a, I> {
    schema: &'static str,
    problem: &'static str,
    method: &'static str,
    device: &'a str,
    symbols: u128,
    passes: u64,
    device_bytes: u64,
    host_bytes: u64,
    expected_seconds: f64,
    #[serde(flatten)]
    inputs: I,
}

/// One object of the schema `swath/substring-plan/1`, or one `key  value` line each.
pub fn write_substring_plan(
    json: bool,
    inputs: &Groups,
    summary: &PlanSummary,
    out: &mut dyn Write,
) -> io::Result<()> {
    if json {
        let report = Report {
            schema: "swath/substring-plan/1",
            problem: "substring",
            method: summary.method,
            device: &summary.device,
            symbols: summary.cells,
            passes: summary.passes,
            device_bytes: summary.device_bytes,
            host_bytes: summary.host_bytes,
            expected_seconds: summary.expected.as_secs_f64(),
            inputs: inputs.figures(),
        };
        return write_json(&report, out);
    }
    let mut lines = inputs.lines();
    lines.extend([
        ("method", summary.method.to_string()),
        ("device", summary.device.clone()),
        ("symbols", summary.cells.to_string()),
        ("passes", summary.passes.to_string()),
        ("device memory", units::bytes(summary.device_bytes)),
        ("host memory", units::bytes(summary.host_bytes)),
        ("expected time", units::time(summary.expected)),
    ]);
    write_aligned(&lines, out)
}
