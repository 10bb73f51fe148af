//! Results as text, and as a self-contained HTML page with plots.

use std::io::{self, Write};

use clap::ValueEnum;

use super::case::{Kind, Problem};
use super::record::{Device, Measured, Record, Row};
use super::table::Table;
use super::{beside, measured, papers};
use crate::report::svg::{self, Line};
use crate::report::{between, escaped};

const STYLE: &str = include_str!("page.css");

pub fn bench_text(record: &Record, problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
    let (of_papers, others): (Vec<_>, Vec<_>) = problems
        .iter()
        .partition(|problem| record.papers.contains(problem));
    let mut all = measured::tables(record, &others);
    all.extend(beside::tables(record, &of_papers));
    for (index, table) in all.iter().enumerate() {
        between(index > 0, out)?;
        table.write(out)?;
    }
    Ok(())
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
    for ((problem, kind, rows), measured) in measured::series(record, problems)
        .into_iter()
        .zip(measured::tables(record, problems))
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
    for published in beside::tables(record, &record.papers) {
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
