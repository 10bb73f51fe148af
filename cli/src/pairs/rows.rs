//! Formats with a row for each kept pair.

use std::fmt;
use std::io::{self, Write};

use anyhow::Context;
use serde::Serialize;
use swath::Symbol;
use swath::edit_distance::Alignment;
use swath::orientation::Orientation;
use swath::pairs::{KeptBlock, PairValue};

use super::alignment::{Aligner, Fields};
use super::best::{Best, cost, cost_of_similarity};
use super::job::Job;
use crate::args::PairsFormat;
use crate::lists::{Label, Output, json_line, mtx};
use crate::report::paf::{Named, PafAlignment};

#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
enum Value {
    Whole(u32),
    Similarity(f64),
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(value) => value.fmt(formatter),
            Self::Similarity(value) => value.fmt(formatter),
        }
    }
}

#[derive(Serialize)]
struct Row<'a> {
    a: Label<'a>,
    b: Label<'a>,
    value: Value,
    #[serde(flatten)]
    aligned: Fields,
}

/// Filters pairs and writes a row for each.
pub struct Rows<'a, S: Symbol> {
    job: &'a Job<'a, S>,
    aligner: Option<Aligner>,
    best: Option<Best>,
    /// Header of a Matrix Market file.
    head: Option<mtx::Head>,
    /// Pairs that are aligned together, and their bytes with alignments and rows.
    pending: Vec<PairValue>,
    pending_bytes: u64,
    count: u64,
}

/// Pairs that are aligned together: much work for a device.
const MAX_PENDING: usize = 1 << 16;
/// Bytes of a pair, its alignment and its row, besides edits and names.
const PAIR_BYTES: u64 = 256;
/// Bytes of an edit: a run of the alignment, and its text.
const EDIT_BYTES: u64 = 48;
/// Copies of a name: in the row, and in the output.
const NAME_COPIES: u64 = 2;
/// Rows that take longer to write than a thread takes to start.
const ROWS_OF_THREAD: usize = 64;

impl<'a, S: Symbol> Rows<'a, S> {
    pub fn new(
        job: &'a Job<'a, S>,
        aligner: Option<Aligner>,
        out: &mut Output<'_>,
    ) -> anyhow::Result<Self> {
        let resumed = out.resumed();
        let head = (job.args.format == PairsFormat::Mtx).then(|| job.mtx_head());
        if let Some(head) = &head {
            // The number of entries stands before them.
            out.hold()?;
            if resumed.is_none() {
                out.buffer.extend(head.text(0).into_bytes());
            }
        }
        Ok(Self {
            job,
            aligner,
            best: job.args.top.map(|max| Best::new(max as usize)),
            head,
            pending: Vec::new(),
            pending_bytes: 0,
            count: resumed.map_or(0, |resumed| resumed.rows),
        })
    }

    fn take_pair(&mut self, pair: PairValue, out: &mut Output<'_>) -> anyhow::Result<()> {
        let (job, args) = (self.job, self.job.args);
        if job.skips(pair) {
            return Ok(());
        }
        if let Some(min) = args.at_least
            && job.similarity(pair) < min
        {
            return Ok(());
        }
        let Some(best) = &mut self.best else {
            return self.write(pair, out);
        };
        let cost = if args.has_similarities() {
            cost_of_similarity(job.similarity(pair))
        } else {
            cost(args.measure, pair.value)
        };
        let done = best.take(pair, cost);
        done.into_iter().try_for_each(|pair| self.write(pair, out))
    }

    fn write(&mut self, pair: PairValue, out: &mut Output<'_>) -> anyhow::Result<()> {
        let Some(aligner) = &self.aligner else {
            self.count += 1;
            write_row(self.job, pair, None, &mut out.buffer)?;
            return out.advance();
        };
        let names = [
            self.job.query_label(pair.query),
            self.job.target_label(pair.target),
        ];
        let names: usize = names.map(Label::name_len).iter().sum();
        self.pending_bytes +=
            PAIR_BYTES + EDIT_BYTES * u64::from(pair.value) + NAME_COPIES * names as u64;
        self.pending.push(pair);
        if self.pending.len() < MAX_PENDING && self.pending_bytes < aligner.max_bytes {
            return Ok(());
        }
        self.write_pending(out)
    }

    fn write_pending(&mut self, out: &mut Output<'_>) -> anyhow::Result<()> {
        self.pending_bytes = 0;
        let pending = std::mem::take(&mut self.pending);
        let Some(aligner) = self.aligner.as_ref().filter(|_| !pending.is_empty()) else {
            return Ok(());
        };
        let job = self.job;
        let alignments = aligner.align(job, &pending)?;
        let text = |(pairs, alignments): (&[PairValue], &[Alignment])| {
            let mut text = Vec::new();
            for (&pair, alignment) in pairs.iter().zip(alignments) {
                write_row(job, pair, Some(alignment), &mut text)?;
            }
            anyhow::Ok(text)
        };
        let rows = pending.len().div_ceil(aligner.threads).max(ROWS_OF_THREAD);
        let mut parts = pending.chunks(rows).zip(alignments.chunks(rows));
        std::thread::scope(|scope| {
            let first = parts.next();
            let others: Vec<_> = parts.map(|part| scope.spawn(move || text(part))).collect();
            if let Some(part) = first {
                out.buffer.extend(text(part)?);
            }
            for text in others {
                out.advance()?;
                match text.join() {
                    Ok(text) => out.buffer.extend(text?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            anyhow::Ok(())
        })?;
        self.count += pending.len() as u64;
        out.advance()
    }

    fn write_best(&mut self, out: &mut Output<'_>) -> anyhow::Result<()> {
        let best = self.best.as_mut().map(Best::drain).unwrap_or_default();
        best.into_iter().try_for_each(|pair| self.write(pair, out))
    }

    pub fn take(&mut self, block: &KeptBlock<'_>, out: &mut Output<'_>) -> anyhow::Result<()> {
        let mut kept = block.kept.iter();
        kept.try_for_each(|&pair| self.take_pair(pair, out))?;
        let mut next = block.pairs.end;
        if self.best.is_some() {
            match self.job.row_start(next) {
                start if start == next => self.write_best(out)?,
                // The query's other pairs are needed again.
                start => next = start,
            }
        }
        self.write_pending(out)?;
        self.job.checkpoint(next, self.count, out)
    }

    /// Writes the pairs that are held. Returns the number of rows.
    pub fn end(&mut self, out: &mut Output<'_>) -> anyhow::Result<u64> {
        self.write_best(out)?;
        self.write_pending(out)?;
        if let Some(head) = &self.head {
            out.patch(head.text(self.count).as_bytes())?;
        }
        Ok(self.count)
    }
}

fn write_row<S: Symbol>(
    job: &Job<'_, S>,
    pair: PairValue,
    alignment: Option<&Alignment>,
    out: &mut Vec<u8>,
) -> anyhow::Result<()> {
    let args = job.args;
    let value = if args.has_similarities() {
        Value::Similarity(job.similarity(pair))
    } else {
        Value::Whole(pair.value)
    };
    let PairValue { query, target, .. } = pair;
    if args.format == PairsFormat::Mtx {
        mtx::write_entry(job.is_symmetric(), query, target, value, out)?;
        return Ok(());
    }
    let (a, b) = (job.query_label(query), job.target_label(target));
    let mut aligned = Fields::default();
    if let Some(alignment) = alignment {
        let (query, target) = job.strings(pair);
        let ops = alignment.ops(query, target)?;
        if args.format == PairsFormat::Paf {
            let line = PafAlignment {
                query: Named {
                    name: &a,
                    len: query.len(),
                },
                orientation: Orientation::default(),
                target: Named {
                    name: &b,
                    len: target.len(),
                },
                outside: [0; 2],
                start: alignment.piece().start,
                ops: &ops,
                has_cigar: args.path,
                has_cs: false,
                symbols: S::bytes(query).zip(S::bytes(target)).map(Into::into),
            };
            return line.write(out).context("cannot write a row");
        }
        aligned = Fields::new(alignment, &ops, args);
    }
    let row = Row {
        a,
        b,
        value,
        aligned,
    };
    match args.format {
        PairsFormat::Ndjson => json_line(&row, out),
        _ => write_tsv(&row, out).context("cannot write a row"),
    }
}

fn write_tsv(row: &Row<'_>, out: &mut Vec<u8>) -> io::Result<()> {
    write!(out, "{}\t{}\t{}", row.a, row.b, row.value)?;
    if let Some(counts) = &row.aligned.counts {
        write!(
            out,
            "\t{}\t{}\t{}\t{}",
            counts.substitutions, counts.deletions, counts.insertions, counts.matches
        )?;
    }
    if let Some(piece) = &row.aligned.piece {
        write!(out, "\t{}\t{}", piece.start, piece.end)?;
    }
    if let Some(cigar) = &row.aligned.cigar {
        write!(out, "\t{cigar}")?;
    }
    writeln!(out)
}
