//! `swath lcs`.

use std::io::{self, Write};

use clap::ValueEnum;
use swath::lcs::CommonSubsequence;
use swath::{Block, Lcs};

use super::dna::{self, Measure};
use super::turn::Turning;
use super::{Caller, Comparison, Outcome, ReportContext};
use crate::args::{EngineArgs, LcsArgs, OutputArgs, Witness};
use crate::input::{DefaultRecords, Inputs, Printed, Request};
use crate::report::{self, Array, Counted, Names, Object, diff, svg};

/// Format of the subsequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LcsFormat {
    /// The subsequence itself: bytes and characters as they are, lines one per line, tokens
    /// separated by spaces
    Text,
    /// Runs of pairs, tab-separated: position in A, position in B (from 0) and length
    Blocks,
    /// Edit script: `120= 3D 1I` is 120 pairs, 3 symbols only in A, 1 only in B
    Ops,
    /// Unified diff of lines or tokens; `[-only A-]{+only B+}` within the text for bytes and
    /// characters
    Diff,
    /// The JSON object of --json, with the blocks
    Json,
    /// One JSON object per run of pairs
    Ndjson,
    /// A dot plot of the runs of pairs
    Svg,
}

/// `2L / (m + n)`, from 0 to 1; 1 for two empty inputs.
fn similarity(found: &ReportContext<'_, CommonSubsequence>) -> f64 {
    let (a, b) = found.inputs.pair_lengths();
    match a + b {
        0 => 1.0,
        _ => 2.0 * found.solved.answer.length as f64 / (a as f64 + b as f64),
    }
}

/// Runs as `[position in a, position in b, length]`.
pub fn block_array(blocks: &[Block]) -> impl serde::Serialize {
    Array(|| blocks.iter().map(|block| [block.a, block.b, block.len]))
}

impl Comparison for LcsArgs {
    type Format = LcsFormat;
    type Answer = CommonSubsequence;
    const PROBLEM: &'static str = "lcs";
    const NAMES: Names = Names::Pair;

    fn output(&self) -> &OutputArgs<LcsFormat> {
        &self.output
    }

    fn engine(&self) -> &EngineArgs {
        &self.engine
    }

    fn request(&self) -> anyhow::Result<Request> {
        self.check()?;
        self.input
            .request(&[&self.a, &self.b], DefaultRecords::First)
    }

    fn turning(&self) -> Option<Turning> {
        self.turn.turning(true)
    }

    fn check_inputs(&self, inputs: &Inputs, witness: &Witness<LcsFormat>) -> anyhow::Result<()> {
        match witness.format() {
            Some(LcsFormat::Diff) => diff::check(inputs),
            _ => Ok(()),
        }
    }

    fn call<S: Printed>(
        &self,
        _: &Inputs,
        sequences: Vec<&[S]>,
        path: bool,
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<CommonSubsequence>> {
        let task = Lcs::of(sequences[0], sequences[1]);
        caller.call(&task.method(self.method).with_path(path))
    }

    fn call_bytes(
        &self,
        inputs: &Inputs,
        sequences: Vec<&[u8]>,
        path: bool,
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<CommonSubsequence>> {
        let Some(matching) = self.matching.matching(self.input.ignore_case)? else {
            return self.call(inputs, sequences, path, caller);
        };
        let [a, b] = [0, 1].map(|at| matching.letters(sequences[at]));
        caller.call(&Lcs::of(a, b).method(self.method).with_path(path))
    }

    fn input_notes(&self, inputs: &Inputs) -> Vec<String> {
        if self.matching.is_given() {
            Vec::new()
        } else {
            dna::notes(inputs, "")
        }
    }

    fn answer_note(&self, found: &ReportContext<'_, CommonSubsequence>) -> Option<String> {
        dna::chance_note(found.inputs, Measure::Subsequence, similarity(found))
    }

    fn sets_exit_code(&self) -> bool {
        self.exit.exit_code
    }

    fn is_found(&self, found: &ReportContext<'_, CommonSubsequence>) -> bool {
        similarity(found) == 1.0
    }

    fn text(
        &self,
        found: &ReportContext<'_, CommonSubsequence>,
        _: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let similarity = 100.0 * similarity(found);
        let mut lines = vec![
            ("length", found.solved.answer.length.to_string()),
            ("similarity", format!("{similarity:.2} %")),
        ];
        lines.extend(report::input_lines(Names::Pair, found.inputs));
        lines.extend(report::run_lines(Counted::Cells, found.solved));
        report::write_aligned(&lines, out)
    }

    fn json(
        &self,
        found: &ReportContext<'_, CommonSubsequence>,
        _: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let answer = &found.solved.answer;
        let blocks = answer.subsequence.as_ref().map(|found| found.blocks());
        let object = Object::new("lcs/1", out)?
            .field("problem", "lcs")?
            .field("length", answer.length)?
            .field("similarity", similarity(found))?;
        let object = report::run_fields(Counted::Cells, found.solved, object)?;
        report::input_fields(Names::Pair, found.inputs, object)?
            .field_if("blocks", blocks.map(block_array))?
            .end()
    }

    fn witness(
        &self,
        format: LcsFormat,
        found: &ReportContext<'_, CommonSubsequence>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (inputs, subsequence) = (found.inputs, &found.solved.answer.subsequence);
        let blocks = subsequence.as_ref().map_or(&[][..], |found| found.blocks());
        let (a_len, b_len) = inputs.pair_lengths();
        let mut each = blocks.iter();
        match format {
            LcsFormat::Text => {
                let runs = each.map(|block| (block.a, block.len));
                inputs.lists.write_runs(0, runs, out)
            }
            LcsFormat::Blocks => {
                writeln!(out, "#a\tb\tlen")?;
                each.try_for_each(|block| writeln!(out, "{}\t{}\t{}", block.a, block.b, block.len))
            }
            LcsFormat::Svg => svg::dot_plot(inputs, "Common subsequence", svg::blocks(blocks), out),
            LcsFormat::Ops => diff::write_ops(blocks, a_len, b_len, out),
            LcsFormat::Diff => diff::write(inputs, 0..b_len, blocks, out),
            LcsFormat::Ndjson | LcsFormat::Json => each.try_for_each(|block| {
                let Block { a, b, len } = block;
                writeln!(out, "{{\"a\":{a},\"b\":{b},\"len\":{len}}}")
            }),
        }
    }

    fn is_unended(&self, format: LcsFormat, inputs: &Inputs) -> bool {
        format == LcsFormat::Text && inputs.lists.are_letters()
    }
}
