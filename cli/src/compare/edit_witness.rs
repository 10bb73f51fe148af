//! Alignments of `swath edit` in their formats.

use std::io::{self, Write};

use swath::edit_distance::{Alignment, Op};

use super::comparison::with_pair;
use crate::args::{EditArgs, EditFormat, WitnessFormat};
use crate::input::Inputs;
use crate::message::printable;
use crate::report::differences::equal_runs;
use crate::report::paf::{Named, PafAlignment};
use crate::report::{alignment, diff, sam, svg};

pub struct AlignedPair<'a> {
    pub inputs: &'a Inputs,
    pub alignment: &'a Alignment,
    /// Set if the names of both records precede the alignment.
    pub is_one_of_several: bool,
    pub is_best_of_record: bool,
}

impl AlignedPair<'_> {
    pub fn write(
        &self,
        args: &EditArgs,
        format: EditFormat,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Self {
            inputs,
            alignment,
            is_one_of_several,
            is_best_of_record,
        } = *self;
        let (ops, piece) = (ops(args, inputs, alignment)?, alignment.piece());
        let name = |input: usize| printable(&inputs.groups[input].name);
        let has_names = format == EditFormat::Paf || format.is_sam();
        if is_one_of_several && !has_names {
            writeln!(out, "# {}\t{}", name(0), name(1))?;
        }
        match format {
            EditFormat::Text => alignment::write(&inputs.lists, &ops, piece.start, out),
            EditFormat::Cigar => writeln!(out, "{}", alignment.cigar()),
            EditFormat::Cigarx | EditFormat::Json => writeln!(out, "{}", Op::cigar(&ops)),
            EditFormat::Paf => {
                let (a_len, b_len) = inputs.pair_lengths();
                let symbols = inputs
                    .bytes()
                    .map(|list| [list.printed()[0], list.printed()[1]]);
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
                    outside: [0; 2],
                    start: piece.start,
                    ops: &ops,
                    has_cigar: true,
                    has_cs: args.cs,
                    symbols,
                }
                .write(out)
            }
            EditFormat::Ops => {
                let runs = ops.iter().map(|&(op, count)| (count, op.letter()));
                diff::write_script(runs, out)
            }
            EditFormat::Sam | EditFormat::Bam => {
                sam::write(inputs, &ops, piece.start, is_best_of_record, out)
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

/// Symbols match as compared, for example without case.
pub fn ops(
    args: &EditArgs,
    inputs: &Inputs,
    alignment: &Alignment,
) -> io::Result<Vec<(Op, usize)>> {
    let matching = args.matching.matching(args.input.ignore_case);
    let matching = matching.map_err(io::Error::other)?;
    let ops = with_pair!(inputs, matching, (a, b) => alignment.ops(a, b));
    ops.map_err(io::Error::other)
}
