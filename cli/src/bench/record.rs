//! Results of a run, and their JSON.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;
use swath::unstable::measure::timing::median;

use super::case::{Case, Problem, Sizes};
use super::papers;
use crate::report::Object;

/// A measured device.
#[derive(Clone, Debug, Serialize)]
pub struct Device {
    pub selector: String,
    pub name: String,
    pub kind: &'static str,
    pub driver: String,
}

/// A case with one method on one device.
#[derive(Clone, Debug)]
pub struct Row {
    pub case: Case,
    /// Index in the list of devices.
    pub device: usize,
    /// Requested method, or the method that runs if there is no choice.
    pub method: &'static str,
    pub outcome: Outcome,
}

/// Result of a row.
#[derive(Clone, Debug)]
pub enum Outcome {
    Measured(Measured),
    /// Skipped because of this expected time.
    Expected(Duration),
    /// Skipped for lack of memory.
    NoRoom(String),
    Failed(String),
}

/// Results of repeated calls.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Method and device that ran.
    pub ran: (&'static str, String),
    /// Seconds of each call; only one if it took longer than the limit.
    pub times: Vec<f64>,
    /// Expected time of a call by its plan.
    pub expected: Duration,
    /// Number of cells, splits, symbols or keys.
    pub count: u128,
    /// Computed part of `count`.
    pub computed: u128,
    /// Peak throughput of the device in units of `computed` per second, if known.
    pub ceiling: Option<f64>,
    /// Answers of all calls, including the warm-up call; a digest for sorts.
    pub answers: Vec<u64>,
    /// Set if all answers agree with the other methods and devices.
    pub right: bool,
    /// Set if there was another method, another device or a known answer to compare with.
    pub checked: bool,
}

impl Measured {
    /// Median time in seconds.
    pub fn seconds(&self) -> f64 {
        median(&self.times).unwrap_or_default()
    }

    /// Minimum and maximum time.
    pub fn spread(&self) -> (f64, f64) {
        let fold =
            |of: fn(f64, f64) -> f64| self.times.iter().copied().reduce(of).unwrap_or_default();
        (fold(f64::min), fold(f64::max))
    }

    /// Measured over expected time.
    pub fn pace(&self) -> f64 {
        self.seconds() / self.expected.as_secs_f64().max(1e-9)
    }

    /// Warning about wrong or unchecked answers.
    pub fn verdict(&self) -> Option<&'static str> {
        match (self.right, self.checked) {
            (false, _) => Some("WRONG"),
            (true, false) => Some("unchecked"),
            (true, true) => None,
        }
    }

    /// Fraction of the peak throughput.
    pub fn share(&self) -> Option<f64> {
        self.ceiling
            .map(|max| self.computed as f64 / self.seconds() / max)
    }
}

/// A run of the command.
#[derive(Clone, Debug)]
pub struct Record {
    pub command: Vec<String>,
    /// Maximum expected time of a call.
    pub limit: Duration,
    pub devices: Vec<Device>,
    pub rows: Vec<Row>,
    /// Problems measured with the sizes of their papers.
    pub papers: Vec<Problem>,
    /// Set if no signal ended the run early.
    pub complete: bool,
}

impl Row {
    pub fn measured(&self) -> Option<&Measured> {
        match &self.outcome {
            Outcome::Measured(measured) => Some(measured),
            _ => None,
        }
    }
}

impl Record {
    /// Selector of a row's device.
    pub fn selector(&self, row: &Row) -> &str {
        &self.devices[row.device].selector
    }

    /// Time of each baseline of the same case over that of the row, with the baseline's row.
    /// Baselines on the same device take precedence; a baseline itself is compared with its run on
    /// the CPU.
    pub fn ratios<'a>(&'a self, row: &'a Row) -> Vec<(&'a Row, f64)> {
        let Some(own) = row.measured() else {
            return Vec::new();
        };
        let mut ratios = Vec::new();
        for &method in row.case.problem.baselines() {
            let is_alike = |other: &&Row| other.case == row.case && other.method == method;
            let all: Vec<&Row> = self.rows.iter().filter(is_alike).collect();
            let has_device = all.iter().any(|other| other.device == row.device);
            for other in all {
                let is_here = other.device == row.device;
                let is_meant = if method == row.method {
                    !is_here && self.devices[other.device].kind == "CPU"
                } else {
                    !has_device || is_here
                };
                if let Some(measured) = other.measured().filter(|_| is_meant) {
                    ratios.push((other, measured.seconds() / own.seconds()));
                }
            }
        }
        ratios
    }
}

#[derive(Serialize)]
struct RowFields<'a> {
    problem: &'static str,
    inputs: String,
    sizes: Vec<usize>,
    path: bool,
    device: &'a str,
    method: &'static str,
    state: &'static str,
    #[serde(flatten)]
    measured: Option<MeasuredFields<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct MeasuredFields<'a> {
    ran: &'static str,
    ran_on: &'a str,
    seconds: f64,
    times: &'a [f64],
    counted: &'static str,
    count: u128,
    computed: u128,
    per_second: f64,
    share_of_ceiling: Option<f64>,
    answers: &'a [u64],
    right: bool,
    checked: bool,
    ratios: Vec<Ratio<'a>>,
}

#[derive(Serialize)]
struct Ratio<'a> {
    baseline: &'static str,
    device: &'a str,
    ratio: f64,
}

#[derive(Serialize)]
struct PaperFields {
    problem: &'static str,
    source: String,
    place: &'static str,
    machine: &'static str,
    columns: &'static [&'static str],
    rows: Vec<PaperRow>,
}

#[derive(Serialize)]
struct PaperRow {
    sizes: Vec<usize>,
    seconds: Vec<f64>,
}

/// Writes one object of the schema `swath/bench/1`.
pub fn bench_json(record: &Record, out: &mut dyn Write) -> io::Result<()> {
    let mut measured = record.rows.iter().filter_map(Row::measured);
    let rows = record.rows.iter().map(|row| row_fields(record, row));
    let mut papers = Vec::new();
    for paper in papers::of(&record.papers) {
        papers.extend(paper.tables.iter().map(|table| {
            PaperFields {
                problem: paper.problem.name(),
                source: paper.source(),
                place: table.place,
                machine: table.machine,
                columns: &table.columns,
                rows: table
                    .rows
                    .iter()
                    .map(|(of, figures)| PaperRow {
                        sizes: sizes(*of),
                        seconds: figures.iter().map(|figure| figure * table.unit.1).collect(),
                    })
                    .collect(),
            }
        }));
    }
    Object::new("bench/1", out)?
        .field("version", env!("CARGO_PKG_VERSION"))?
        .field("command", &record.command)?
        .field("limit_seconds", record.limit.as_secs_f64())?
        .field("complete", record.complete)?
        .field("agree", measured.all(|measured| measured.right))?
        .field("devices", &record.devices)?
        .field("rows", rows.collect::<Vec<_>>())?
        .field("papers", papers)?
        .end()
}

fn row_fields<'a>(record: &'a Record, row: &'a Row) -> RowFields<'a> {
    let (state, expected, reason) = match &row.outcome {
        Outcome::Measured(measured) => ("measured", Some(&measured.expected), None),
        Outcome::Expected(time) if *time > record.limit => ("skipped", Some(time), None),
        Outcome::Expected(time) => ("expected", Some(time), None),
        Outcome::NoRoom(reason) => ("no room", None, Some(reason.as_str())),
        Outcome::Failed(reason) => ("failed", None, Some(reason.as_str())),
    };
    let ratios = record.ratios(row).into_iter().map(|(other, ratio)| Ratio {
        baseline: other.method,
        device: record.selector(other),
        ratio,
    });
    let measured = row.measured().map(|measured| MeasuredFields {
        ran: measured.ran.0,
        ran_on: &measured.ran.1,
        seconds: measured.seconds(),
        times: &measured.times,
        counted: row.case.problem.counted(),
        count: measured.count,
        computed: measured.computed,
        per_second: measured.count as f64 / measured.seconds(),
        share_of_ceiling: measured.share(),
        answers: &measured.answers,
        right: measured.right,
        checked: measured.checked,
        ratios: ratios.collect(),
    });
    RowFields {
        problem: row.case.problem.name(),
        inputs: row.case.kind.name(),
        sizes: sizes(row.case.sizes),
        path: row.case.path,
        device: record.selector(row),
        method: row.method,
        state,
        measured,
        expected_seconds: expected.map(Duration::as_secs_f64),
        reason,
    }
}

fn sizes((first, second): Sizes) -> Vec<usize> {
    std::iter::once(first).chain(second).collect()
}

/// Records for tests.
#[cfg(test)]
pub mod samples {
    use super::super::case::Kind;
    use super::*;

    pub const CASE: Case = Case {
        problem: Problem::Lcs,
        kind: Kind::Letters(4),
        sizes: (10, Some(10)),
        path: false,
    };

    /// Half of 100 cells computed in 2 seconds, twice the expected time.
    pub fn measured() -> Measured {
        Measured {
            ran: ("bit-parallel", "cpu".to_string()),
            times: vec![2.0],
            expected: Duration::from_secs(1),
            count: 100,
            computed: 50,
            ceiling: None,
            answers: vec![7],
            right: true,
            checked: false,
        }
    }

    pub fn row(measured: Measured) -> Row {
        Row {
            case: CASE,
            device: 0,
            method: "bit-parallel",
            outcome: Outcome::Measured(measured),
        }
    }

    pub fn record(rows: Vec<Row>) -> Record {
        let [selector, name, driver] = ["cpu", "native code", "swath"].map(str::to_string);
        Record {
            command: Vec::new(),
            limit: Duration::from_secs(10),
            devices: vec![Device {
                selector,
                name,
                kind: "CPU",
                driver,
            }],
            rows,
            papers: Vec::new(),
            complete: true,
        }
    }
}
