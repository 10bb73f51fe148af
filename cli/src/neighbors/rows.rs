//! Rows of pairs.

use std::io::Write;

use anyhow::Context;
use serde::Serialize;
use swath::Symbol;
use swath::neighbors::Neighbor;

use crate::args::{NeighborsArgs, NeighborsFormat, Strand};
use crate::input::StringList;
use crate::lists::{Label, Output, SortedPart, Spool, json_line, mtx, npy};

#[derive(Serialize)]
struct Row<'a> {
    a: Label<'a>,
    b: Label<'a>,
    value: u32,
    /// `None` if only forward strands are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    strand: Option<&'static str>,
}

pub struct Rows<'a, S: Symbol> {
    args: &'a NeighborsArgs,
    /// One list, or two.
    lists: &'a [StringList<S>],
    /// Entries of the formats whose number of entries stands before them.
    spool: Option<Spool>,
    count: u64,
}

impl<'a, S: Symbol> Rows<'a, S> {
    pub fn new(args: &'a NeighborsArgs, lists: &'a [StringList<S>]) -> anyhow::Result<Self> {
        let spool = match args.format {
            NeighborsFormat::Npy => Some(Spool::new("npy")?),
            NeighborsFormat::Mtx => Some(Spool::new("mtx")?),
            _ => None,
        };
        Ok(Self {
            args,
            lists,
            spool,
            count: 0,
        })
    }

    fn is_one_list(&self) -> bool {
        self.lists.len() == 1
    }

    fn has_strands(&self) -> bool {
        self.args.strand == Strand::Both
    }

    pub fn write(&mut self, pairs: &[Neighbor], out: &mut Output<'_>) -> anyhow::Result<()> {
        self.count += pairs.len() as u64;
        pairs.iter().try_for_each(|&pair| self.row(pair, out))
    }

    fn row(&mut self, pair: Neighbor, out: &mut Output<'_>) -> anyhow::Result<()> {
        let Neighbor {
            row,
            column,
            distance,
            strand,
        } = pair;
        let (is_one_list, has_strands) = (self.is_one_list(), self.has_strands());
        if let Some(spool) = &mut self.spool {
            let is_matrix = self.args.format == NeighborsFormat::Mtx;
            return spool.write(|out| {
                if is_matrix {
                    let [row, column] = [row, column].map(|position| position as usize);
                    return mtx::write_entry(is_one_list, row, column, distance, out);
                }
                let numbers = [row, column, distance, strand as u32].into_iter();
                let mut numbers = numbers.take(3 + usize::from(has_strands));
                numbers.try_for_each(|number| out.write_all(&number.to_le_bytes()))
            });
        }
        let list = |index: usize| &self.lists[index.min(self.lists.len() - 1)];
        let label = |index, position: u32| {
            Label::of(list(index), position as usize, self.args.labels.show())
        };
        if self.args.shard.is_some() {
            write!(out.buffer, "{row}\t{column}\t").context("cannot write a row")?;
        }
        let row = Row {
            a: label(0, row),
            b: label(1, column),
            value: distance,
            strand: has_strands.then(|| strand.name()),
        };
        if self.args.format == NeighborsFormat::Ndjson {
            json_line(&row, &mut out.buffer)?;
        } else {
            let strand = row
                .strand
                .map_or(String::new(), |strand| format!("\t{strand}"));
            writeln!(out.buffer, "{}\t{}\t{}{strand}", row.a, row.b, row.value)
                .context("cannot write a row")?;
        }
        out.advance()
    }

    pub fn end(mut self, out: &mut Output<'_>) -> anyhow::Result<()> {
        let (is_symmetric, count) = (self.is_one_list(), self.count);
        let columns = 3 + u64::from(self.has_strands());
        if self.args.shard.is_some() {
            out.buffer.extend(SortedPart::end_line(count).into_bytes());
        }
        let Some(spool) = &mut self.spool else {
            return Ok(());
        };
        out.buffer
            .extend(if self.args.format == NeighborsFormat::Npy {
                npy::header("<u4", &[count, columns], None)
            } else {
                let lens = self.lists.iter().map(|list| list.strings.len() as u64);
                let lens: Vec<_> = lens.collect();
                let head = mtx::Head {
                    is_real: false,
                    is_symmetric,
                    rows: lens[0],
                    columns: lens[lens.len() - 1],
                    range: None,
                    count,
                };
                head.text(count).into_bytes()
            });
        spool.copy_to(out)
    }
}
