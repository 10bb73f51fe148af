//! Rows of a record, as text and as JSON, and reading of records.

use std::time::Duration;

use serde_json::{Value, json};
use swath::{PathMode, Phase, Run};

use super::Work;
use super::timing::{median, millis, shortest};

/// Schema of a record.
pub const SCHEMA: &str = "swath/record/1";
/// Selects the SIMD instructions of the CPU code.
const CPU_KERNEL: &str = "SWATH_CPU_KERNEL";

/// Formats a record with one list element per line, so that diffs are per row.
pub fn text(record: &Value) -> String {
    let members = record.as_object().into_iter().flatten();
    let members = members.map(|(name, value)| match value.as_array() {
        Some(elements) => {
            let lines: Vec<_> = elements
                .iter()
                .map(|element| format!("    {element}"))
                .collect();
            format!("  {}: [\n{}\n  ]", json!(name), lines.join(",\n"))
        }
        None => format!("  {}: {value}", json!(name)),
    });
    format!("{{\n{}\n}}\n", members.collect::<Vec<_>>().join(",\n"))
}

/// The command that measures the same rows anywhere, without this run's file arguments.
pub fn command(bench: &str, arguments: &[String]) -> String {
    let kernel =
        std::env::var(CPU_KERNEL).map_or(String::new(), |kernel| format!("{CPU_KERNEL}={kernel} "));
    let features = if cfg!(feature = "cuda") {
        " --features cuda"
    } else {
        ""
    };
    let mut command = format!("{kernel}cargo bench -p swath-bench{features} --bench {bench} --");
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" => {}
            "--json" | "--swath" => _ = arguments.next(),
            word => command += &format!(" {}", word.replace(' ', "\\ ")),
        }
    }
    command.trim_end_matches(" --").to_string()
}

/// One case: times, baseline, and whether the answer is right.
pub struct Row<'a> {
    pub case: &'a str,
    /// Times of all calls; speeds refer to the shortest.
    pub times: &'a [Duration],
    /// Cells, splits, symbols or keys per call.
    pub count: u128,
    pub work: Work,
    /// Another measurement of the same run, with its time.
    pub baseline: Option<(&'a str, Duration)>,
    pub right: bool,
    /// Printed after the speed.
    pub remark: String,
    pub path_mode: PathMode,
    pub phases: &'a [(Phase, Duration)],
    /// Additional JSON members of this benchmark.
    pub members: Value,
}

impl<'a> Row<'a> {
    /// A row of calls without a report.
    pub fn new(case: &'a str, times: &'a [Duration], count: u128, work: Work, right: bool) -> Self {
        Self {
            case,
            times,
            count,
            work,
            baseline: None,
            right,
            remark: String::new(),
            path_mode: PathMode::None,
            phases: &[],
            members: json!({}),
        }
    }

    /// A row of calls, of which `run` describes the last.
    pub fn of(case: &'a str, times: &'a [Duration], run: &'a Run, work: Work, right: bool) -> Self {
        Self {
            path_mode: run.path_mode,
            phases: &run.phases,
            ..Self::new(case, times, run.cells, work, right)
        }
    }

    /// Work per second.
    fn rate(&self) -> f64 {
        self.count as f64 / self.best().as_secs_f64()
    }

    pub fn best(&self) -> Duration {
        shortest(self.times)
    }

    /// Seconds of the median and of the longest call.
    fn spread(&self) -> Option<(f64, f64)> {
        let seconds: Vec<_> = self.times.iter().map(Duration::as_secs_f64).collect();
        Some((median(&seconds)?, self.times.iter().max()?.as_secs_f64()))
    }

    fn ratio(&self) -> Option<f64> {
        self.baseline
            .map(|(_, time)| time.as_secs_f64() / self.best().as_secs_f64())
    }

    /// Human-readable row.
    pub fn text(&self) -> String {
        let mut text = format!("{}: {:.2} ms", self.case, millis(self.best()));
        if let Some((median, longest)) = self.spread().filter(|_| self.times.len() > 1) {
            text += &format!(
                " (median {:.2}, longest {:.2})",
                1e3 * median,
                1e3 * longest
            );
        }
        text += &match self.work {
            Work::Splits(_) => format!(", {:.1} Gsplit/s", self.rate() / 1e9),
            Work::Windows => format!(", {:.3} Gsymbol/s", self.rate() / 1e9),
            Work::Keys { .. } => format!(", {:.3} Gkey/s", self.rate() / 1e9),
            Work::LcsCells | Work::EditCells => format!(", {:.4} TCUPS", self.rate() / 1e12),
        };
        if !self.remark.is_empty() {
            text += &format!(", {}", self.remark);
        }
        if let (Some((other, time)), Some(ratio)) = (self.baseline, self.ratio()) {
            text += &format!("; {ratio:.2}x {other} ({:.2} ms)", millis(time));
        }
        text += if self.right { "; right" } else { "; WRONG" };
        if !self.phases.is_empty() {
            if self.path_mode != PathMode::None {
                text += &format!("\n    {}", self.path_mode);
            }
            text += &format!("\n    ms by phase, last call: {}", by_phase(self.phases));
        }
        text
    }

    /// JSON object of the schema `swath/record/1`.
    pub fn json(&self) -> Value {
        let rate = match self.work {
            Work::Splits(_) => "splits_per_second",
            Work::Windows => "symbols_per_second",
            Work::Keys { .. } => "keys_per_second",
            Work::LcsCells | Work::EditCells => "cells_per_second",
        };
        let (median, longest) = self.spread().unzip();
        let phases = self.phases.iter();
        let phases = phases.map(|(phase, time)| json!([phase.name(), time.as_secs_f64()]));
        let mut row = json!({
            "case": self.case, "seconds": self.best().as_secs_f64(), "median_seconds": median,
            "longest_seconds": longest, "calls": self.times.len(), rate: self.rate(),
            "baseline": self.baseline.map(|(other, _)| other),
            "baseline_seconds": self.baseline.map(|(_, time)| time.as_secs_f64()),
            "ratio": self.ratio(), "right": self.right, "path_mode": self.path_mode.name(), "phases": phases.collect::<Vec<_>>(),
        });
        if let (Some(row), Some(members)) = (row.as_object_mut(), self.members.as_object()) {
            row.extend(members.clone());
        }
        row
    }
}

/// Phases with their milliseconds.
pub fn by_phase(phases: &[(Phase, Duration)]) -> String {
    let phases = phases
        .iter()
        .map(|(phase, time)| format!("{phase} {:.2}", millis(*time)));
    phases.collect::<Vec<_>>().join(", ")
}
