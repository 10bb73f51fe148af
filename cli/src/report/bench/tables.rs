//! What was measured, as tables: one a problem and kind of input.

use std::io::{self, Write};
use std::time::Duration;

use super::super::{between, units};
use super::table::Table;
use super::{Kind, Measured, Outcome, Problem, Record, Row};

const HEAD: [&str; 9] = [
    "size", "device", "method", "median", "least", "most", "speed", "ceiling", "against",
];

/// Everything of these problems, or with `dry_run` what is expected of it.
pub fn bench_text(record: &Record, problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
    for (place, table) in tables(record, problems).into_iter().enumerate() {
        between(place > 0, out)?;
        table.write(out)?;
    }
    Ok(())
}

/// The problems and kinds of inputs that there are rows of, in their order, with their rows.
pub fn series<'a>(record: &'a Record, problems: &[Problem]) -> Vec<(Problem, Kind, Vec<&'a Row>)> {
    let mut found: Vec<(Problem, Kind, Vec<&Row>)> = Vec::new();
    for row in record
        .rows
        .iter()
        .filter(|row| problems.contains(&row.case.problem))
    {
        let key = (row.case.problem, row.case.kind);
        match found
            .iter_mut()
            .find(|(problem, kind, _)| (*problem, *kind) == key)
        {
            Some((.., rows)) => rows.push(row),
            None => found.push((key.0, key.1, vec![row])),
        }
    }
    found
}

/// A table each.
pub fn tables(record: &Record, problems: &[Problem]) -> Vec<Table> {
    let table = |(problem, kind, rows): (Problem, Kind, Vec<&Row>)| {
        let path = if rows.iter().any(|row| row.case.path) {
            ", with the witness"
        } else {
            ""
        };
        Table {
            title: format!("{}, {}{path}", problem.title(), kind.name()),
            head: HEAD.map(str::to_string).to_vec(),
            rows: rows.iter().map(|row| cells(record, row)).collect(),
            notes: Vec::new(),
        }
        .without_empty_columns()
    };
    series(record, problems).into_iter().map(table).collect()
}

/// The cells of a row; what was not measured has its reason in the last one.
fn cells(record: &Record, row: &Row) -> Vec<String> {
    let measured = row.measured();
    let of = |cell: &dyn Fn(&Measured) -> String| measured.map_or(String::new(), cell);
    let time = |seconds: f64| units::time(Duration::from_secs_f64(seconds));
    vec![
        row.case.size(),
        record.selector(row).to_string(),
        method(record, row),
        of(&|measured| time(measured.seconds())),
        of(&|measured| time(measured.spread().0)),
        of(&|measured| time(measured.spread().1)),
        of(&|measured| {
            units::per_second(
                measured.count as f64 / measured.seconds(),
                row.case.problem.counted(),
            )
        }),
        of(&|measured| {
            measured
                .share()
                .map_or(String::new(), |share| format!("{:.1} %", 100.0 * share))
        }),
        against(record, row),
    ]
}

/// The method, and what ran where that is another: `auto (hu-shing on cpu)`.
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
    match (*ran == row.method, elsewhere.is_empty()) {
        (true, true) => row.method.to_string(),
        (true, false) => format!("{}{elsewhere}", row.method),
        (false, _) => format!("{} ({ran}{elsewhere})", row.method),
    }
}

fn against(record: &Record, row: &Row) -> String {
    match &row.outcome {
        Outcome::Measured(measured) => {
            let ratio = |(other, factor): &(&Row, f64)| {
                let on = if other.device == row.device {
                    String::new()
                } else {
                    format!(" on {}", record.selector(other))
                };
                format!("{}x {}{on}", units::three_digits(*factor), other.method)
            };
            let verdict = measured.verdict().map(str::to_string);
            verdict
                .into_iter()
                .chain(record.ratios(row).iter().map(ratio))
                .collect::<Vec<_>>()
                .join(", ")
        }
        Outcome::Expected(time) if *time > record.limit => {
            format!("skipped: {} expected", units::time(*time))
        }
        Outcome::Expected(time) => format!("{} expected", units::time(*time)),
        Outcome::NoRoom(reason) => format!("no room: {reason}"),
        Outcome::Failed(reason) => format!("FAILED: {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Case, Device};
    use super::*;

    fn printed(ceiling: Option<f64>, checked: bool) -> String {
        let measured = Measured {
            ran: ("bit-parallel", "a GPU".to_string()),
            times: vec![2.0],
            expected: Duration::from_secs(1),
            count: 100,
            computed: 50,
            ceiling,
            answers: vec![7],
            right: true,
            checked,
        };
        let case = Case {
            problem: Problem::Lcs,
            kind: Kind::Letters(4),
            sizes: (10, Some(10)),
            path: false,
        };
        let [selector, name, driver] = ["vulkan:0", "a GPU", "a driver"].map(str::to_string);
        let record = Record {
            command: Vec::new(),
            limit: Duration::from_secs(10),
            devices: vec![Device {
                selector,
                name,
                kind: "discrete GPU",
                driver,
            }],
            rows: vec![Row {
                case,
                device: 0,
                method: "bit-parallel",
                outcome: Outcome::Measured(measured),
            }],
            papers: Vec::new(),
            complete: true,
        };
        let mut text = Vec::new();
        bench_text(&record, &[Problem::Lcs], &mut text).expect("memory takes it");
        String::from_utf8(text).expect("it is text")
    }

    #[test]
    fn the_share_of_the_ceiling_is_that_of_what_was_computed_and_a_column_where_it_is_known() {
        // 25 of 200 a second.
        let text = printed(Some(200.0), true);
        assert!(
            text.contains("ceiling") && text.contains("12.5 %"),
            "{text}"
        );
        assert!(!printed(None, true).contains("ceiling"));
    }

    #[test]
    fn a_row_that_nothing_checks_says_so() {
        assert!(
            printed(None, false).contains("unchecked")
                && !printed(None, true).contains("unchecked")
        );
    }
}
