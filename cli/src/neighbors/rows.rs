//! Rows of pairs.

use std::io::Write;

use anyhow::Context;
use serde::Serialize;
use swath::Symbol;
use swath::neighbors::Neighbor;

use crate::args::{NeighborsArgs, NeighborsFormat};
use crate::input::StringList;
use crate::lists::{Label, Output, Spool, npy};

#[derive(Serialize)]
struct Row<'a> {
    a: Label<'a>,
    b: Label<'a>,
    value: u32,
}

/// Writes a row for each pair.
pub struct Rows<'a, S: Symbol> {
    args: &'a NeighborsArgs,
    /// One list, or two.
    lists: &'a [&'a StringList<S>],
    /// Entries of the formats whose number of entries stands before them.
    spool: Option<Spool>,
    count: u64,
}

impl<'a, S: Symbol> Rows<'a, S> {
    pub fn new(args: &'a NeighborsArgs, lists: &'a [&'a StringList<S>]) -> anyhow::Result<Self> {
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

    /// Writes pairs.
    pub fn write(&mut self, pairs: &[Neighbor], out: &mut Output<'_>) -> anyhow::Result<()> {
        self.count += pairs.len() as u64;
        pairs.iter().try_for_each(|&pair| self.row(pair, out))
    }

    fn row(&mut self, pair: Neighbor, out: &mut Output<'_>) -> anyhow::Result<()> {
        let Neighbor {
            row,
            column,
            distance,
        } = pair;
        let is_one_list = self.is_one_list();
        if let Some(spool) = &mut self.spool {
            let is_matrix = self.args.format == NeighborsFormat::Mtx;
            return spool.write(|out| {
                if is_matrix {
                    // Of a symmetric matrix the lower triangle stands for both.
                    let (row, column) = if is_one_list {
                        (column, row)
                    } else {
                        (row, column)
                    };
                    let [row, column] = [row, column].map(|place| u64::from(place) + 1);
                    writeln!(out, "{row} {column} {distance}")
                } else {
                    [row, column, distance]
                        .iter()
                        .try_for_each(|number| out.write_all(&number.to_le_bytes()))
                }
            });
        }
        let list = |index: usize| self.lists[index.min(self.lists.len() - 1)];
        let label = |index, place: u32| Label::of(list(index), place as usize, self.args.positions);
        let row = Row {
            a: label(0, row),
            b: label(1, column),
            value: distance,
        };
        if self.args.format == NeighborsFormat::Ndjson {
            serde_json::to_writer(&mut out.buffer, &row).context("cannot write a row")?;
            out.buffer.push(b'\n');
        } else {
            writeln!(out.buffer, "{}\t{}\t{}", row.a, row.b, row.value)
                .context("cannot write a row")?;
        }
        out.advance()
    }

    /// Writes what stands after the last pair.
    pub fn end(mut self, out: &mut Output<'_>) -> anyhow::Result<()> {
        let (is_one_list, count) = (self.is_one_list(), self.count);
        let lens: Vec<usize> = self.lists.iter().map(|list| list.strings.len()).collect();
        let Some(spool) = &mut self.spool else {
            return Ok(());
        };
        if self.args.format == NeighborsFormat::Npy {
            out.buffer.extend(npy::header("<u4", &[count, 3], None));
        } else {
            let symmetry = if is_one_list { "symmetric" } else { "general" };
            writeln!(
                out.buffer,
                "%%MatrixMarket matrix coordinate integer {symmetry}\n{} {} {count}",
                lens[0],
                lens[lens.len() - 1]
            )?;
        }
        spool.copy_to(out)
    }
}
