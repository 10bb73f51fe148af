//! Rows of places.

use std::io::Write;

use anyhow::Context;
use serde::Serialize;
use swath::Symbol;
use swath::edit_distance::Op;
use swath::orientation::Orientation;
use swath::search::Place;

use super::sam::SamRows;
use crate::args::{SearchArgs, SearchFormat};
use crate::input::{Memory, StringList};
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
    /// Symbols of the pattern before and behind the text, if it may stick out.
    #[serde(skip_serializing_if = "Option::is_none")]
    overhang: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cigar: Option<String>,
}

pub struct Rows<'a, S: Symbol> {
    args: &'a SearchArgs,
    patterns: &'a StringList<S>,
    kept: Kept<'a>,
    pub count: u64,
}

enum Kept<'a> {
    Nothing,
    /// Numbers of places by pattern, if they are printed instead of places.
    Counts(Vec<u64>),
    Sam(Box<SamRows<'a>>),
}

impl<'a, S: Symbol> Rows<'a, S> {
    /// # Errors
    /// If the format cannot hold the patterns.
    pub fn new(
        args: &'a SearchArgs,
        patterns: &'a StringList<S>,
        memory: &Memory,
    ) -> anyhow::Result<Self> {
        let kept = if args.count {
            Kept::Counts(vec![0; patterns.strings.len()])
        } else if args.format.is_sam() {
            Kept::Sam(Box::new(SamRows::new(args, patterns, memory)?))
        } else {
            Kept::Nothing
        };
        Ok(Self {
            args,
            patterns,
            kept,
            count: 0,
        })
    }

    pub fn size_bytes(&self) -> u64 {
        match &self.kept {
            Kept::Nothing => 0,
            Kept::Counts(counts) => size_of_val(&counts[..]) as u64,
            Kept::Sam(sam) => sam.size_bytes,
        }
    }

    pub fn begin(&mut self, texts: &StringList<S>) -> anyhow::Result<()> {
        match &mut self.kept {
            Kept::Sam(sam) => sam.add_texts(texts),
            _ => Ok(()),
        }
    }

    pub fn write(
        &mut self,
        texts: &StringList<S>,
        places: &[Place],
        alignments: Option<&[Vec<(Op, usize)>]>,
        out: &mut Output<'_>,
    ) -> anyhow::Result<()> {
        self.count += places.len() as u64;
        for (index, place) in places.iter().enumerate() {
            let ops = alignments.map_or(&[][..], |all| &all[index][..]);
            match &mut self.kept {
                Kept::Counts(counts) => counts[place.pattern as usize] += 1,
                Kept::Sam(sam) => sam.take(place, ops, self.patterns, texts)?,
                Kept::Nothing => self.row(texts, place, ops, out)?,
            }
        }
        Ok(())
    }

    fn pattern(&self, index: usize) -> Label<'a> {
        Label::of(self.patterns, index, self.args.labels.show())
    }

    fn row(
        &self,
        texts: &StringList<S>,
        place: &Place,
        ops: &[(Op, usize)],
        out: &mut Output<'_>,
    ) -> anyhow::Result<()> {
        let outside = [place.before, place.after].map(|count| count as usize);
        let row = Row {
            pattern: self.pattern(place.pattern as usize),
            text: Label::of(texts, place.text as usize, self.args.labels.show()),
            start: place.start,
            end: place.end,
            strand: place.strand.name(),
            cost: place.cost,
            overhang: self.args.overhang.map(|_| [place.before, place.after]),
            cigar: self.args.path.then(|| Op::clipped(ops, outside)),
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
            SearchFormat::Tsv | SearchFormat::Sam | SearchFormat::Bam => {
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
                    len: texts.strings[place.text as usize].len(),
                },
                outside,
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

    pub fn end(self, out: &mut Output<'_>) -> anyhow::Result<()> {
        match self.kept {
            Kept::Nothing => Ok(()),
            Kept::Sam(sam) => sam.end(self.patterns, out),
            Kept::Counts(counts) => counts.iter().enumerate().try_for_each(|(index, count)| {
                let pattern = Label::of(self.patterns, index, self.args.labels.show());
                writeln!(out.buffer, "{pattern}\t{count}").context("cannot write a row")?;
                out.advance()
            }),
        }
    }
}
