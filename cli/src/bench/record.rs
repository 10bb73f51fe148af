//! Results of a run, and their JSON.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;
use swath::Phase;
use swath::unstable::measure::timing::median;

use super::case::{Case, Problem, Sizes};
use super::papers;
use crate::report::Object;

#[derive(Clone, Debug, Serialize)]
pub struct Device {
    pub selector: String,
    pub name: String,
    pub kind: &'static str,
    pub driver: String,
    /// Threads, where the CPU is measured by several numbers of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
}

impl Device {
    pub fn label(&self) -> String {
        match self.threads {
            None => self.selector.clone(),
            Some(1) => format!("{}, 1 thread", self.selector),
            Some(threads) => format!("{}, {threads} threads", self.selector),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Row {
    pub case: Case,
    /// Index in the list of devices.
    pub device: usize,
    pub method: &'static str,
    pub outcome: Outcome,
}

#[derive(Clone, Debug)]
pub enum Outcome {
    Measured(Measured),
    /// Skipped because of this expected time.
    Expected(Duration),
    /// Skipped for lack of memory.
    NoRoom(String),
    Failed(String),
}

#[derive(Clone, Debug)]
pub struct Measured {
    /// Method and device that ran.
    pub ran: (&'static str, String),
    pub times: Vec<f64>,
    /// Phases of the last call.
    pub phases: Vec<(Phase, Duration)>,
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
    pub fn seconds(&self) -> f64 {
        median(&self.times).unwrap_or_default()
    }

    pub fn spread(&self) -> (f64, f64) {
        let fold =
            |of: fn(f64, f64) -> f64| self.times.iter().copied().reduce(of).unwrap_or_default();
        (fold(f64::min), fold(f64::max))
    }

    pub fn pace(&self) -> f64 {
        self.seconds() / self.expected.as_secs_f64().max(1e-9)
    }

    pub fn verdict(&self) -> Option<&'static str> {
        match (self.right, self.checked) {
            (false, _) => Some("WRONG"),
            (true, false) => Some("unchecked"),
            (true, true) => None,
        }
    }

    /// Seconds of the last call: copies to and from the device, its computation, the host.
    pub fn split(&self) -> [f64; 3] {
        let mut split = [0.0; 3];
        for (phase, time) in &self.phases {
            let part = match phase {
                Phase::Upload | Phase::Readback => 0,
                Phase::Sweep
                | Phase::Meet
                | Phase::Trace
                | Phase::Wavefront
                | Phase::Bands
                | Phase::Search => 1,
                _ => 2,
            };
            split[part] += time.as_secs_f64();
        }
        split
    }

    pub fn share(&self) -> Option<f64> {
        self.ceiling
            .map(|max| self.computed as f64 / self.seconds() / max)
    }
}

#[derive(Clone, Debug)]
pub struct Record {
    pub command: Vec<String>,
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
    pub fn device(&self, row: &Row) -> &Device {
        &self.devices[row.device]
    }

    pub fn row(&self, case: &Case, device: usize, method: &str) -> Option<&Row> {
        let is_it = |row: &&Row| row.case == *case && row.device == device && row.method == method;
        self.rows.iter().find(is_it)
    }

    /// Time of each baseline of the case over that of the row. Baselines on the same device take
    /// precedence; a baseline itself is compared with its run on the CPU.
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

pub fn bench_json(record: &Record, out: &mut dyn Write) -> io::Result<()> {
    let mut measured = record.rows.iter().filter_map(Row::measured);
    let tables = papers::of(&record.papers)
        .flat_map(|paper| paper.tables.iter().map(move |table| (paper, table)));
    Object::new("bench/1", out)
        .field("version", env!("CARGO_PKG_VERSION"))
        .field("command", &record.command)
        .field("limit_seconds", record.limit.as_secs_f64())
        .field("complete", record.complete)
        .field("agree", measured.all(|measured| measured.right))
        .field("devices", &record.devices)
        .objects("rows", &record.rows, |object, row| {
            add_row(object, record, row)
        })
        .objects("papers", tables, |object, (paper, table)| {
            let unit = table.unit.1;
            object
                .field("problem", paper.problem.name())
                .field("source", paper.source())
                .field("place", table.place)
                .field("machine", table.machine)
                .field("columns", &table.columns)
                .objects("rows", &table.rows, |object, (of_row, figures)| {
                    let seconds: Vec<_> = figures.iter().map(|figure| figure * unit).collect();
                    object
                        .field("sizes", sizes(*of_row))
                        .field("seconds", seconds)
                })
        })
        .end()
}

fn add_row<'o, 'w>(object: &'o mut Object<'w>, record: &Record, row: &Row) -> &'o mut Object<'w> {
    let (state, expected, reason) = match &row.outcome {
        Outcome::Measured(measured) => ("measured", Some(&measured.expected), None),
        Outcome::Expected(time) if *time > record.limit => ("skipped", Some(time), None),
        Outcome::Expected(time) => ("expected", Some(time), None),
        Outcome::NoRoom(reason) => ("no room", None, Some(reason)),
        Outcome::Failed(reason) => ("failed", None, Some(reason)),
    };
    object
        .field("problem", row.case.problem.name())
        .field("inputs", row.case.kind.name())
        .field("sizes", sizes(row.case.sizes))
        .field("path", row.case.path)
        .field("device", &record.device(row).selector)
        .field_if("threads", record.device(row).threads)
        .field("method", row.method)
        .field("state", state);
    if let Some(measured) = row.measured() {
        object
            .field("ran", measured.ran.0)
            .field("ran_on", &measured.ran.1)
            .field("seconds", measured.seconds())
            .field("times", &measured.times)
            .objects("phases", &measured.phases, |object, (phase, time)| {
                object
                    .field("name", phase.name())
                    .field("seconds", time.as_secs_f64())
            })
            .field("counted", row.case.problem.counted())
            .field("count", measured.count)
            .field("computed", measured.computed)
            .field("per_second", measured.count as f64 / measured.seconds())
            .field("share_of_ceiling", measured.share())
            .field("answers", &measured.answers)
            .field("right", measured.right)
            .field("checked", measured.checked)
            .objects("ratios", record.ratios(row), |object, (other, ratio)| {
                object
                    .field("baseline", other.method)
                    .field("device", &record.device(other).selector)
                    .field_if("threads", record.device(other).threads)
                    .field("ratio", ratio)
            });
    }
    object
        .field_if("expected_seconds", expected.map(Duration::as_secs_f64))
        .field_if("reason", reason)
}

fn sizes(sizes: Sizes) -> Vec<usize> {
    std::iter::once(sizes.0).chain(sizes.1).collect()
}
