//! Rows of places.

use std::io::Write;

use anyhow::Context;
use serde::Serialize;
use swath::Symbol;
use swath::edit_distance::Op;
use swath::orientation::Orientation;
use swath::search::{Place, PlaceBlock};

use crate::args::{SearchArgs, SearchFormat};
use crate::input::StringList;
use crate::lists::{Label, Output, json_line};
use crate::report::paf::{Named, PafAlignment};

#[derive(Serialize)]
struct Row<'a> {
    pattern: Label<'a>,
    text: Label<'a>,
    start: u64,
    end: u64,
    strand: &'static str,
    cost: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    cigar: Option<String>,
}

pub struct Rows<'a, S: Symbol> {
    args: &'a SearchArgs,
    patterns: &'a StringList<S>,
    texts: &'a StringList<S>,
    /// By pattern, if numbers are printed instead of places.
    counts: Vec<u64>,
}

impl<'a, S: Symbol> Rows<'a, S> {
    pub fn new(
        args: &'a SearchArgs,
        patterns: &'a StringList<S>,
        texts: &'a StringList<S>,
    ) -> Self {
        let counts = if args.count {
            vec![0; patterns.strings.len()]
        } else {
            Vec::new()
        };
        Self {
            args,
            patterns,
            texts,
            counts,
        }
    }

    fn pattern(&self, index: usize) -> Label<'a> {
        Label::of(self.patterns, index, self.args.positions)
    }

    pub fn write(&mut self, block: &PlaceBlock<'_>, out: &mut Output<'_>) -> anyhow::Result<()> {
        for (index, place) in block.places.iter().enumerate() {
            if self.args.count {
                self.counts[place.pattern as usize] += 1;
                continue;
            }
            let ops = block.alignments.map_or(&[][..], |all| &all[index][..]);
            self.row(place, ops, out)?;
        }
        Ok(())
    }

    fn row(&self, place: &Place, ops: &[(Op, usize)], out: &mut Output<'_>) -> anyhow::Result<()> {
        let row = Row {
            pattern: self.pattern(place.pattern as usize),
            text: Label::of(self.texts, place.text as usize, self.args.positions),
            start: place.start,
            end: place.end,
            strand: place.strand.name(),
            cost: place.cost,
            cigar: self.args.path.then(|| Op::cigar(ops)),
        };
        let Row {
            pattern,
            text,
            start,
            end,
            strand,
            cost,
            ..
        } = &row;
        let to = &mut out.buffer;
        let written = match self.args.format {
            SearchFormat::Ndjson => {
                json_line(&row, to)?;
                Ok(())
            }
            SearchFormat::Bed => {
                writeln!(to, "{text}\t{start}\t{end}\t{pattern}\t{cost}\t{strand}")
            }
            SearchFormat::Tsv => {
                let cigar = row.cigar.as_ref();
                let cigar = cigar.map_or(String::new(), |cigar| format!("\t{cigar}"));
                writeln!(
                    to,
                    "{pattern}\t{text}\t{start}\t{end}\t{strand}\t{cost}{cigar}"
                )
            }
            SearchFormat::Paf => PafAlignment {
                query: Named {
                    name: pattern,
                    len: self.patterns.strings[place.pattern as usize].len(),
                },
                orientation: Orientation {
                    strand: place.strand,
                    start: 0,
                },
                target: Named {
                    name: text,
                    len: self.texts.strings[place.text as usize].len(),
                },
                start: place.start as usize,
                ops,
                has_cigar: self.args.path,
                has_cs: false,
                symbols: None,
            }
            .write(to),
        };
        written.context("cannot write a row")?;
        out.advance()
    }

    /// Writes the numbers of places.
    pub fn end(self, out: &mut Output<'_>) -> anyhow::Result<()> {
        for (index, count) in self.counts.iter().enumerate() {
            writeln!(out.buffer, "{}\t{count}", self.pattern(index))
                .context("cannot write a row")?;
            out.advance()?;
        }
        Ok(())
    }
}
