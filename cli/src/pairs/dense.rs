//! Formats with a value for each pair: NumPy arrays and PHYLIP matrices.

use std::io::Write;

use swath::Symbol;
use swath::pairs::{PairBlock, Values};

use super::job::Job;
use crate::args::PairsFormat;
use crate::lists::{Output, npy};

/// NumPy array; or PHYLIP matrix: the number of strings, and a row for each with its name first.
pub struct Dense<'a, S: Symbol> {
    job: &'a Job<'a, S>,
    is_phylip: bool,
    /// Set once the header of an array is written.
    has_header: bool,
}

impl<'a, S: Symbol> Dense<'a, S> {
    pub fn new(job: &'a Job<'a, S>, out: &mut Output<'_>) -> anyhow::Result<Self> {
        let is_phylip = job.args.format == PairsFormat::Phylip;
        let is_resumed = out.resumed().is_some();
        if is_phylip && job.positions.start == 0 && !is_resumed {
            writeln!(out.buffer, "{}", job.queries.strings.len())?;
        }
        Ok(Self {
            job,
            is_phylip,
            has_header: is_resumed,
        })
    }

    fn header(&mut self, kind: &'static str, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.has_header, true) {
            out.extend(npy::header(kind, &self.job.shape(), self.job.range()));
        }
    }

    fn write_array(&mut self, block: &PairBlock<'_>, out: &mut Output<'_>) -> anyhow::Result<()> {
        if self.job.args.has_similarities() {
            self.header("<f4", &mut out.buffer);
            for (pair, value) in (block.first()..).zip(block.values().iter()) {
                let similarity = self.job.similarity_at(pair, value) as f32;
                out.buffer.extend(similarity.to_le_bytes());
                out.advance()?;
            }
            return Ok(());
        }
        match block.values() {
            Values::U8(values) => {
                self.header("|u1", &mut out.buffer);
                out.put(values)?;
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
        Ok(())
    }

    fn write_phylip(&self, block: &PairBlock<'_>, out: &mut Output<'_>) -> anyhow::Result<()> {
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
        Ok(())
    }

    pub fn take(&mut self, block: &PairBlock<'_>, out: &mut Output<'_>) -> anyhow::Result<()> {
        if self.is_phylip {
            self.write_phylip(block, out)?;
        } else {
            self.write_array(block, out)?;
        }
        out.advance()?;
        let next = block.first() + block.values().len() as u64;
        self.job.checkpoint(next, 0, out)
    }

    /// Writes the header of an empty array. Returns the number of rows.
    pub fn end(&mut self, out: &mut Output<'_>) -> anyhow::Result<u64> {
        if self.is_phylip {
            return Ok(self.job.queries.strings.len() as u64);
        }
        let kind = if self.job.args.has_similarities() {
            "<f4"
        } else {
            "|u1"
        };
        self.header(kind, &mut out.buffer);
        Ok(self.job.shape()[0])
    }
}
