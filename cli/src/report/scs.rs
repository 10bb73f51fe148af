//! The shortest common supersequence: summary, string and JSON.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::ValueEnum;
use serde::ser::{Serialize, SerializeSeq, Serializer};
use swath::supersequence::{CommonSupersequence, Placement, Supersequence};

use super::inputs::Named;
use super::run::{RunFigures, run_lines};
use super::{text, write_aligned, write_json};
use crate::input::{InputList, Lists};

/// How the supersequence is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScsFormat {
    /// The supersequence itself: bytes and characters as they are, one line a line, tokens between spaces
    Text,
    /// The object that --json prints, with the string and where each input lies in it
    Json,
}

/// An answer and the inputs that it is about.
#[derive(Clone, Copy)]
pub struct ScsAnswer<'a> {
    pub inputs: &'a InputList,
    pub scs: &'a swath::Report<CommonSupersequence>,
}

/// One `key  value` line each.
pub fn scs_text(answer: &ScsAnswer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let scs = answer.scs;
    let mut lines = vec![
        ("length", scs.length.to_string()),
        (
            "result",
            if scs.exact { "exact" } else { "heuristic" }.to_string(),
        ),
        ("lower bound", scs.lower_bound.to_string()),
    ];
    lines.extend(answer.inputs.lines());
    lines.extend(run_lines(scs));
    write_aligned(&lines, out)
}

/// Writes the supersequence.
pub fn write_scs(format: ScsFormat, answer: &ScsAnswer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(found) = &answer.scs.supersequence else {
        return Ok(());
    };
    match (format, &answer.inputs.lists) {
        (ScsFormat::Json, _) => scs_json(answer, out),
        (_, Lists::Bytes(list)) => {
            text::bytes([&symbols(found, &list.printed())?[..]].into_iter(), out)
        }
        (_, Lists::Chars(list)) => {
            text::chars([&symbols(found, &list.printed())?[..]].into_iter(), out)
        }
        (_, Lists::Lines { list, words }) => text::lines(
            [&symbols(found, &list.printed())?[..]].into_iter(),
            words,
            out,
        ),
        (_, Lists::Tokens { list, words }) => text::tokens(
            [&symbols(found, &list.printed())?[..]].into_iter(),
            words,
            out,
        ),
    }
}

/// The symbols as they are printed: those of the first input that has them.
fn symbols<S: Copy>(found: &Supersequence, inputs: &[&[S]]) -> io::Result<Vec<S>> {
    found.symbols(inputs).map_err(io::Error::other)
}

#[derive(serde::Serialize)]
struct Report<'a, I> {
    schema: &'static str,
    problem: &'static str,
    length: u64,
    result: &'static str,
    lower_bound: u64,
    #[serde(flatten)]
    run: RunFigures<'a>,
    #[serde(flatten)]
    inputs: I,
    #[serde(skip_serializing_if = "Option::is_none")]
    supersequence: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    supersequence_base64: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    embeddings: Option<Vec<Runs<'a>>>,
}

/// The string, or the words that it is made of.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum Text {
    One(String),
    Words(Vec<String>),
}

struct Runs<'a>(&'a [Placement]);

impl Serialize for Runs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        self.0
            .iter()
            .try_for_each(|run| list.serialize_element(&[run.input, run.at, run.len]))?;
        list.end()
    }
}

/// Schema `swath/scs/1`; `supersequence` and `embeddings` only where it was recovered, and in the place of the first
/// `supersequence_base64` where it is no UTF-8.
pub fn scs_json(answer: &ScsAnswer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let scs = answer.scs;
    let embeddings = scs
        .supersequence
        .as_ref()
        .map(|found| found.embeddings().iter().map(|runs| Runs(runs)).collect());
    let text = scs
        .supersequence
        .as_ref()
        .map(|found| as_text(found, &answer.inputs.lists))
        .transpose()?;
    let (supersequence, supersequence_base64) = match text {
        Some(Ok(text)) => (Some(text), None),
        Some(Err(bytes)) => (None, Some(bytes)),
        None => (None, None),
    };
    let report = Report {
        schema: "swath/scs/1",
        problem: "scs",
        length: scs.length,
        result: if scs.exact { "exact" } else { "heuristic" },
        lower_bound: scs.lower_bound,
        run: RunFigures::new(scs),
        inputs: answer.inputs.figures(),
        supersequence,
        supersequence_base64,
        embeddings,
    };
    write_json(&report, out)
}

/// The supersequence, or where it is no UTF-8 its bytes in base64.
fn as_text(found: &Supersequence, lists: &Lists) -> io::Result<Result<Text, Text>> {
    Ok(match lists {
        Lists::Bytes(list) => String::from_utf8(symbols(found, &list.printed())?)
            .map(Text::One)
            .map_err(|error| Text::One(STANDARD.encode(error.as_bytes()))),
        Lists::Chars(list) => Ok(Text::One(
            symbols(found, &list.printed())?.into_iter().collect(),
        )),
        Lists::Lines { list, words } | Lists::Tokens { list, words } => {
            let numbers = symbols(found, &list.printed())?;
            let words = || numbers.iter().map(|&number| &words[number as usize]);
            let texts: Option<_> = words()
                .map(|word| String::from_utf8(word.clone()).ok())
                .collect();
            texts
                .map(Text::Words)
                .ok_or_else(|| Text::Words(words().map(|word| STANDARD.encode(word)).collect()))
        }
    })
}
