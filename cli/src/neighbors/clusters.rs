//! Rows of clusters.

use std::io::Write;

use anyhow::Context;
use serde::Serialize;
use swath::Symbol;
use swath::neighbors::ClusterList;

use crate::args::{NeighborsArgs, NeighborsFormat};
use crate::input::StringList;
use crate::lists::{Label, Output, json_line, npy};

#[derive(Serialize)]
struct Row<'a> {
    string: Label<'a>,
    cluster: u32,
    representative: Label<'a>,
}

pub fn write<S: Symbol>(
    args: &NeighborsArgs,
    list: &StringList<S>,
    answer: &ClusterList,
    out: &mut Output<'_>,
) -> anyhow::Result<()> {
    if args.format == NeighborsFormat::Npy {
        let shape = [answer.clusters.len() as u64];
        out.buffer.extend(npy::header("<u4", &shape, None));
    }
    for (position, &cluster) in answer.clusters.iter().enumerate() {
        let representative = answer.representatives[cluster as usize] as usize;
        let label = |position| Label::of(list, position, args.positions);
        let row = Row {
            string: label(position),
            cluster,
            representative: label(representative),
        };
        match args.format {
            NeighborsFormat::Npy => out.buffer.extend(cluster.to_le_bytes()),
            NeighborsFormat::Ndjson => json_line(&row, &mut out.buffer)?,
            NeighborsFormat::Tsv | NeighborsFormat::Mtx => {
                let Row {
                    string,
                    cluster,
                    representative,
                } = row;
                writeln!(out.buffer, "{string}\t{cluster}\t{representative}")
                    .context("cannot write a row")?;
            }
        }
        out.advance()?;
    }
    Ok(())
}
