//! The papers' tables: their figures, and what was measured of the same sizes here.

use std::io::{self, Write};
use std::time::Duration;

use super::super::{between, units};
use super::published::{PAPERS, Paper, Published};
use super::table::Table;
use super::{Case, Outcome, Problem, Record};

/// Stands for what there is no figure of.
const NONE: &str = "-";

/// The tables of these problems' papers.
pub fn paper_text(record: &Record, problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
    for (place, table) in papers(record, problems).into_iter().enumerate() {
        between(place > 0, out)?;
        table.write(out)?;
    }
    Ok(())
}

/// A table for each of the papers'.
pub fn papers(record: &Record, problems: &[Problem]) -> Vec<Table> {
    let asked = PAPERS
        .iter()
        .filter(|paper| problems.contains(&paper.problem));
    asked
        .flat_map(|paper| {
            paper
                .tables
                .iter()
                .map(|published| table(record, paper, published))
        })
        .collect()
}

fn table(record: &Record, paper: &Paper, published: &Published) -> Table {
    let ours: Vec<(usize, &'static str)> = (0..record.devices.len())
        .flat_map(|device| {
            ["auto"]
                .iter()
                .chain(published.methods)
                .map(move |&method| (device, method))
        })
        .filter(|&(device, method)| {
            let mut rows = record
                .rows
                .iter()
                .filter(|row| row.case.problem == paper.problem);
            rows.any(|row| row.device == device && row.method == method)
        })
        .collect();
    let head_of = |&(device, method): &(usize, &str)| {
        format!("{method} on {}", record.devices[device].selector)
    };
    let head = std::iter::once("size".to_string())
        .chain(published.columns.iter().map(|column| column.to_string()))
        .chain(ours.iter().map(head_of));
    // As the paper has them, with no digit more and none less.
    let decimals = published.decimals();
    let figures = |figures: &[f64]| -> Vec<String> {
        let figure = |column| {
            figures
                .get(column)
                .map(|figure| format!("{figure:.decimals$} {}", published.unit.0))
        };
        (0..published.columns.len())
            .map(|column| figure(column).unwrap_or(NONE.to_string()))
            .collect()
    };
    let rows = published
        .cases(paper.problem)
        .zip(published.rows)
        .map(|(case, &(_, row))| {
            let ours = ours
                .iter()
                .map(|&(device, method)| time(record, &case, device, method));
            std::iter::once(case.size())
                .chain(figures(row))
                .chain(ours)
                .collect()
        });
    let source = format!(
        "Published: {}, {}; {}",
        paper.source(),
        published.place,
        published.machine
    );
    let letters = format!(
        "Measured here: {}, the median; in brackets what was expected and not run",
        published.kind.name()
    );
    let note = (!published.note.is_empty()).then(|| published.note.to_string());
    Table {
        title: format!("{}: {}", paper.problem.title(), published.place),
        head: head.collect(),
        rows: rows.collect(),
        notes: std::iter::once(source)
            .chain(note)
            .chain([letters])
            .collect(),
    }
}

/// What was measured of a case; in brackets what is expected.
fn time(record: &Record, case: &Case, device: usize, method: &str) -> String {
    let mut rows = record.rows.iter();
    let found = rows.find(|row| row.case == *case && row.device == device && row.method == method);
    match found.map(|row| &row.outcome) {
        Some(Outcome::Measured(measured)) => {
            let verdict = measured
                .verdict()
                .map_or(String::new(), |verdict| format!(" {verdict}"));
            units::time(Duration::from_secs_f64(measured.seconds())) + &verdict
        }
        Some(Outcome::Expected(time)) => format!("({})", units::time(*time)),
        Some(Outcome::NoRoom(_) | Outcome::Failed(_)) | None => NONE.to_string(),
    }
}
