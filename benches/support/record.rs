//! Rows of a record, as text and as JSON, and reading of records.

use std::time::Duration;

use serde_json::{Value, json};
use swath::{PathMode, Phase};

use super::ceiling::Work;
use super::timing::{median, millis, shortest};

/// Schema of a record.
pub const SCHEMA: &str = "swath/record/1";

/// Reads an earlier record.
pub fn read(file: &str) -> Value {
    let text =
        std::fs::read_to_string(file).unwrap_or_else(|error| panic!("cannot read {file}: {error}"));
    let record: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file} is not JSON: {error}"));
    assert_eq!(
        record["schema"], SCHEMA,
        "{file} is not a record of a benchmark"
    );
    record
}

/// Formats a record with one list element per line, so that diffs are per row.
pub fn text(record: &Value) -> String {
    let members = record
        .as_object()
        .expect("a record is an object")
        .iter()
        .map(|(name, value)| match value.as_array() {
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
    let features = if cfg!(feature = "cuda") {
        " --features cuda"
    } else {
        ""
    };
    let mut command = format!("cargo bench -p swath-bench{features} --bench {bench} --");
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" => {}
            "--json" | "--against" => _ = arguments.next(),
            word if word.contains(' ') => command += &format!(" '{word}'"),
            word => command += &format!(" {word}"),
        }
    }
    command.trim_end_matches(" --").to_string()
}

/// Seconds of a case in a record.
pub fn seconds(record: &Value, case: &str) -> Option<f64> {
    record["rows"]
        .as_array()?
        .iter()
        .find(|row| row["case"] == case)?["seconds"]
        .as_f64()
}

/// One case: times, baseline, and whether the answer is right.
pub struct Row<'a> {
    pub case: &'a str,
    /// Times of all calls; speeds refer to the shortest.
    pub times: &'a [Duration],
    /// Cells, splits or symbols per call.
    pub count: u128,
    /// Number of them that were computed.
    pub computed: u128,
    pub work: Work,
    /// `"cpu"` or the name of a GPU.
    pub device: &'a str,
    /// Another measurement of the same run, with its time.
    pub baseline: Option<(&'a str, Duration)>,
    pub right: bool,
    /// Printed after the speed.
    pub remark: String,
    /// Printed before the phases.
    pub path_mode: Option<PathMode>,
    pub phases: &'a [(Phase, Duration)],
    /// Additional JSON members of this benchmark.
    pub members: Value,
}

impl Row<'_> {
    /// Cells, splits or symbols per second.
    pub fn rate(&self) -> f64 {
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

    /// Human-readable row; `share` is the fraction of the integer ceiling.
    pub fn text(&self, share: Option<f64>) -> String {
        let speed = match self.work {
            Work::Splits(_) => format!("{:.1} Gsplit/s", self.rate() / 1e9),
            Work::Windows => format!("{:.3} Gsymbol/s", self.rate() / 1e9),
            Work::Keys { .. } => format!("{:.3} Gkey/s", self.rate() / 1e9),
            Work::LcsCells | Work::EditCells => format!("{:.4} TCUPS", self.rate() / 1e12),
        };
        let share = share.map_or(String::new(), |share| {
            format!(", {:.1} % of the integer ceiling", 100.0 * share)
        });
        let against = match (self.baseline, self.ratio()) {
            (Some((other, time)), Some(ratio)) => {
                format!("; {ratio:.2}x {other} ({:.2} ms)", millis(time))
            }
            _ => String::new(),
        };
        let verdict = if self.right { "right" } else { "WRONG" };
        let remark = if self.remark.is_empty() {
            String::new()
        } else {
            format!(", {}", self.remark)
        };
        let time = millis(self.best());
        let spread = self.spread().filter(|_| self.times.len() > 1);
        let spread = spread.map_or(String::new(), |(median, longest)| {
            format!(
                " (median {:.2}, longest {:.2})",
                1e3 * median,
                1e3 * longest
            )
        });
        let mut text = format!(
            "{}: {time:.2} ms{spread}, {speed}{share}{remark}{against}; {verdict}",
            self.case
        );
        if !self.phases.is_empty() {
            let phases: Vec<_> = self
                .phases
                .iter()
                .map(|(phase, time)| format!("{phase} {:.2}", millis(*time)))
                .collect();
            let path_mode = self
                .path_mode
                .map_or(String::new(), |mode| format!("{mode}; "));
            text += &format!(
                "\n    {path_mode}ms by phase, last call: {}",
                phases.join(", ")
            );
        }
        text
    }

    /// JSON object of the schema `swath/record/1`.
    pub fn json(&self, share: Option<f64>) -> Value {
        let rate = match self.work {
            Work::Splits(_) => "splits_per_second",
            Work::Windows => "symbols_per_second",
            Work::Keys { .. } => "keys_per_second",
            Work::LcsCells | Work::EditCells => "cells_per_second",
        };
        let (median, longest) = self.spread().unzip();
        let mut object = json!({
            "case": self.case, "seconds": self.best().as_secs_f64(), "median_seconds": median,
            "longest_seconds": longest, "calls": self.times.len(), rate: self.rate(), "share_of_ceiling": share,
            "baseline": self.baseline.map(|(other, _)| other),
            "baseline_seconds": self.baseline.map(|(_, time)| time.as_secs_f64()),
            "ratio": self.ratio(), "right": self.right,
            "phases": self.phases.iter().map(|(phase, time)| json!([phase.name(), time.as_secs_f64()])).collect::<Vec<_>>(),
        });
        if let (Some(object), Some(mode)) = (object.as_object_mut(), self.path_mode) {
            object.insert("path_mode".to_string(), json!(mode.name()));
        }
        if let (Some(object), Some(members)) = (object.as_object_mut(), self.members.as_object()) {
            object.extend(members.clone());
        }
        object
    }
}
