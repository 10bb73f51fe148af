//! `swath edit`: one pair, or with pieces all records of the query against all records of the
//! target.

use std::io::{self, Write};

use clap::ValueEnum;
use swath::edit_distance::{Alignment, Distance, EditDistance, Mode, Op, Piece};
use swath::{Block, Edit};

use super::lcs::block_array;
use super::turn::Turning;
use super::{Caller, Comparison, Outcome, ReportContext};
use crate::args::{EditArgs, EngineArgs, OutputArgs, Witness};
use crate::input::{DefaultRecords, Inputs, Printed, Request, printable, with_list};
use crate::report::{self, Array, Counted, Names, Object, alignment, diff};

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
        // An empty query is everywhere at distance 0; the first piece answers for all.
        let mode = match self.mode {
            Mode::Infix if sequences[0].is_empty() => Mode::Prefix,
            mode => mode,
        };
        let task = Edit::of(sequences[0], sequences[1]).method(self.method);
        let mut task = task.mode(mode).with_path(path);
        if self.starts {
            task = task.starts();
        }
        let task = self.max_distance.into_iter().fold(task, Edit::within);
        caller.call(&self.gaps().into_iter().fold(task, Edit::gaps))
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
        let record = match found.is_one_of_several {
            true => format!("  {}", printable(&found.inputs.groups[1].name)),
            false => String::new(),
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
                cigar: Op::cigar(&ops(found.inputs, alignment)?),
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
        let (inputs, edit) = (found.inputs, &found.solved.answer);
        let Some(alignment) = &edit.alignment else {
            return Ok(());
        };
        let (ops, piece) = (ops(inputs, alignment)?, alignment.piece());
        let name = |input: usize| printable(&inputs.groups[input].name);
        if found.is_one_of_several && format != EditFormat::Paf {
            writeln!(out, "# {}\t{}", name(0), name(1))?;
        }
        match format {
            EditFormat::Text => alignment::write(&inputs.lists, &ops, piece.start, out),
            EditFormat::Cigar => writeln!(out, "{}", alignment.cigar()),
            EditFormat::Cigarx | EditFormat::Json => writeln!(out, "{}", Op::cigar(&ops)),
            EditFormat::Paf => {
                // Query, its length, start and end; strand; target, its length, start and end;
                // equal pairs, steps, and no mapping quality.
                let (a_len, b_len) = inputs.pair_lengths();
                let equal = ops.iter().filter(|(op, _)| *op == Op::Equal);
                let equal: usize = equal.map(|(_, count)| count).sum();
                let steps: usize = ops.iter().map(|(_, count)| count).sum();
                let (a, b, start, end) = (name(0), name(1), piece.start, piece.end);
                let distance = edit.distance.exactly().unwrap_or_default();
                let cigar = Op::cigar(&ops);
                writeln!(
                    out,
                    "{a}\t{a_len}\t0\t{a_len}\t+\t{b}\t{b_len}\t{start}\t{end}\t{equal}\t{steps}\t255\tNM:i:{distance}\tcg:Z:{cigar}"
                )
            }
            EditFormat::Ops => {
                let runs = ops
                    .iter()
                    .map(|(op, count)| format!("{count}{}", op.letter()));
                writeln!(out, "{}", runs.collect::<Vec<_>>().join(" "))
            }
            EditFormat::Diff => {
                let equal = equal_runs(&ops, piece.start);
                diff::write(inputs, piece, &equal, out)
            }
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

#[derive(serde::Serialize)]
struct AlignmentFields<B> {
    start: usize,
    end: usize,
    cigar: String,
    blocks: B,
}

/// Runs of one operation; symbols are equal as compared, for example without case.
fn ops(inputs: &Inputs, alignment: &Alignment) -> io::Result<Vec<(Op, usize)>> {
    let ops = with_list!(&inputs.lists, list => {
        let compared = list.compared();
        alignment.ops(compared[0], compared[1])
    });
    ops.map_err(io::Error::other)
}

/// Runs of equal pairs with their positions.
fn equal_runs(ops: &[(Op, usize)], start: usize) -> Vec<Block> {
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
