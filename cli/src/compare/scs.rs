//! `swath scs`.

use std::io::{self, Write};

use anyhow::bail;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use swath::Scs;
use swath::supersequence::{CommonSupersequence, Placement, Supersequence};

use super::comparison::{Comparison, ReportContext, Settings};
use super::together::ComparesTogether;
use crate::args::{ScsArgs, ScsFormat};
use crate::call::{Caller, Outcome};
use crate::input::{DefaultRecords, Inputs, Lists, with_list, write_symbols};
use crate::report::{self, Array, Counted, Form, Names};

fn result(answer: &CommonSupersequence) -> &'static str {
    if answer.exact { "exact" } else { "heuristic" }
}

impl ComparesTogether for ScsArgs {}

impl Comparison for ScsArgs {
    type Format = ScsFormat;
    type Answer = CommonSupersequence;
    const FORM: Form = Form {
        problem: "scs",
        counted: Counted::Cells,
        names: Names::List,
    };

    fn settings(&self) -> anyhow::Result<Settings<'_, ScsFormat>> {
        let request = self.input.request(DefaultRecords::First)?;
        Ok(Settings::new(request, &self.output, &self.engine))
    }

    fn check(&self, inputs: &Inputs, _: Option<ScsFormat>) -> anyhow::Result<Vec<String>> {
        if inputs.groups.len() < 2 {
            bail!(
                "there is one sequence; name more inputs, or take every record of a file with --all-records"
            );
        }
        Ok(Vec::new())
    }

    fn call(
        &self,
        inputs: &Inputs,
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<CommonSupersequence>> {
        with_list!(&inputs.lists, list => {
            let task = Scs::of_all(list.compared()).method(self.method);
            caller.call(&task.with_path(self.output.asks_for_witness()))
        })
    }

    fn text(
        &self,
        found: &ReportContext<'_, Self>,
        _: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let answer = &found.solved.answer;
        let lines = found.lines(vec![
            ("length", answer.length.to_string()),
            ("result", result(answer).to_string()),
            ("lower bound", answer.lower_bound.to_string()),
        ]);
        report::write_aligned(&lines, out)
    }

    /// `supersequence_base64` replaces a `supersequence` that is not UTF-8.
    fn json(
        &self,
        found: &ReportContext<'_, Self>,
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
            let fields = |run: &Placement| [run.input, run.at, run.len];
            let runs = move || found.embeddings().iter();
            Array(move || runs().map(move |runs| Array(move || runs.iter().map(fields))))
        });
        let mut object = found.object(out);
        object
            .field("length", answer.length)
            .field("result", result(answer))
            .field("lower_bound", answer.lower_bound);
        found
            .add_call(&mut object)
            .field_if("supersequence", text)
            .field_if("supersequence_base64", base64)
            .field_if("embeddings", embeddings)
            .end()
    }

    fn witness(
        &self,
        _: ScsFormat,
        found: &ReportContext<'_, Self>,
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
}

/// Printed symbols, taken from the first input that has them.
fn symbols<S: Copy>(found: &Supersequence, inputs: &[&[S]]) -> io::Result<Vec<S>> {
    found.symbols(inputs).map_err(io::Error::other)
}

/// The supersequence, or its bytes in base64 if it is not UTF-8: a string, or one for each word.
fn texts(found: &Supersequence, lists: &Lists) -> io::Result<Result<Value, Value>> {
    Ok(match lists {
        Lists::Bytes(list) => String::from_utf8(symbols(found, &list.printed())?)
            .map(Value::from)
            .map_err(|error| STANDARD.encode(error.as_bytes()).into()),
        Lists::Chars(list) => {
            let chars = symbols(found, &list.printed())?;
            Ok(chars.into_iter().collect::<String>().into())
        }
        Lists::Words(list, words) => {
            let numbers = symbols(found, &list.printed())?;
            let words = || numbers.iter().map(|&number| words.text(number));
            let texts: Option<Value> = words()
                .map(|word| String::from_utf8(word.to_vec()).ok())
                .collect();
            texts.ok_or_else(|| words().map(|word| STANDARD.encode(word)).collect())
        }
    })
}
