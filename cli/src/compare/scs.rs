//! `swath scs`.

use std::io::{self, Write};

use anyhow::bail;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::ValueEnum;
use swath::Scs;
use swath::supersequence::{CommonSupersequence, Placement, Supersequence};

use super::{Caller, Comparison, Outcome, ReportContext};
use crate::args::{EngineArgs, OutputArgs, ScsArgs, Witness};
use crate::input::{DefaultRecords, Inputs, Lists, Printed, Request, with_list, write_symbols};
use crate::report::{self, Array, Counted, Names, Object};

/// Format of the supersequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScsFormat {
    /// The supersequence itself: bytes and characters as they are, lines one per line, tokens
    /// separated by spaces
    Text,
    /// The JSON object of --json, with the string and the positions of each input in it
    Json,
}

fn result(answer: &CommonSupersequence) -> &'static str {
    if answer.exact { "exact" } else { "heuristic" }
}

impl Comparison for ScsArgs {
    type Format = ScsFormat;
    type Answer = CommonSupersequence;
    const PROBLEM: &'static str = "scs";
    const NAMES: Names = Names::List;

    fn output(&self) -> &OutputArgs<ScsFormat> {
        &self.output
    }

    fn engine(&self) -> &EngineArgs {
        &self.engine
    }

    fn request(&self) -> anyhow::Result<Request> {
        let take = if self.all_records {
            DefaultRecords::Each
        } else {
            DefaultRecords::First
        };
        self.input
            .request(&self.inputs.iter().collect::<Vec<_>>(), take)
    }

    fn check_inputs(&self, inputs: &Inputs, _: &Witness<ScsFormat>) -> anyhow::Result<()> {
        if inputs.groups.len() < 2 {
            bail!(
                "there is one sequence; name more inputs, or take every record of a file with --all-records"
            );
        }
        Ok(())
    }

    fn call<S: Printed>(
        &self,
        _: &Inputs,
        sequences: Vec<&[S]>,
        path: bool,
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<CommonSupersequence>> {
        caller.call(&Scs::of_all(sequences).method(self.method).with_path(path))
    }

    fn text(
        &self,
        found: &ReportContext<'_, CommonSupersequence>,
        _: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let answer = &found.solved.answer;
        let mut lines = vec![
            ("length", answer.length.to_string()),
            ("result", result(answer).to_string()),
            ("lower bound", answer.lower_bound.to_string()),
        ];
        lines.extend(report::input_lines(Names::List, found.inputs));
        lines.extend(report::run_lines(Counted::Cells, found.solved));
        report::write_aligned(&lines, out)
    }

    /// `supersequence_base64` replaces a `supersequence` that is not UTF-8.
    fn json(
        &self,
        found: &ReportContext<'_, CommonSupersequence>,
        _: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let answer = &found.solved.answer;
        let supersequence = answer.supersequence.as_ref();
        let texts = supersequence.map(|one| texts(one, &found.inputs.lists));
        let (text, base64) = match texts.transpose()? {
            Some(Ok(text)) => (Some(text), None),
            Some(Err(base64)) => (None, Some(base64)),
            None => (None, None),
        };
        let embeddings = supersequence.map(|found| {
            let of = |run: &Placement| [run.input, run.at, run.len];
            Array(move || {
                found
                    .embeddings()
                    .iter()
                    .map(move |runs| Array(move || runs.iter().map(of)))
            })
        });
        let object = Object::new("scs/1", out)?
            .field("problem", "scs")?
            .field("length", answer.length)?
            .field("result", result(answer))?
            .field("lower_bound", answer.lower_bound)?;
        let object = report::run_fields(Counted::Cells, found.solved, object)?;
        report::input_fields(Names::List, found.inputs, object)?
            .field_if("supersequence", text)?
            .field_if("supersequence_base64", base64)?
            .field_if("embeddings", embeddings)?
            .end()
    }

    fn witness(
        &self,
        _: ScsFormat,
        found: &ReportContext<'_, CommonSupersequence>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Some(supersequence) = &found.solved.answer.supersequence else {
            return Ok(());
        };
        let lists = &found.inputs.lists;
        with_list!(lists, list => {
            let symbols = symbols(supersequence, &list.printed())?;
            write_symbols([&symbols[..]].into_iter(), lists.words(), out)
        })
    }

    fn is_unended(&self, format: ScsFormat, inputs: &Inputs) -> bool {
        format == ScsFormat::Text && inputs.lists.are_letters()
    }
}

/// Printed symbols, taken from the first input that has them.
fn symbols<S: Copy>(found: &Supersequence, inputs: &[&[S]]) -> io::Result<Vec<S>> {
    found.symbols(inputs).map_err(io::Error::other)
}

/// The string, or its words.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum Text {
    One(String),
    Words(Vec<String>),
}

/// The supersequence, or its bytes in base64 if it is not UTF-8.
fn texts(found: &Supersequence, lists: &Lists) -> io::Result<Result<Text, Text>> {
    Ok(match lists {
        Lists::Bytes(list) => String::from_utf8(symbols(found, &list.printed())?)
            .map(Text::One)
            .map_err(|error| Text::One(STANDARD.encode(error.as_bytes()))),
        Lists::Chars(list) => {
            let chars = symbols(found, &list.printed())?;
            Ok(Text::One(chars.into_iter().collect()))
        }
        Lists::Words(list, words) => {
            let numbers = symbols(found, &list.printed())?;
            let words = || numbers.iter().map(|&number| words.text(number));
            let texts: Option<_> = words()
                .map(|word| String::from_utf8(word.to_vec()).ok())
                .collect();
            let base64 = || words().map(|word| STANDARD.encode(word)).collect();
            texts.map(Text::Words).ok_or_else(|| Text::Words(base64()))
        }
    })
}
