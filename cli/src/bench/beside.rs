//! Tables of the papers, beside the rows measured at their sizes.

use std::time::Duration;

use super::case::{Case, DEFAULT, Problem, shaped};
use super::papers::{self, Paper, Published};
use super::record::{Measured, Outcome, Record, Row};
use super::table::Table;
use crate::report::units;

const NONE: &str = "-";

pub fn tables(record: &Record, problems: &[Problem]) -> Vec<Table> {
    let tables = |paper: &'static Paper<'static>| {
        let tables = paper.tables.iter();
        tables.flat_map(move |published| {
            let beside = Beside::of(record, paper, published);
            let others = [beside.shapes(), beside.speedups(), beside.split()];
            let others = others.into_iter().filter(|table| table.head.len() > 1);
            std::iter::once(beside.figures()).chain(others)
        })
    };
    papers::of(problems).flat_map(tables).collect()
}

/// A published table and the rows measured at its sizes.
struct Beside<'a> {
    record: &'a Record,
    paper: &'static Paper<'static>,
    published: &'static Published<'static>,
    ours: Vec<Column>,
}

#[derive(Clone, Copy, PartialEq)]
struct Column {
    device: usize,
    method: &'static str,
}

impl<'a> Beside<'a> {
    fn of(
        record: &'a Record,
        paper: &'static Paper<'static>,
        published: &'static Published<'static>,
    ) -> Self {
        let methods = || {
            [DEFAULT]
                .into_iter()
                .chain(published.methods.iter().copied())
        };
        let columns = (0..record.devices.len())
            .flat_map(|device| methods().map(move |method| Column { device, method }));
        let is_measured = |&column: &Column| {
            let is_it = |row: &Row| {
                let of_row = Column {
                    device: row.device,
                    method: row.method,
                };
                row.case.problem == paper.problem && of_row == column
            };
            record.rows.iter().any(is_it)
        };
        let ours = columns.filter(is_measured).collect();
        Self {
            record,
            paper,
            published,
            ours,
        }
    }

    fn head(&self, column: Column) -> String {
        let label = self.record.devices[column.device].label();
        format!("{} on {label}", column.method)
    }

    fn row(&self, case: &Case, column: Column) -> Option<&'a Row> {
        self.record.row(case, column.device, column.method)
    }

    fn measured(&self, case: &Case, column: Column) -> Option<&'a Measured> {
        self.row(case, column)?.measured()
    }

    /// A table with a line for each published row; `cell` fills the columns `heads`.
    fn table<T>(
        &self,
        title: &str,
        heads: Vec<(String, T)>,
        note: String,
        cell: impl Fn(&Case, &T) -> Option<String>,
    ) -> Table {
        let first = std::iter::once("size".to_string());
        let rows = self.published.cases(self.paper.problem).map(|case| {
            let cells = heads.iter().map(|(_, of)| cell(&case, of));
            let cells = cells.map(|cell| cell.unwrap_or_else(|| NONE.to_string()));
            std::iter::once(case.size()).chain(cells).collect()
        });
        Table {
            title: format!(
                "{}: {}{title}",
                self.paper.problem.title(),
                self.published.place
            ),
            rows: rows.collect(),
            head: first
                .chain(heads.into_iter().map(|(head, _)| head))
                .collect(),
            notes: vec![note],
        }
    }

    /// Columns of methods shaped by the planner, or with a forced shape.
    fn heads(&self, forced: bool) -> Vec<(String, Column)> {
        let ours = self.ours.iter().copied();
        let asked = ours.filter(|column| shaped(column.method).1.is_some() == forced);
        asked.map(|column| (self.head(column), column)).collect()
    }

    fn figures(&self) -> Table {
        let Published { place, machine, .. } = self.published;
        let note = format!("Published: {}, {place}; {machine}", self.paper.source());
        let mut table = self.table("", self.heads(false), note, |case, &of| self.time(case, of));
        let (decimals, unit) = (self.published.decimals(), self.published.unit.0);
        for (row, (_, figures)) in table.rows.iter_mut().zip(&self.published.rows) {
            let figures = figures
                .iter()
                .map(|figure| format!("{figure:.decimals$} {unit}"));
            let missing = std::iter::repeat_with(|| NONE.to_string());
            let columns = self.published.columns.len();
            row.splice(1..1, figures.chain(missing).take(columns));
        }
        let columns = self
            .published
            .columns
            .iter()
            .map(|column| column.to_string());
        table.head.splice(1..1, columns);
        if !self.published.note.is_empty() {
            table.notes.push(self.published.note.to_string());
        }
        table.notes.push(format!(
            "Measured here: {}, the median; in brackets what was expected and not run",
            self.published.kind.name()
        ));
        table
    }

    fn shapes(&self) -> Table {
        let note = "The median of calls with the shapes that the paper varies.".to_string();
        let heads = self.heads(true);
        self.table(", by shape", heads, note, |case, &of| self.time(case, of))
    }

    /// Time by one thread over the other times.
    fn speedups(&self) -> Table {
        let serial = |method: &str| {
            let mut ours = self.ours.iter().copied();
            ours.find(|column| {
                self.record.devices[column.device].threads == Some(1) && column.method == method
            })
        };
        let mut heads = self.heads(false);
        heads.retain(|&(_, of)| serial(of.method).is_some_and(|serial| serial != of));
        let note = "Time by one thread over the time of the column, and over the threads too, which is \
                    the efficiency.";
        self.table(", speedups", heads, note.to_string(), |case, &of| {
            let serial = self.measured(case, serial(of.method)?)?.seconds();
            let speedup = serial / self.measured(case, of)?.seconds();
            let text = format!("{}x", units::three_digits(speedup));
            Some(match self.record.devices[of.device].threads {
                None => text,
                Some(threads) => format!("{text}, {:.0} %", 100.0 * speedup / threads as f64),
            })
        })
    }

    fn split(&self) -> Table {
        let parts = ["copies", "device", "host"];
        let mut heads = Vec::new();
        for (head, of) in self.heads(false) {
            if self.record.devices[of.device].kind != "CPU" {
                heads.extend(
                    (0..)
                        .zip(parts)
                        .map(|(part, name)| (format!("{head}: {name}"), (of, part))),
                );
            }
        }
        let note = "Parts of the last call: copies to and from the device, its computation, and the host's work.";
        self.table(
            ", parts",
            heads,
            note.to_string(),
            |case, &(of, part): &(_, usize)| {
                let seconds = self.measured(case, of)?.split()[part];
                Some(units::time(Duration::from_secs_f64(seconds)))
            },
        )
    }

    /// Measured time of a case, or the expected one in brackets.
    fn time(&self, case: &Case, column: Column) -> Option<String> {
        match &self.row(case, column)?.outcome {
            Outcome::Measured(measured) => {
                let verdict = measured
                    .verdict()
                    .map_or(String::new(), |verdict| format!(" {verdict}"));
                Some(units::time(Duration::from_secs_f64(measured.seconds())) + &verdict)
            }
            Outcome::Expected(time) => Some(format!("({})", units::time(*time))),
            Outcome::NoRoom(_) | Outcome::Failed(_) => None,
        }
    }
}
