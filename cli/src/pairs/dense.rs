//! Formats with a value for each pair: NumPy arrays and PHYLIP matrices.

use std::io::Write;

use swath::Symbol;
use swath::pairs::{PairBlock, Values};

use super::{Form, Job, Written};
use crate::lists::{Output, npy};

/// NumPy array, format 1.0.
pub struct Npy<'a, S: Symbol> {
    job: &'a Job<'a, S>,
    has_header: bool,
}

impl<'a, S: Symbol> Npy<'a, S> {
    pub fn new(job: &'a Job<'a, S>, out: &Output<'_>) -> Self {
        Self {
            job,
            has_header: out.resumed().is_some(),
        }
    }

    /// Writes the header once.
    fn header(&mut self, kind: &'static str, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.has_header, true) {
            let shape = self.job.shape();
            out.extend(npy::header(kind, &shape, self.job.place()));
        }
    }
}

impl<S: Symbol> Form for Npy<'_, S> {
    type Block<'b> = PairBlock<'b>;

    fn block(&mut self, block: &PairBlock<'_>, out: &mut Output<'_>) -> anyhow::Result<Written> {
        if self.job.args.normalized {
            self.header("<f4", &mut out.buffer);
            for (pair, value) in (block.first()..).zip(block.values().iter()) {
                let similarity = self.job.similarity_at(pair, value) as f32;
                out.buffer.extend(similarity.to_le_bytes());
                out.advance()?;
            }
            return written(block, out);
        }
        match block.values() {
            Values::U8(values) => {
                self.header("|u1", &mut out.buffer);
                out.buffer.extend(values);
            }
            Values::U16(values) => {
                self.header("<u2", &mut out.buffer);
                for value in values {
                    out.buffer.extend(value.to_le_bytes());
                    out.advance()?;
                }
            }
            values => {
                self.header("<u4", &mut out.buffer);
                for value in values.iter() {
                    out.buffer.extend(value.to_le_bytes());
                    out.advance()?;
                }
            }
        }
        written(block, out)
    }

    fn end(&mut self, out: &mut Output<'_>) -> anyhow::Result<u64> {
        let kind = if self.job.args.normalized {
            "<f4"
        } else {
            "|u1"
        };
        self.header(kind, &mut out.buffer);
        Ok(self.job.shape()[0])
    }
}

fn written(block: &PairBlock<'_>, out: &mut Output<'_>) -> anyhow::Result<Written> {
    out.advance()?;
    Ok(Written {
        next: block.first() + block.values().len() as u64,
        rows: 0,
    })
}

/// PHYLIP distance matrix: the number of strings, and a row for each with its name first.
pub struct Phylip<'a, S: Symbol> {
    job: &'a Job<'a, S>,
}

impl<'a, S: Symbol> Phylip<'a, S> {
    pub fn new(job: &'a Job<'a, S>, out: &mut Output<'_>) -> anyhow::Result<Self> {
        if job.positions.start == 0 && out.resumed().is_none() {
            writeln!(out.buffer, "{}", job.queries.strings.len())?;
        }
        Ok(Self { job })
    }
}

impl<S: Symbol> Form for Phylip<'_, S> {
    type Block<'b> = PairBlock<'b>;

    fn block(&mut self, block: &PairBlock<'_>, out: &mut Output<'_>) -> anyhow::Result<Written> {
        let count = self.job.queries.strings.len() as u64;
        for (pair, value) in (block.first()..).zip(block.values().iter()) {
            let (row, column) = (pair / count, pair % count);
            if column == 0 {
                let name = self.job.query_label(row as usize).to_string();
                write!(out.buffer, "{:<10}", name.replace(' ', "_"))?;
            }
            write!(out.buffer, " {value}")?;
            if column + 1 == count {
                out.buffer.push(b'\n');
            }
            out.advance()?;
        }
        written(block, out)
    }

    fn end(&mut self, _: &mut Output<'_>) -> anyhow::Result<u64> {
        Ok(self.job.queries.strings.len() as u64)
    }
}
