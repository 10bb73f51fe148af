//! Results as text tables and as a self-contained HTML page with plots.

use std::io::{self, Write};
use std::time::Duration;

use clap::ValueEnum;

use super::case::{Case, DEFAULT, Kind, Problem, shaped};
use super::papers::{self, Paper, Published};
use super::record::{Device, Measured, Outcome, Record, Row};
use crate::report::svg::{self, Line};
use crate::report::{between, escaped, units};

const STYLE: &str = include_str!("page.css");

/// Line width of a column heading, unless a word is longer.
const HEAD_COLUMNS: usize = 10;

struct Table {
    title: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

impl Table {
    fn column(&self, column: usize) -> Vec<&String> {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.filter(|cell| !cell.is_empty()).collect()
    }

    fn is_numeric(&self, column: usize) -> bool {
        // `1000 x 1000` is a number, `2.1x tiled` is not.
        let is_number = |cell: &&String| {
            let number = cell.trim_start_matches('(');
            number.starts_with(|c: char| c.is_ascii_digit() || c == '-')
                && !cell.replace(" x ", "").contains("x ")
        };
        let cells = self.column(column);
        !cells.is_empty() && cells.iter().all(is_number)
    }

    fn without_empty_columns(mut self) -> Self {
        for column in (0..self.head.len()).rev() {
            if self.column(column).is_empty() {
                self.head.remove(column);
                self.rows
                    .iter_mut()
                    .for_each(|row| drop(row.remove(column)));
            }
        }
        self
    }

    fn write_html(&self, out: &mut dyn Write) -> io::Result<()> {
        let line = |cells: &[String], tag: &str| -> String {
            let cell = |(column, cell): (usize, &String)| {
                let class = if self.is_numeric(column) {
                    " class=\"number\""
                } else {
                    ""
                };
                format!("<{tag}{class}>{}</{tag}>", escaped(cell))
            };
            cells.iter().enumerate().map(cell).collect()
        };
        let head = line(&self.head, "th");
        writeln!(out, "<div class=\"scroll\"><table>\n<tr>{head}</tr>")?;
        for row in &self.rows {
            writeln!(out, "<tr>{}</tr>", line(row, "td"))?;
        }
        writeln!(out, "</table></div>")?;
        let mut notes = self.notes.iter();
        notes.try_for_each(|note| writeln!(out, "<p class=\"note\">{}</p>", escaped(note)))
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        // Lines of the headings are above the first row.
        let heads: Vec<Vec<String>> = self.head.iter().map(|head| wrapped(head)).collect();
        let height = heads.iter().map(Vec::len).max().unwrap_or_default();
        let mut lines = vec![vec![String::new(); heads.len()]; height];
        for (column, head) in heads.iter().enumerate() {
            for (line, part) in lines[height - head.len()..].iter_mut().zip(head) {
                line[column] = part.clone();
            }
        }
        lines.extend(self.rows.iter().cloned());
        let mut texts = vec![String::new(); lines.len()];
        for column in 0..heads.len() {
            let cells = lines.iter().filter_map(|line| line.get(column));
            let width = cells.map(|cell| cell.chars().count()).max();
            let (width, is_numeric) = (width.unwrap_or_default(), self.is_numeric(column));
            for (text, line) in texts.iter_mut().zip(&lines) {
                let cell = line.get(column).map_or("", |cell| cell);
                *text += &if is_numeric {
                    format!("{cell:>width$}  ")
                } else {
                    format!("{cell:width$}  ")
                };
            }
        }
        writeln!(out, "{}", self.title)?;
        let notes = self.notes.iter().map(|note| note.as_str());
        let mut all = texts.iter().map(|text| text.trim_end()).chain(notes);
        all.try_for_each(|line| writeln!(out, "{line}"))
    }
}

fn wrapped(head: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in head.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= HEAD_COLUMNS => {
                *line += &format!(" {word}")
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

const HEAD: [&str; 9] = [
    "size", "device", "method", "median", "least", "most", "speed", "ceiling", "against",
];

pub fn bench_text(record: &Record, problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
    let (of_papers, others): (Vec<_>, Vec<_>) = problems
        .iter()
        .partition(|problem| record.papers.contains(problem));
    let mut all = tables(record, &others);
    all.extend(paper_tables(record, &of_papers));
    for (index, table) in all.iter().enumerate() {
        between(index > 0, out)?;
        table.write(out)?;
    }
    Ok(())
}

/// Rows grouped by problem and kind of input, in order of appearance.
fn series<'a>(record: &'a Record, problems: &[Problem]) -> Vec<(Problem, Kind, Vec<&'a Row>)> {
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

fn tables(record: &Record, problems: &[Problem]) -> Vec<Table> {
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

const NONE: &str = "-";

fn paper_tables(record: &Record, problems: &[Problem]) -> Vec<Table> {
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

pub fn bench_html(record: &Record, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>"
    )?;
    writeln!(
        out,
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
    )?;
    writeln!(
        out,
        "<title>swath bench</title>\n<style>\n{STYLE}</style>\n</head>\n<body>"
    )?;
    head(record, out)?;
    let problems = Problem::value_variants();
    for ((problem, kind, rows), measured) in series(record, problems)
        .into_iter()
        .zip(tables(record, problems))
    {
        let title = &measured.title;
        writeln!(out, "<h2>{}</h2>", escaped(title))?;
        let unit = match problem {
            Problem::Chain => "matrices",
            Problem::Sort => "keys",
            _ => "symbols of each input",
        };
        let sizes = rows.iter().map(|row| row.case.extent()).collect();
        let lines = lines(record, problem, kind, &rows);
        out.write_all(svg::line_plot(title, lines, sizes, unit).as_bytes())?;
        measured.write_html(out)?;
    }
    for published in paper_tables(record, &record.papers) {
        writeln!(out, "<h2>{}</h2>", escaped(&published.title))?;
        published.write_html(out)?;
    }
    writeln!(out, "</body>\n</html>")
}

/// One line per method and device, coloured by method and dashed by device, then those of the
/// paper's columns.
fn lines(record: &Record, problem: Problem, kind: Kind, rows: &[&Row]) -> Vec<Line> {
    let (mut methods, mut lines) = (Vec::new(), Vec::<Line>::new());
    for row in rows {
        let Some(measured) = row.measured() else {
            continue;
        };
        if !methods.contains(&row.method) {
            methods.push(row.method);
        }
        let colour = methods.iter().position(|&method| method == row.method);
        let name = format!("{}, {}", row.method, record.device(row).label());
        let point = (row.case.extent(), measured.seconds());
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => lines.push(Line {
                name,
                colour: colour.unwrap_or_default() % svg::COLOURS,
                dash: row.device,
                points: vec![point],
            }),
        }
    }
    if lines.is_empty() || !record.papers.contains(&problem) {
        return lines;
    }
    let tables = papers::tables(problem);
    let mut dash = 0;
    for table in tables.filter(|table| table.kind == kind) {
        for (column, name) in &table.plotted {
            let rows = table.cases(problem).zip(&table.rows);
            let points = rows.filter_map(|(case, (_, figures))| {
                Some((case.extent(), figures.get(*column)? * table.unit.1))
            });
            lines.push(Line {
                name: format!("published: {name}"),
                colour: svg::COLOURS,
                dash,
                points: points.collect(),
            });
            dash += 1;
        }
    }
    lines
}

fn head(record: &Record, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<h1>swath bench</h1>")?;
    let command = escaped(&record.command.join(" "));
    writeln!(
        out,
        "<p>swath {}: <code>{command}</code></p>",
        env!("CARGO_PKG_VERSION")
    )?;
    let measured: Vec<_> = record.rows.iter().filter_map(Row::measured).collect();
    let count = |is: fn(&Measured) -> bool| measured.iter().filter(|one| is(one)).count();
    let (all, wrong) = (measured.len(), count(|one| !one.right));
    match (wrong, count(|one| !one.checked)) {
        _ if all == 0 => writeln!(out, "<p>Nothing was measured.</p>")?,
        (0, alone) => {
            let unchecked = match alone {
                0 => String::new(),
                _ => format!(" {alone} are unchecked: nothing else answered their cases."),
            };
            writeln!(
                out,
                "<p>{all} rows were measured. All methods and devices gave the same answers.{unchecked}</p>"
            )?;
        }
        _ => writeln!(
            out,
            "<p class=\"wrong\">{wrong} of {all} rows have an answer that others do not give.</p>"
        )?,
    }
    if !record.complete {
        writeln!(
            out,
            "<p class=\"wrong\">A signal ended the run before everything was measured.</p>"
        )?;
    }
    let head = ["device", "name", "kind", "driver"].map(str::to_string);
    let cells = |device: &Device| {
        let cells: [&str; 4] = [&device.label(), &device.name, device.kind, &device.driver];
        cells.map(str::to_string).to_vec()
    };
    let rows = record.devices.iter().map(cells).collect();
    let note = "Times are medians from inputs in memory to the answer, each after a call that does not count. \
                &quot;2x tiled&quot; says that the method tiled takes twice as long.";
    let table = Table {
        title: String::new(),
        head: head.to_vec(),
        rows,
        notes: Vec::new(),
    };
    table.write_html(out)?;
    writeln!(out, "<p class=\"note\">{note}</p>")
}

#[cfg(test)]
mod tests {
    use super::super::samples::{measured, record, row};
    use super::*;

    #[test]
    fn numbers_end_and_words_begin_where_the_others_of_their_column_do() {
        let words = |cells: [&str; 3]| cells.map(str::to_string).to_vec();
        let rows = vec![
            words(["9 ms", "9x b", ""]),
            words(["(10 ms)", "10x bcd", ""]),
        ];
        let head = words(["time of the whole", "against", "empty"]);
        let table = Table {
            title: "T".into(),
            head,
            rows,
            notes: vec!["N".into()],
        }
        .without_empty_columns();
        let mut text = Vec::new();
        table.write(&mut text).expect("memory takes it");
        assert_eq!(
            String::from_utf8(text).expect("it is text"),
            "T\n  time of\nthe whole  against\n     9 ms  9x b\n  (10 ms)  10x bcd\nN\n"
        );
    }

    fn printed(measured: Measured) -> String {
        let mut text = Vec::new();
        let record = record(vec![row(measured)]);
        bench_text(&record, &[Problem::Lcs], &mut text).expect("memory takes it");
        String::from_utf8(text).expect("it is text")
    }

    #[test]
    fn fraction_of_the_peak_is_a_column_if_known() {
        // 25 of 200 per second.
        let text = printed(Measured {
            ceiling: Some(200.0),
            ..measured()
        });
        assert!(
            text.contains("ceiling") && text.contains("12.5 %"),
            "{text}"
        );
        assert!(!printed(measured()).contains("ceiling"));
    }

    #[test]
    fn unchecked_row_is_marked() {
        assert!(printed(measured()).contains("unchecked"));
        let checked = Measured {
            checked: true,
            ..measured()
        };
        assert!(!printed(checked).contains("unchecked"));
    }
}
