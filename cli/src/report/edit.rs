//! The edit distance: summary, alignment and JSON.

use std::cell::OnceCell;
use std::io::{self, Write};

use clap::ValueEnum;
use swath::Block;
use swath::edit_distance::{Alignment, Distance, EditDistance, Mode, Op, Piece};

use super::inputs::Named;
use super::run::{RunFigures, run_lines};
use super::{alignment_text, diff, write_aligned, write_json};
use crate::input::{Inputs, Sequences, printable};

/// How the alignment is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EditFormat {
    /// A above B with marks between them: | equal, . unequal; lines and tokens one a line after ' ', '-' or '+'
    Text,
    /// CIGAR with M for equal and unequal pairs
    Cigar,
    /// CIGAR with = and X
    Cigarx,
    /// A line of PAF with cg:Z: in = and X
    Paf,
    /// Edit script: `120= 1X 3I` is 120 equal pairs, an unequal one, 3 symbols only in A
    Ops,
    /// Unified diff of lines or tokens; `[-only A-]{+only B+}` in the text for bytes and characters
    Diff,
    /// The object that --json prints, with its alignment
    Json,
}

/// An answer and the inputs that it is about.
pub struct EditAnswer<'a> {
    pub inputs: &'a Inputs,
    pub edit: &'a swath::Report<EditDistance>,
    pub mode: Mode,
    /// Whether it is one of several pairs, which are told apart by their names.
    pub several: bool,
    /// The steps of its alignment once they are known: a file and the summary may both tell them.
    ops: OnceCell<Vec<(Op, usize)>>,
}

impl<'a> EditAnswer<'a> {
    /// In this mode, one of several pairs or not.
    pub fn new(
        inputs: &'a Inputs,
        edit: &'a swath::Report<EditDistance>,
        mode: Mode,
        several: bool,
    ) -> Self {
        Self {
            inputs,
            edit,
            mode,
            several,
            ops: OnceCell::new(),
        }
    }

    /// Runs of one kind, equal as the sequences are compared.
    fn ops(&self, alignment: &Alignment) -> io::Result<&[(Op, usize)]> {
        if let Some(ops) = self.ops.get() {
            return Ok(ops);
        }
        let ops = match &self.inputs.sequences {
            Sequences::Bytes(pair) => alignment.ops(pair.compared().0, pair.compared().1),
            Sequences::Chars(pair) => alignment.ops(pair.compared().0, pair.compared().1),
            Sequences::Lines { pair, .. } | Sequences::Tokens { pair, .. } => {
                alignment.ops(pair.compared().0, pair.compared().1)
            }
        };
        let ops = ops.map_err(io::Error::other)?;
        Ok(self.ops.get_or_init(|| ops))
    }
}

/// One `key  value` line each; a line `piece` for every piece, behind the others.
pub fn edit_text(answer: &EditAnswer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let edit = answer.edit;
    let mut lines = vec![
        ("distance", edit.distance.to_string()),
        ("mode", answer.mode.name().to_string()),
    ];
    if !edit.pieces.is_empty() {
        lines.push(("pieces", edit.pieces.len().to_string()));
    }
    lines.extend(answer.inputs.lines());
    lines.extend(run_lines(edit));
    let record = if answer.several {
        format!("  {}", printable(&answer.inputs.b_name))
    } else {
        String::new()
    };
    lines.extend(
        edit.pieces
            .iter()
            .map(|piece| ("piece", place(piece) + &record)),
    );
    write_aligned(&lines, out)
}

/// `12..20`, or `..20` where the start is not known.
fn place(piece: &Piece) -> String {
    format!(
        "{}..{}",
        piece.start.map_or(String::new(), |start| start.to_string()),
        piece.end
    )
}

/// Writes the alignment; nothing where there is none.
pub fn write_edit(
    format: EditFormat,
    answer: &EditAnswer<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(alignment) = &answer.edit.alignment else {
        return if format == EditFormat::Json {
            edit_json(answer, out)
        } else {
            Ok(())
        };
    };
    let ops = answer.ops(alignment)?;
    if answer.several && !matches!(format, EditFormat::Paf | EditFormat::Json) {
        writeln!(
            out,
            "# {}\t{}",
            printable(&answer.inputs.a_name),
            printable(&answer.inputs.b_name)
        )?;
    }
    match format {
        EditFormat::Text => {
            alignment_text::write(&answer.inputs.sequences, ops, alignment.piece().start, out)
        }
        EditFormat::Cigar => writeln!(out, "{}", alignment.cigar()),
        EditFormat::Cigarx => writeln!(out, "{}", Op::cigar(ops)),
        EditFormat::Paf => paf(answer, alignment, ops, out),
        EditFormat::Ops => {
            let ops: Vec<_> = ops
                .iter()
                .map(|(op, count)| format!("{count}{}", op.letter()))
                .collect();
            writeln!(out, "{}", ops.join(" "))
        }
        EditFormat::Diff => {
            let piece = alignment.piece();
            diff::write(
                answer.inputs,
                piece.clone(),
                &equal_runs(ops, piece.start),
                out,
            )
        }
        EditFormat::Json => edit_json(answer, out),
    }
}

/// Runs of equal pairs, by position.
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

/// Query, its length, start and end; strand; target, its length, start and end; equal pairs, steps, and no mapping quality.
fn paf(
    answer: &EditAnswer<'_>,
    alignment: &Alignment,
    ops: &[(Op, usize)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let (a_len, b_len) = answer.inputs.sequences.lengths();
    let (a_name, b_name) = (
        printable(&answer.inputs.a_name),
        printable(&answer.inputs.b_name),
    );
    let piece = alignment.piece();
    let equal: usize = ops
        .iter()
        .filter(|(op, _)| *op == Op::Equal)
        .map(|(_, count)| count)
        .sum();
    let steps: usize = ops.iter().map(|(_, count)| count).sum();
    let distance = answer.edit.distance.exactly().unwrap_or_default();
    writeln!(
        out,
        "{a_name}\t{a_len}\t0\t{a_len}\t+\t{b_name}\t{b_len}\t{}\t{}\t{equal}\t{steps}\t255\tNM:i:{distance}\tcg:Z:{}",
        piece.start,
        piece.end,
        Op::cigar(ops)
    )
}

#[derive(serde::Serialize)]
struct Report<'a, I> {
    schema: &'static str,
    problem: &'static str,
    mode: &'static str,
    distance: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more_than: Option<u64>,
    #[serde(flatten)]
    run: RunFigures<'a>,
    #[serde(flatten)]
    inputs: I,
    #[serde(skip_serializing_if = "Option::is_none")]
    pieces: Option<Vec<(Option<usize>, usize)>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alignment: Option<AlignmentFigures<'a>>,
}

#[derive(serde::Serialize)]
struct AlignmentFigures<'a> {
    start: usize,
    end: usize,
    cigar: String,
    blocks: super::json::Blocks<'a>,
}

fn figures<'a>(
    answer: &EditAnswer<'_>,
    alignment: &'a Alignment,
) -> io::Result<AlignmentFigures<'a>> {
    Ok(AlignmentFigures {
        start: alignment.piece().start,
        end: alignment.piece().end,
        cigar: Op::cigar(answer.ops(alignment)?),
        blocks: super::json::Blocks(alignment.blocks()),
    })
}

/// Schema `swath/edit/1`; `distance` is null and `more_than` is there where the distance is greater than was asked for.
pub fn edit_json(answer: &EditAnswer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (inputs, edit) = (answer.inputs, answer.edit);
    let report = Report {
        schema: "swath/edit/1",
        problem: "edit",
        mode: answer.mode.name(),
        distance: edit.distance.exactly(),
        more_than: match edit.distance {
            Distance::Exactly(_) => None,
            Distance::MoreThan(bound) => Some(bound),
        },
        run: RunFigures::new(edit),
        inputs: inputs.figures(),
        pieces: (answer.mode != Mode::Global).then(|| {
            edit.pieces
                .iter()
                .map(|piece| (piece.start, piece.end))
                .collect()
        }),
        alignment: edit
            .alignment
            .as_ref()
            .map(|alignment| figures(answer, alignment))
            .transpose()?,
    };
    write_json(&report, out)
}
