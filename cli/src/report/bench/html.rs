//! What was measured as one page, which needs nothing else.

use std::io::{self, Write};

use super::super::markup::escaped;
use super::paper::papers;
use super::plot::plot;
use super::table::Table;
use super::tables::{series, tables};
use super::{Problem, Record, Row};

const STYLE: &str = include_str!("page.css");

/// A plot and a table for every problem and kind of input, then the papers' tables.
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
    let series = series(record, &Problem::ALL);
    for ((problem, kind, rows), measured) in series.into_iter().zip(tables(record, &Problem::ALL)) {
        writeln!(out, "<h2>{}</h2>", escaped(&measured.title))?;
        out.write_all(plot(record, &measured.title, (problem, kind), &rows).as_bytes())?;
        table(&measured, out)?;
    }
    for published in papers(record, &record.papers) {
        writeln!(out, "<h2>{}</h2>", escaped(&published.title))?;
        table(&published, out)?;
    }
    writeln!(out, "</body>\n</html>")
}

/// What ran, where, and whether the answers agree.
fn head(record: &Record, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<h1>swath bench</h1>")?;
    let command = escaped(&record.command.join(" "));
    writeln!(
        out,
        "<p>swath {}: <code>{command}</code></p>",
        env!("CARGO_PKG_VERSION")
    )?;
    let measured = || record.rows.iter().filter_map(Row::measured);
    let (all, wrong) = (
        measured().count(),
        measured().filter(|measured| !measured.right).count(),
    );
    match wrong {
        _ if all == 0 => writeln!(out, "<p>Nothing was measured.</p>")?,
        0 => {
            let alone = measured().filter(|measured| !measured.checked).count();
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
    let head = ["device", "name", "kind", "driver"]
        .map(str::to_string)
        .to_vec();
    let cells = |device: &super::Device| {
        let super::Device {
            selector,
            name,
            kind,
            driver,
        } = device;
        vec![
            selector.clone(),
            name.clone(),
            kind.to_string(),
            driver.clone(),
        ]
    };
    let rows = record.devices.iter().map(cells).collect();
    let note = "Times are medians from inputs in memory to the answer, each after a call that does not count. \
                &quot;2x tiled&quot; says that the method tiled takes twice as long.";
    table(
        &Table {
            title: String::new(),
            head,
            rows,
            notes: Vec::new(),
        },
        out,
    )?;
    writeln!(out, "<p class=\"note\">{note}</p>")
}

fn table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let class = |column: usize| {
        if table.is_numeric(column) {
            " class=\"number\""
        } else {
            ""
        }
    };
    let line = |cells: &[String], tag: &str| -> String {
        let cell = |(column, cell): (usize, &String)| {
            format!("<{tag}{}>{}</{tag}>", class(column), escaped(cell))
        };
        cells.iter().enumerate().map(cell).collect()
    };
    writeln!(
        out,
        "<div class=\"scroll\"><table>\n<tr>{}</tr>",
        line(&table.head, "th")
    )?;
    table
        .rows
        .iter()
        .try_for_each(|row| writeln!(out, "<tr>{}</tr>", line(row, "td")))?;
    writeln!(out, "</table></div>")?;
    table
        .notes
        .iter()
        .try_for_each(|note| writeln!(out, "<p class=\"note\">{}</p>", escaped(note)))
}
