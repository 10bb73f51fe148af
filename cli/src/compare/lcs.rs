//! `swath lcs`.

use std::io::{self, Write};

use swath::lcs::CommonSubsequence;
use swath::{Block, Lcs, Symbol};

use super::comparison::{Comparison, ReportContext, Settings, with_pair};
use super::together::ComparesTogether;
use crate::args::{LcsArgs, LcsFormat};
use crate::call::{Caller, Outcome};
use crate::dna::{self, Measure};
use crate::input::{DefaultRecords, Inputs};
use crate::report::{self, Array, Counted, Form, Names, diff, svg};

/// `2L / (m + n)`, from 0 to 1; 1 for two empty inputs.
fn similarity(found: &ReportContext<'_, LcsArgs>) -> f64 {
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

impl LcsArgs {
    fn solve<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<CommonSubsequence>> {
        caller.call(
            &Lcs::of(a, b)
                .method(self.method)
                .with_path(self.output.asks_for_witness()),
        )
    }
}

impl ComparesTogether for LcsArgs {}

impl Comparison for LcsArgs {
    type Format = LcsFormat;
    type Answer = CommonSubsequence;
    const FORM: Form = Form {
        problem: "lcs",
        counted: Counted::Cells,
        names: Names::Pair,
    };

    fn settings(&self) -> anyhow::Result<Settings<'_, LcsFormat>> {
        let request = self
            .input
            .request([&self.a, &self.b], DefaultRecords::First)?;
        Ok(Settings {
            turning: self.turn.turning(true),
            sets_exit_code: self.exit.exit_code,
            ..Settings::new(request, &self.output, &self.engine)
        })
    }

    fn check(&self, inputs: &Inputs, format: Option<LcsFormat>) -> anyhow::Result<Vec<String>> {
        if format == Some(LcsFormat::Diff) {
            diff::check(inputs)?;
        }
        Ok(dna::pair_notes(inputs, &self.matching))
    }

    fn call(
        &self,
        inputs: &Inputs,
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<CommonSubsequence>> {
        let matching = self.matching.matching(self.input.ignore_case)?;
        with_pair!(inputs, matching, (a, b) => self.solve(a, b, caller))
    }

    fn is_found(&self, found: &ReportContext<'_, Self>) -> bool {
        similarity(found) == 1.0
    }

    fn answer_note(&self, found: &ReportContext<'_, Self>) -> Option<String> {
        dna::chance_note(found.inputs, Measure::Subsequence, similarity(found))
    }

    fn text(
        &self,
        found: &ReportContext<'_, Self>,
        _: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let similarity = 100.0 * similarity(found);
        let mut figures = vec![
            ("length", found.solved.answer.length.to_string()),
            ("similarity", format!("{similarity:.2} %")),
        ];
        // Random letters are compared without `--ambiguous` and `--equal`.
        if !self.matching.is_given()
            && let Some(by_chance) = dna::similarity_by_chance(found.inputs, Measure::Subsequence)
        {
            let by_chance = format!("{:.0} %, random DNA of these letters", 100.0 * by_chance);
            figures.push(("by chance", by_chance));
        }
        let lines = found.lines(figures);
        report::write_aligned(&lines, out)
    }

    fn json(
        &self,
        found: &ReportContext<'_, Self>,
        _: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let answer = &found.solved.answer;
        let blocks = answer.subsequence.as_ref().map(|found| found.blocks());
        let mut object = found.object(out);
        object
            .field("length", answer.length)
            .field("similarity", similarity(found));
        found
            .add_call(&mut object)
            .field_if("blocks", blocks.map(block_array))
            .end()
    }

    fn witness(
        &self,
        format: LcsFormat,
        found: &ReportContext<'_, Self>,
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
}
