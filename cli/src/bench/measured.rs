//! Tables of the measured rows.

use std::time::Duration;

use super::case::{Case, Kind, Problem};
use super::record::{Measured, Outcome, Record, Row};
use super::table::Table;
use crate::report::units;

const HEAD: [&str; 9] = [
    "size", "device", "method", "median", "least", "most", "speed", "ceiling", "against",
];

/// Rows grouped by problem and kind of input, in order of appearance.
pub fn series<'a>(record: &'a Record, problems: &[Problem]) -> Vec<(Problem, Kind, Vec<&'a Row>)> {
    let mut found: Vec<(Problem, Kind, Vec<&Row>)> = Vec::new();
    let is_asked = |row: &&Row| problems.contains(&row.case.problem);
    for row in record.rows.iter().filter(is_asked) {
        let Case { problem, kind, .. } = row.case;
        match found
            .iter_mut()
            .find(|one| (one.0, one.1) == (problem, kind))
        {
            Some((.., rows)) => rows.push(row),
            None => found.push((problem, kind, vec![row])),
        }
    }
    found
}

pub fn tables(record: &Record, problems: &[Problem]) -> Vec<Table> {
    let table = |(problem, kind, rows): (Problem, Kind, Vec<&Row>)| {
        let path = if rows.iter().any(|row| row.case.path) {
            ", with the witness"
        } else {
            ""
        };
        let table = Table {
            title: format!("{}, {}{path}", problem.title(), kind.name()),
            head: HEAD.map(str::to_string).to_vec(),
            rows: rows.iter().map(|row| cells(record, row)).collect(),
            notes: Vec::new(),
        };
        table.without_empty_columns()
    };
    series(record, problems).into_iter().map(table).collect()
}

fn cells(record: &Record, row: &Row) -> Vec<String> {
    let mut cells = vec![
        row.case.size(),
        record.device(row).label(),
        method(record, row),
    ];
    if let Some(measured) = row.measured() {
        let (min, max) = measured.spread();
        let times = [measured.seconds(), min, max];
        cells.extend(times.map(|time| units::time(Duration::from_secs_f64(time))));
        let rate = measured.count as f64 / measured.seconds();
        cells.push(units::per_second(rate, row.case.problem.counted()));
        let share = measured.share();
        cells.extend(share.map(|share| format!("{:.1} %", 100.0 * share)));
    }
    cells.resize(HEAD.len() - 1, String::new());
    cells.push(against(record, row));
    cells
}

/// Method, with the one that ran if it differs: `auto (hu-shing on cpu)`.
fn method(record: &Record, row: &Row) -> String {
    let Some(Measured { ran: (ran, on), .. }) = row.measured() else {
        return row.method.to_string();
    };
    let device = &record.devices[row.device];
    let elsewhere = if *on == device.name || *on == device.selector {
        String::new()
    } else {
        format!(" on {on}")
    };
    if *ran == row.method {
        format!("{}{elsewhere}", row.method)
    } else {
        format!("{} ({ran}{elsewhere})", row.method)
    }
}

fn against(record: &Record, row: &Row) -> String {
    match &row.outcome {
        Outcome::Measured(measured) => {
            let mut remarks: Vec<String> = measured.verdict().into_iter().map(Into::into).collect();
            for (other, factor) in record.ratios(row) {
                let on = if other.device == row.device {
                    String::new()
                } else {
                    format!(" on {}", record.device(other).label())
                };
                remarks.push(format!(
                    "{}x {}{on}",
                    units::three_digits(factor),
                    other.method
                ));
            }
            remarks.join(", ")
        }
        Outcome::Expected(time) if *time > record.limit => {
            format!("skipped: {} expected", units::time(*time))
        }
        Outcome::Expected(time) => format!("{} expected", units::time(*time)),
        Outcome::NoRoom(reason) => format!("no room: {reason}"),
        Outcome::Failed(reason) => format!("FAILED: {reason}"),
    }
}
