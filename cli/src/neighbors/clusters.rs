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
    size: u64,
}

#[derive(Serialize)]
struct Cluster<'a> {
    representative: Label<'a>,
    size: u64,
    members: Vec<Label<'a>>,
}

pub fn write<S: Symbol>(
    args: &NeighborsArgs,
    list: &StringList<S>,
    answer: &ClusterList,
    out: &mut Output<'_>,
) -> anyhow::Result<()> {
    let label = |position: usize| Label::of(list, position, args.labels.show());
    let representative = |cluster: u32| label(answer.representatives[cluster as usize] as usize);
    let size = |cluster: u32| answer.sizes[cluster as usize];
    if args.members {
        let cluster_of = |&position: &usize| answer.clusters[position];
        let mut positions: Vec<usize> = (0..answer.clusters.len()).collect();
        positions.sort_by_key(cluster_of);
        for members in positions.chunk_by(|a, b| cluster_of(a) == cluster_of(b)) {
            let cluster = cluster_of(&members[0]);
            let row = Cluster {
                representative: representative(cluster),
                size: size(cluster),
                members: members.iter().copied().map(label).collect(),
            };
            row.write(args.format, out)?;
            out.advance()?;
        }
        return Ok(());
    }
    if args.format == NeighborsFormat::Npy {
        let shape = [answer.clusters.len() as u64];
        out.buffer.extend(npy::header("<u4", &shape, None));
    }
    for (position, &cluster) in answer.clusters.iter().enumerate() {
        let row = Row {
            string: label(position),
            cluster,
            representative: representative(cluster),
            size: size(cluster),
        };
        match args.format {
            NeighborsFormat::Npy => out.buffer.extend(cluster.to_le_bytes()),
            NeighborsFormat::Ndjson => json_line(&row, &mut out.buffer)?,
            NeighborsFormat::Tsv | NeighborsFormat::Mtx => {
                let Row {
                    string,
                    cluster,
                    representative,
                    size,
                } = row;
                writeln!(out.buffer, "{string}\t{cluster}\t{representative}\t{size}")
                    .context("cannot write a row")?;
            }
        }
        out.advance()?;
    }
    Ok(())
}

impl Cluster<'_> {
    fn write(&self, format: NeighborsFormat, out: &mut Output<'_>) -> anyhow::Result<()> {
        if format == NeighborsFormat::Ndjson {
            return json_line(self, &mut out.buffer);
        }
        let members: Vec<_> = self.members.iter().map(Label::to_string).collect();
        let (representative, size, members) = (self.representative, self.size, members.join(","));
        writeln!(out.buffer, "{representative}\t{size}\t{members}").context("cannot write a row")
    }
}
