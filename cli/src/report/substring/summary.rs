//! The answer for people.

use std::io::{self, Write};

use swath::substring::Place;

use super::{SubstringAnswer, SubstringFound, text};
use crate::input::printable;
use crate::report::inputs::Named;
use crate::report::run::device;
use crate::report::{units, write_aligned};

/// Characters of a substring up to which a terminal shows all of it; and how many of its start and of its end it shows otherwise.
const SHOWN: usize = 60;
const SHOWN_START: usize = 40;
const SHOWN_END: usize = 15;

/// One `key  value` line each; behind them the substrings with their places, or the matches. On a terminal long substrings are
/// `shortened`.
pub fn substring_text(
    answer: &SubstringAnswer<'_>,
    shortened: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let run = answer.run();
    let mut lines = vec![("length", answer.length().to_string())];
    match answer.found {
        SubstringFound::Longest(report) => {
            lines.push(("substrings", report.substrings.len().to_string()))
        }
        SubstringFound::Matches(report) => {
            lines.push(("matches", report.matches.len().to_string()))
        }
    }
    lines.extend(answer.inputs.lines());
    lines.extend([
        ("method", run.method.to_string()),
        ("device", device(run, answer.interface())),
        ("time", units::time(run.elapsed)),
        (
            "symbols",
            format!("{}, {} searched", run.cells, run.computed_cells),
        ),
    ]);
    match answer.found {
        SubstringFound::Longest(report) => {
            for substring in &report.substrings {
                if let Some(first) = substring.places.first() {
                    lines.push(("substring", shown(answer, first, report.length, shortened)?));
                }
                let place = |place: &Place| {
                    format!("{}  {}", at(answer, place, report.length), place.strand)
                };
                lines.extend(substring.places.iter().map(|one| ("place", place(one))));
            }
        }
        SubstringFound::Matches(report) => lines.extend(report.matches.iter().map(|found| {
            let (a, b) = (
                at(answer, &found.a, found.length),
                at(answer, &found.b, found.length),
            );
            (
                "match",
                format!("{}  {a}  {b}  {}", found.length, found.b.strand),
            )
        })),
    }
    write_aligned(&lines, out)
}

/// `chr1:12..20`.
fn at(answer: &SubstringAnswer<'_>, place: &Place, length: usize) -> String {
    format!(
        "{}:{}..{}",
        answer.name(place),
        place.start,
        place.start + length
    )
}

/// A substring on one line.
fn shown(
    answer: &SubstringAnswer<'_>,
    first: &Place,
    length: usize,
    shortened: bool,
) -> io::Result<String> {
    let mut bytes = Vec::new();
    text::one(answer, first, length, &mut bytes)?;
    let text = printable(String::from_utf8_lossy(&bytes).trim_end_matches('\n')).into_owned();
    let characters = text.chars().count();
    if !shortened || characters <= SHOWN {
        return Ok(text);
    }
    let start: String = text.chars().take(SHOWN_START).collect();
    let end: String = text.chars().skip(characters - SHOWN_END).collect();
    Ok(format!("{start} ... {end}"))
}
