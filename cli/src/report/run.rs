//! What ran and what would run, for every problem.

use std::time::Duration;

use serde::Serialize;
use swath::{Interface, PlanSummary, Report, Run};

use super::{cells_per_second, units};

/// Cells or splits per second; 0 where no time was measured.
pub fn rate(cells: u128, elapsed: Duration) -> f64 {
    if elapsed.is_zero() {
        0.0
    } else {
        cells as f64 / elapsed.as_secs_f64()
    }
}

/// The device that ran, and what drives it.
pub fn device(run: &Run, interface: Option<Interface>) -> String {
    let driven = interface.map(|interface| format!(", {interface}"));
    format!("{}{}", run.device, driven.unwrap_or_default())
}

/// Lines of a summary.
pub fn run_lines<A>(report: &Report<A>) -> Vec<(&'static str, String)> {
    let run = &report.run;
    vec![
        ("method", run.method.to_string()),
        ("path", run.path_mode.to_string()),
        ("device", device(run, report.interface)),
        ("time", units::time(run.elapsed)),
        ("speed", cells_per_second(rate(run.cells, run.elapsed))),
        (
            "cells",
            format!("{}, {} computed", run.cells, run.computed_cells),
        ),
        (
            "common affixes",
            format!("{} + {} symbols", run.common_prefix, run.common_suffix),
        ),
    ]
}

/// Lines of a plan.
pub fn plan_lines(summary: &PlanSummary, method: &str) -> Vec<(&'static str, String)> {
    vec![
        ("method", method.to_string()),
        ("path", summary.path_mode.to_string()),
        ("device", summary.device.clone()),
        ("cells", summary.cells.to_string()),
        ("tile", format!("{} x {}", summary.tile.0, summary.tile.1)),
        ("strips", summary.strips.to_string()),
        ("passes", summary.passes.to_string()),
        ("device memory", units::bytes(summary.device_bytes)),
        ("host memory", units::bytes(summary.host_bytes)),
        ("expected time", units::time(summary.expected)),
    ]
}

/// The part of a JSON answer that says what ran.
#[derive(Serialize)]
pub struct RunFigures<'a> {
    method: &'static str,
    path_mode: &'static str,
    device: &'a str,
    interface: Option<&'static str>,
    seconds: f64,
    // Always a number, so that its type never changes; readers that keep numbers as f64 round it beyond 2^53.
    cells: u128,
    computed_cells: u128,
    cells_per_second: f64,
    common_prefix: u64,
    common_suffix: u64,
    phases: Vec<Phase>,
}

/// Wall time of one phase.
#[derive(Serialize)]
pub struct Phase {
    name: &'static str,
    seconds: f64,
}

/// Phases in the order they ran.
pub fn phases(all: &[(&'static str, Duration)]) -> Vec<Phase> {
    all.iter()
        .map(|&(name, time)| Phase {
            name,
            seconds: time.as_secs_f64(),
        })
        .collect()
}

impl<'a> RunFigures<'a> {
    pub fn new<A>(report: &'a Report<A>) -> Self {
        let run = &report.run;
        Self {
            method: run.method,
            path_mode: run.path_mode,
            device: &run.device,
            interface: report.interface.map(Interface::name),
            seconds: run.elapsed.as_secs_f64(),
            cells: run.cells,
            computed_cells: run.computed_cells,
            cells_per_second: rate(run.cells, run.elapsed),
            common_prefix: run.common_prefix,
            common_suffix: run.common_suffix,
            phases: phases(&run.phases),
        }
    }
}

/// The part of a JSON plan that says what would run.
#[derive(Serialize)]
pub struct PlanFigures<'a> {
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
}

impl<'a> PlanFigures<'a> {
    pub fn new(summary: &'a PlanSummary, method: &'static str) -> Self {
        Self {
            method,
            path_mode: summary.path_mode,
            device: &summary.device,
            cells: summary.cells,
            tile: [summary.tile.0, summary.tile.1],
            strips: summary.strips,
            passes: summary.passes,
            device_bytes: summary.device_bytes,
            host_bytes: summary.host_bytes,
            expected_seconds: summary.expected.as_secs_f64(),
        }
    }
}
