//! `swath edit`: one pair, or with pieces all records of the query against all records of the
//! target.

use std::io::{self, Write};

use anyhow::bail;
use swath::edit_distance::{Distance, EditDistance, Method, Mode, Op, Piece};
use swath::{Edit, Symbol};

use super::comparison::{Comparison, ReportContext, Settings, with_pair};
use super::edit_batch;
use super::edit_witness::{AlignedPair, ops};
use super::lcs::block_array;
use super::run::Call;
use super::together::{ComparesTogether, Together, Whole};
use crate::args::{EditArgs, EditFormat};
use crate::call::{Caller, Outcome};
use crate::dna::{self, Measure};
use crate::input::{DefaultRecords, Inputs};
use crate::message::printable;
use crate::report::{self, Array, Counted, Form, Names, diff, sam};

impl Comparison for EditArgs {
    type Format = EditFormat;
    type Answer = EditDistance;
    const FORM: Form = Form {
        problem: "edit",
        counted: Counted::Cells,
        names: Names::Pair,
    };

    fn settings(&self) -> anyhow::Result<Settings<'_, EditFormat>> {
        let take = match self.mode {
            Mode::Global => DefaultRecords::First,
            _ => DefaultRecords::Grouped,
        };
        let request = self.input.request([&self.a, &self.b], take)?;
        Ok(Settings {
            turning: self.turning(),
            names_method: self.method != Method::Auto,
            max_distance: self.max_distance,
            sets_exit_code: self.exit.exit_code,
            ..Settings::new(request, &self.output, &self.engine)
        })
    }

    fn check(&self, inputs: &Inputs, format: Option<EditFormat>) -> anyhow::Result<Vec<String>> {
        match format {
            Some(EditFormat::Diff) => diff::check(inputs)?,
            Some(EditFormat::Sam | EditFormat::Bam) => sam::check(inputs)?,
            Some(EditFormat::Svg) if inputs.pair_count() > 1 => bail!(
                "--format svg shows one pair, and there are several; name records with --record-a and --record-b, or take paf"
            ),
            _ => {}
        }
        Ok(dna::pair_notes(inputs, &self.matching))
    }

    fn call(&self, inputs: &Inputs, caller: &Caller<'_>) -> swath::Result<Outcome<EditDistance>> {
        let matching = self.matching.matching(self.input.ignore_case)?;
        with_pair!(inputs, matching, (a, b) => self.solve(a, b, caller))
    }

    fn is_better(&self, one: &EditDistance, than: &EditDistance) -> bool {
        let distance = |edit: &EditDistance| edit.distance.exactly().unwrap_or(u64::MAX);
        distance(one) < distance(than)
    }

    fn has_witness(&self, edit: &EditDistance) -> bool {
        edit.alignment.is_some()
    }

    fn is_found(&self, found: &ReportContext<'_, Self>) -> bool {
        let distance = found.solved.answer.distance.exactly();
        distance.is_some_and(|distance| distance <= self.max_distance.unwrap_or(0))
    }

    fn answer_note(&self, found: &ReportContext<'_, Self>) -> Option<String> {
        if self.mode != Mode::Global {
            return None;
        }
        let (a, b) = found.inputs.pair_lengths();
        let edits = found.solved.answer.distance.exactly()?;
        let similarity = 1.0 - edits as f64 / a.max(b).max(1) as f64;
        dna::chance_note(found.inputs, Measure::Edits, similarity)
    }

    fn text(
        &self,
        found: &ReportContext<'_, Self>,
        _: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let edit = &found.solved.answer;
        let mut lines = vec![
            ("distance", edit.distance.to_string()),
            ("mode", self.mode.name().to_string()),
        ];
        if !edit.pieces.is_empty() {
            lines.push(("pieces", edit.pieces.len().to_string()));
        }
        let record = if found.is_one_of_several {
            format!("  {}", printable(&found.inputs.groups[1].name))
        } else {
            String::new()
        };
        // `12..20`, or `..20` with an unknown start.
        let range = |piece: &Piece| {
            let start = piece.start.map(|start| start.to_string());
            let range = format!("{}..{}{record}", start.unwrap_or_default(), piece.end);
            ("piece", range)
        };
        let pieces = edit.pieces.iter().map(range);
        report::write_aligned_with(&found.lines(lines), "piece", pieces, out)
    }

    /// `distance` is null and `more_than` is present if the distance exceeds the maximum.
    fn json(
        &self,
        found: &ReportContext<'_, Self>,
        _: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let edit = &found.solved.answer;
        let more_than = match edit.distance {
            Distance::Exactly(_) => None,
            Distance::MoreThan(bound) => Some(bound),
        };
        let pieces = Array(|| edit.pieces.iter().map(|piece| (piece.start, piece.end)));
        let alignment = edit.alignment.as_ref();
        let ops = alignment.map(|alignment| ops(self, found.inputs, alignment));
        let ops = ops.transpose()?;
        let mut object = found.object(out);
        object
            .field("mode", self.mode.name())
            .field("distance", edit.distance.exactly())
            .field_if("more_than", more_than);
        found
            .add_call(&mut object)
            .field_if("pieces", (self.mode != Mode::Global).then_some(pieces));
        if let Some((alignment, ops)) = alignment.zip(ops) {
            let piece = alignment.piece();
            object.object("alignment", |object| {
                object
                    .field("start", piece.start)
                    .field("end", piece.end)
                    .field("cigar", Op::cigar(&ops))
                    .field("blocks", block_array(alignment.blocks()))
            });
        }
        object.end()
    }

    fn witness(
        &self,
        format: EditFormat,
        found: &ReportContext<'_, Self>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Some(alignment) = &found.solved.answer.alignment else {
            return Ok(());
        };
        AlignedPair {
            inputs: found.inputs,
            alignment,
            is_one_of_several: found.is_one_of_several,
            is_best_of_record: found.is_best_of_record,
        }
        .write(self, format, out)
    }
}

impl ComparesTogether for EditArgs {
    fn write_together(
        &self,
        call: &Call<'_, Self>,
        format: EditFormat,
        together: &mut Together<'_>,
    ) -> anyhow::Result<Option<Whole>> {
        edit_batch::write(call, format, together)
    }
}

impl EditArgs {
    fn solve<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<EditDistance>> {
        // An empty query is everywhere at distance 0; the first piece answers for all.
        let mode = match self.mode {
            Mode::Infix if a.is_empty() => Mode::Prefix,
            mode => mode,
        };
        let task = Edit::of(a, b).method(self.method);
        let mut task = task.mode(mode).with_path(self.output.asks_for_witness());
        if self.starts {
            task = task.starts();
        }
        let task = self.max_distance.into_iter().fold(task, Edit::within);
        caller.call(&self.gaps.into_iter().fold(task, Edit::gaps))
    }
}
