//! The answer as one JSON object.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use swath::Interface;
use swath::substring::{MaximalMatch, Place};

use super::{SubstringAnswer, SubstringFound, text};
use crate::report::inputs::Named;
use crate::report::run::{Phase, phases, rate};
use crate::report::write_json;

#[derive(Serialize)]
struct Report<'a, I> {
    schema: &'static str,
    problem: &'static str,
    length: usize,
    method: &'static str,
    device: &'a str,
    interface: Option<&'static str>,
    seconds: f64,
    symbols: u128,
    searched_symbols: u128,
    symbols_per_second: f64,
    phases: Vec<Phase>,
    #[serde(flatten)]
    inputs: I,
    #[serde(skip_serializing_if = "Option::is_none")]
    substrings: Option<Vec<Substring<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<Matches<'a>>,
}

#[derive(Serialize)]
struct Substring<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_base64: Option<String>,
    places: Places<'a>,
}

/// `[input, record, start, strand]` each.
struct Places<'a>(&'a [Place]);

impl Serialize for Places<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        self.0.iter().try_for_each(|at| {
            list.serialize_element(&(at.input, at.record, at.start, at.strand))
        })?;
        list.end()
    }
}

/// `[input, record, start]` of both runs, the strand of the second, and the length.
struct Matches<'a>(&'a [MaximalMatch]);

impl Serialize for Matches<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        let run = |place: &Place| (place.input, place.record, place.start);
        let mut matches = self.0.iter();
        matches.try_for_each(|one| {
            list.serialize_element(&(run(&one.a), run(&one.b), one.b.strand, one.length))
        })?;
        list.end()
    }
}

/// Schema `swath/substring/1`; the texts of substrings only where they are asked for.
pub fn substring_json(
    answer: &SubstringAnswer<'_>,
    with_text: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let run = answer.run();
    let (substrings, matches) = match answer.found {
        SubstringFound::Longest(report) => {
            let substrings = report.substrings.iter().map(|substring| {
                let (text, text_base64) = match substring.places.first().filter(|_| with_text) {
                    Some(first) => as_text(answer, first, report.length)?,
                    None => (None, None),
                };
                Ok(Substring {
                    text,
                    text_base64,
                    places: Places(&substring.places),
                })
            });
            (Some(substrings.collect::<io::Result<_>>()?), None)
        }
        SubstringFound::Matches(report) => (None, Some(Matches(&report.matches))),
    };
    let report = Report {
        schema: "swath/substring/1",
        problem: "substring",
        length: answer.length(),
        method: run.method,
        device: &run.device,
        interface: answer.interface().map(Interface::name),
        seconds: run.elapsed.as_secs_f64(),
        symbols: run.cells,
        searched_symbols: run.computed_cells,
        symbols_per_second: rate(run.cells, run.elapsed),
        phases: phases(&run.phases),
        inputs: answer.inputs.figures(),
        substrings,
        matches,
    };
    write_json(&report, out)
}

/// A substring as it is printed, or where that is no UTF-8 in base64.
fn as_text(
    answer: &SubstringAnswer<'_>,
    first: &Place,
    length: usize,
) -> io::Result<(Option<String>, Option<String>)> {
    let mut bytes = Vec::new();
    text::one(answer, first, length, &mut bytes)?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => (Some(text), None),
        Err(error) => (None, Some(STANDARD.encode(error.as_bytes()))),
    })
}
