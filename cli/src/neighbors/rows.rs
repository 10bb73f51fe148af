//! Rows of pairs.

use std::io::Write;

use anyhow::Context;
use serde::Serialize;
use swath::Symbol;
use swath::neighbors::Neighbor;

use crate::args::{NeighborsArgs, NeighborsFormat};
use crate::input::StringList;
use crate::lists::{Label, Output, Spool, json_line, mtx, npy};

#[derive(Serialize)]
struct Row<'a> {
    a: Label<'a>,
    b: Label<'a>,
    value: u32,
}

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
                    let [row, column] = [row, column].map(|position| position as usize);
                    return mtx::write_entry(is_one_list, row, column, distance, out);
                }
                let mut numbers = [row, column, distance].into_iter();
                numbers.try_for_each(|number| out.write_all(&number.to_le_bytes()))
            });
        }
        let list = |index: usize| self.lists[index.min(self.lists.len() - 1)];
        let label =
            |index, position: u32| Label::of(list(index), position as usize, self.args.positions);
        let row = Row {
            a: label(0, row),
            b: label(1, column),
            value: distance,
        };
        if self.args.format == NeighborsFormat::Ndjson {
            json_line(&row, &mut out.buffer)?;
        } else {
            writeln!(out.buffer, "{}\t{}\t{}", row.a, row.b, row.value)
                .context("cannot write a row")?;
        }
        out.advance()
    }

    /// Writes what stands after the last pair.
    pub fn end(mut self, out: &mut Output<'_>) -> anyhow::Result<()> {
        let (is_symmetric, count) = (self.is_one_list(), self.count);
        let Some(spool) = &mut self.spool else {
            return Ok(());
        };
        out.buffer
            .extend(if self.args.format == NeighborsFormat::Npy {
                npy::header("<u4", &[count, 3], None)
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
