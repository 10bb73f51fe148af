//! `swath edit`: one pair, or with pieces all records of the query against all records of the
//! target.

use std::io::{self, Write};

use anyhow::bail;
use clap::ValueEnum;
use swath::edit_distance::{Alignment, Distance, EditDistance, Method, Mode, Op, Piece};
use swath::{Block, Edit, Symbol};

use super::dna::{self, Measure};
use super::edit_batch;
use super::lcs::block_array;
use super::turn::Turning;
use super::{Caller, Comparison, Outcome, ReportContext, Together, Whole};
use crate::args::{EditArgs, EngineArgs, OutputArgs, Witness};
use crate::input::{DefaultRecords, Inputs, Lists, Printed, Request, printable, with_list};
use crate::report::paf::{Named, PafAlignment};
use crate::report::{self, Array, Counted, Names, Object, alignment, diff, sam, svg};

/// Format of the alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EditFormat {
    /// A above B with marks between them: | equal, . unequal; lines and tokens one per line after '
    /// ', '-' or '+'
    Text,
    /// CIGAR with M for equal and unequal pairs
    Cigar,
    /// CIGAR with = and X
    Cigarx,
    /// One PAF line with cg:Z: in = and X
    Paf,
    /// Edit script: `120= 1X 3I` is 120 equal pairs, one unequal pair, 3 symbols only in A
    Ops,
    /// Unified diff of lines or tokens; `[-only A-]{+only B+}` within the text for bytes and
    /// characters
    Diff,
    /// The JSON object of --json, with the alignment
    Json,
    /// SAM: the query's letters, its place in the target, a CIGAR with = and X
    Sam,
    /// BAM: the same in binary, for a file or a pipe
    Bam,
    /// A dot plot of the runs of pairs
    Svg,
}

impl Comparison for EditArgs {
    type Format = EditFormat;
    type Answer = EditDistance;
    const PROBLEM: &'static str = "edit";
    const NAMES: Names = Names::Pair;
    const BY_PAIRS: bool = true;

    fn output(&self) -> &OutputArgs<EditFormat> {
        &self.output
    }

    fn engine(&self) -> &EngineArgs {
        &self.engine
    }

    fn request(&self) -> anyhow::Result<Request> {
        self.check()?;
        let take = match self.mode {
            Mode::Global => DefaultRecords::First,
            _ => DefaultRecords::Grouped,
        };
        self.input.request(&[&self.a, &self.b], take)
    }

    fn turning(&self) -> Option<Turning> {
        self.turn.turning(self.mode == Mode::Global)
    }

    fn is_better(&self, one: &EditDistance, than: &EditDistance) -> bool {
        let distance = |edit: &EditDistance| edit.distance.exactly().unwrap_or(u64::MAX);
        distance(one) < distance(than)
    }

    fn check_inputs(&self, inputs: &Inputs, witness: &Witness<EditFormat>) -> anyhow::Result<()> {
        match witness.format() {
            Some(EditFormat::Diff) => diff::check(inputs),
            Some(EditFormat::Sam | EditFormat::Bam) => sam::check(inputs),
            Some(EditFormat::Svg) if inputs.pairs().len() > 1 => bail!(
                "--format svg shows one pair, and there are several; name records with --record-a and --record-b, or take paf"
            ),
            _ => Ok(()),
        }
    }

    fn call<S: Printed>(
        &self,
        _: &Inputs,
        sequences: Vec<&[S]>,
        path: bool,
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<EditDistance>> {
        self.solve(sequences[0], sequences[1], path, caller)
    }

    fn call_bytes(
        &self,
        inputs: &Inputs,
        sequences: Vec<&[u8]>,
        path: bool,
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<EditDistance>> {
        match self.matching.matching(self.input.ignore_case)? {
            None => self.call(inputs, sequences, path, caller),
            Some(matching) => {
                let [a, b] = [0, 1].map(|at| matching.letters(sequences[at]));
                self.solve(&a, &b, path, caller)
            }
        }
    }

    fn names_method(&self) -> bool {
        self.method != Method::Auto
    }

    fn ranks_pairs(&self, format: EditFormat) -> bool {
        matches!(format, EditFormat::Sam | EditFormat::Bam)
    }

    fn input_notes(&self, inputs: &Inputs) -> Vec<String> {
        if self.matching.is_given() {
            Vec::new()
        } else {
            dna::notes(inputs, "")
        }
    }

    fn answer_note(&self, found: &ReportContext<'_, EditDistance>) -> Option<String> {
        if self.mode != Mode::Global {
            return None;
        }
        let (a, b) = found.inputs.pair_lengths();
        let edits = found.solved.answer.distance.exactly()?;
        let similarity = 1.0 - edits as f64 / a.max(b).max(1) as f64;
        dna::chance_note(found.inputs, Measure::Edits, similarity)
    }

    fn sets_exit_code(&self) -> bool {
        self.exit.exit_code
    }

    fn is_found(&self, found: &ReportContext<'_, EditDistance>) -> bool {
        let distance = found.solved.answer.distance.exactly();
        distance.is_some_and(|distance| distance <= self.max_distance.unwrap_or(0))
    }

    fn text(
        &self,
        found: &ReportContext<'_, EditDistance>,
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
        lines.extend(report::input_lines(Names::Pair, found.inputs));
        lines.extend(report::run_lines(Counted::Cells, found.solved));
        let record = if found.is_one_of_several {
            format!("  {}", printable(&found.inputs.groups[1].name))
        } else {
            String::new()
        };
        // `12..20`, or `..20` with an unknown start.
        let place = |piece: &Piece| {
            let start = piece.start.map(|start| start.to_string());
            format!("{}..{}{record}", start.unwrap_or_default(), piece.end)
        };
        report::write_aligned_with(&lines, ("piece", edit.pieces.iter().map(place)), out)
    }

    /// `distance` is null and `more_than` is present if the distance exceeds the maximum.
    fn json(
        &self,
        found: &ReportContext<'_, EditDistance>,
        _: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let edit = &found.solved.answer;
        let more_than = match edit.distance {
            Distance::Exactly(_) => None,
            Distance::MoreThan(bound) => Some(bound),
        };
        let pieces = Array(|| edit.pieces.iter().map(|piece| (piece.start, piece.end)));
        let alignment = edit.alignment.as_ref().map(|alignment| {
            let piece = alignment.piece();
            Ok::<_, io::Error>(AlignmentFields {
                start: piece.start,
                end: piece.end,
                cigar: Op::cigar(&self.ops(found.inputs, alignment)?),
                blocks: block_array(alignment.blocks()),
            })
        });
        let object = Object::new("edit/1", out)?
            .field("problem", "edit")?
            .field("mode", self.mode.name())?
            .field("distance", edit.distance.exactly())?
            .field_if("more_than", more_than)?;
        let object = report::run_fields(Counted::Cells, found.solved, object)?;
        report::input_fields(Names::Pair, found.inputs, object)?
            .field_if("pieces", (self.mode != Mode::Global).then_some(pieces))?
            .field_if("alignment", alignment.transpose()?)?
            .end()
    }

    fn witness(
        &self,
        format: EditFormat,
        found: &ReportContext<'_, EditDistance>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match &found.solved.answer.alignment {
            Some(alignment) => {
                let place = (found.is_one_of_several, found.is_best_of_record);
                self.write_alignment(format, found.inputs, alignment, place, out)
            }
            None => Ok(()),
        }
    }

    fn write_together(
        &self,
        inputs: &Inputs,
        format: EditFormat,
        together: &mut Together<'_>,
    ) -> anyhow::Result<Option<Whole>> {
        edit_batch::write(self, inputs, format, together)
    }

    fn preamble(&self, format: EditFormat, inputs: &Inputs, out: &mut dyn Write) -> io::Result<()> {
        match format {
            EditFormat::Sam | EditFormat::Bam => sam::header(inputs, out),
            _ => Ok(()),
        }
    }

    fn has_witness(&self, edit: &EditDistance) -> bool {
        edit.alignment.is_some()
    }

    fn missing(&self, missing: usize, of: usize) -> Option<String> {
        let bound = self.max_distance?;
        let which = match of {
            1 => String::new(),
            _ => format!("of {missing} of {of} pairs "),
        };
        Some(format!(
            "the distance {which}is more than {bound}, so there is no alignment"
        ))
    }
}

impl EditArgs {
    fn solve<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        path: bool,
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<EditDistance>> {
        // An empty query is everywhere at distance 0; the first piece answers for all.
        let mode = match self.mode {
            Mode::Infix if a.is_empty() => Mode::Prefix,
            mode => mode,
        };
        let task = Edit::of(a, b).method(self.method);
        let mut task = task.mode(mode).with_path(path);
        if self.starts {
            task = task.starts();
        }
        let task = self.max_distance.into_iter().fold(task, Edit::within);
        caller.call(&self.gaps().into_iter().fold(task, Edit::gaps))
    }

    /// Runs of one operation; symbols match as compared, for example without case.
    fn ops(&self, inputs: &Inputs, alignment: &Alignment) -> io::Result<Vec<(Op, usize)>> {
        let matching = self.matching.matching(self.input.ignore_case);
        let ops = match (&inputs.lists, matching.map_err(io::Error::other)?) {
            (Lists::Bytes(list), Some(matching)) => {
                let compared = list.compared();
                let [a, b] = [0, 1].map(|at| matching.letters(compared[at]));
                alignment.ops(&a, &b)
            }
            (lists, _) => with_list!(lists, list => {
                let compared = list.compared();
                alignment.ops(compared[0], compared[1])
            }),
        };
        ops.map_err(io::Error::other)
    }
}

impl EditArgs {
    /// Writes an alignment, after the names of both records if it is one of several.
    pub(super) fn write_alignment(
        &self,
        format: EditFormat,
        inputs: &Inputs,
        alignment: &Alignment,
        (is_named, is_best): (bool, bool),
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (ops, piece) = (self.ops(inputs, alignment)?, alignment.piece());
        let name = |input: usize| printable(&inputs.groups[input].name);
        let has_names = matches!(format, EditFormat::Paf | EditFormat::Sam | EditFormat::Bam);
        if is_named && !has_names {
            writeln!(out, "# {}\t{}", name(0), name(1))?;
        }
        match format {
            EditFormat::Text => alignment::write(&inputs.lists, &ops, piece.start, out),
            EditFormat::Cigar => writeln!(out, "{}", alignment.cigar()),
            EditFormat::Cigarx | EditFormat::Json => writeln!(out, "{}", Op::cigar(&ops)),
            EditFormat::Paf => {
                let (a_len, b_len) = inputs.pair_lengths();
                let symbols = match &inputs.lists {
                    Lists::Bytes(list) => Some([list.printed()[0], list.printed()[1]]),
                    _ => None,
                };
                PafAlignment {
                    query: Named {
                        name: &name(0),
                        len: a_len,
                    },
                    orientation: inputs.groups[0].orientation.unwrap_or_default(),
                    target: Named {
                        name: &name(1),
                        len: b_len,
                    },
                    start: piece.start,
                    ops: &ops,
                    has_cigar: true,
                    has_cs: self.cs,
                    symbols,
                }
                .write(out)
            }
            EditFormat::Ops => {
                let runs = ops.iter().map(|&(op, count)| (count, op.letter()));
                diff::write_script(runs, out)
            }
            EditFormat::Sam | EditFormat::Bam => {
                sam::write(inputs, &ops, piece.start, is_best, out)
            }
            EditFormat::Svg => {
                let runs = svg::blocks(alignment.blocks());
                svg::dot_plot(inputs, "Alignment", runs, out)
            }
            EditFormat::Diff => {
                let equal = equal_runs(&ops, piece.start);
                diff::write(inputs, piece, &equal, out)
            }
        }
    }
}

#[derive(serde::Serialize)]
struct AlignmentFields<B> {
    start: usize,
    end: usize,
    cigar: String,
    blocks: B,
}

/// Runs of equal pairs with their positions.
pub(super) fn equal_runs(ops: &[(Op, usize)], start: usize) -> Vec<Block> {
    let (mut a, mut b) = (0, start);
    let mut runs = Vec::new();
    for &(op, len) in ops {
        if op == Op::Equal {
            runs.push(Block { a, b, len });
        }
        a += if op == Op::Delete { 0 } else { len };
        b += if op == Op::Insert { 0 } else { len };
    }
    runs
}
