//! What was measured as one JSON object.

use std::io::{self, Write};

use serde::Serialize;

use super::super::write_json;
use super::published::PAPERS;
use super::{Outcome, Record, Row};

#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    version: &'static str,
    command: &'a [String],
    limit_seconds: f64,
    complete: bool,
    agree: bool,
    devices: Vec<Device<'a>>,
    rows: Vec<Figures<'a>>,
    papers: Vec<Paper>,
}

#[derive(Serialize)]
struct Device<'a> {
    selector: &'a str,
    name: &'a str,
    kind: &'static str,
    driver: &'a str,
}

#[derive(Serialize)]
struct Figures<'a> {
    problem: &'static str,
    inputs: String,
    sizes: Vec<usize>,
    path: bool,
    device: &'a str,
    method: &'static str,
    state: &'static str,
    #[serde(flatten)]
    measured: Option<Measured<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct Measured<'a> {
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
struct Paper {
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

/// Schema `swath/bench/1`.
pub fn bench_json(record: &Record, out: &mut dyn Write) -> io::Result<()> {
    let report = Report {
        schema: "swath/bench/1",
        version: env!("CARGO_PKG_VERSION"),
        command: &record.command,
        limit_seconds: record.limit.as_secs_f64(),
        complete: record.complete,
        agree: record
            .rows
            .iter()
            .filter_map(Row::measured)
            .all(|measured| measured.right),
        devices: record.devices.iter().map(device).collect(),
        rows: record.rows.iter().map(|row| figures(record, row)).collect(),
        papers: papers(record),
    };
    write_json(&report, out)
}

fn device(device: &super::Device) -> Device<'_> {
    let super::Device {
        selector,
        name,
        kind,
        driver,
    } = device;
    Device {
        selector,
        name,
        kind,
        driver,
    }
}

fn figures<'a>(record: &'a Record, row: &'a Row) -> Figures<'a> {
    let (state, expected, reason) = match &row.outcome {
        Outcome::Measured(measured) => ("measured", Some(&measured.expected), None),
        Outcome::Expected(time) if *time > record.limit => ("skipped", Some(time), None),
        Outcome::Expected(time) => ("expected", Some(time), None),
        Outcome::NoRoom(reason) => ("no room", None, Some(reason.as_str())),
        Outcome::Failed(reason) => ("failed", None, Some(reason.as_str())),
    };
    Figures {
        problem: row.case.problem.name(),
        inputs: row.case.kind.name(),
        sizes: sizes(row.case.sizes),
        path: row.case.path,
        device: record.selector(row),
        method: row.method,
        state,
        measured: row
            .measured()
            .map(|measured| of_calls(record, row, measured)),
        expected_seconds: expected.map(|time| time.as_secs_f64()),
        reason,
    }
}

fn of_calls<'a>(record: &'a Record, row: &'a Row, measured: &'a super::Measured) -> Measured<'a> {
    let ratio = |(other, ratio): (&'a Row, f64)| {
        let (baseline, device) = (other.method, record.selector(other));
        Ratio {
            baseline,
            device,
            ratio,
        }
    };
    Measured {
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
        ratios: record.ratios(row).into_iter().map(ratio).collect(),
    }
}

fn sizes((first, second): (usize, Option<usize>)) -> Vec<usize> {
    std::iter::once(first).chain(second).collect()
}

fn papers(record: &Record) -> Vec<Paper> {
    let asked = PAPERS
        .iter()
        .filter(|paper| record.papers.contains(&paper.problem));
    asked
        .flat_map(|paper| {
            paper.tables.iter().map(|published| Paper {
                problem: paper.problem.name(),
                source: paper.source(),
                place: published.place,
                machine: published.machine,
                columns: published.columns,
                rows: published
                    .rows
                    .iter()
                    .map(|&(of, figures)| PaperRow {
                        sizes: sizes(of),
                        seconds: figures
                            .iter()
                            .map(|&figure| published.seconds(figure))
                            .collect(),
                    })
                    .collect(),
            })
        })
        .collect()
}
