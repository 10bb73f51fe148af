//! Arguments of `swath neighbors`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use swath::pairs::Measure;

use super::engine::{EngineArgs, one_of, whole_number};
use super::rows::{LabelArgs, RowArgs};
use super::strings::{StringArgs, parse_shard};
use super::turn::Strand;

#[derive(Debug, Args)]
#[command(mut_arg("dry_run", |dry_run| dry_run.help(
    "Print the plan, with numbers of pairs and candidates from a sample, without computing"
)))]
pub struct NeighborsArgs {
    /// A file (plain, gzip or zstd) of records or lines, or '-' for stdin
    #[arg(value_name = "A")]
    pub a: OsString,
    /// Another file: pairs of a string of A and one of B [default: every pair of A once]
    #[arg(value_name = "B")]
    pub b: Option<OsString>,

    #[command(flatten)]
    pub strings: StringArgs,
    /// Abundance of each string, for --clusters [default: 1; equal strings count together]
    #[arg(
        long,
        value_name = "WHERE",
        requires = "clusters",
        help_heading = "Input"
    )]
    pub counts: Option<Abundance>,
    /// Compare only strings with an equal key: column COLUMN of each line, or several such as 1,3.
    /// Columns are between tabs, from 1, without the one of --counts
    #[arg(
        long,
        value_name = "COLUMN",
        value_delimiter = ',',
        value_parser = whole_number::<usize>(1, u64::MAX),
        help_heading = "Input"
    )]
    pub by: Vec<usize>,
    /// Column of the string [default: with --by the first column without a key, else the whole line]
    #[arg(
        long,
        value_name = "COLUMN",
        value_parser = whole_number::<usize>(1, u64::MAX),
        help_heading = "Input"
    )]
    pub column: Option<usize>,

    /// Distance: edits; positions that differ; or edits and exchanges of neighbours (optimal string
    /// alignment), which takes as long as twice the edits
    #[arg(long, value_parser = one_of([Measure::Edit, Measure::Hamming, Measure::Osa], Measure::name), default_value = "edit", help_heading = "Problem")]
    pub measure: Measure,
    /// Maximum distance; 0 for equal strings
    #[arg(
        short = 'k',
        long,
        value_name = "MAX",
        value_parser = whole_number::<u64>(0, u64::MAX),
        allow_negative_numbers = true,
        help_heading = "Problem"
    )]
    pub max_distance: u64,
    /// Strands of DNA: forward, or both: the nearer one of a string and its reverse complement, which
    /// the last column of pairs tells
    #[arg(long, default_value = "forward", help_heading = "Problem")]
    pub strand: Strand,
    /// Print the cluster of each string instead of the pairs
    #[arg(
        long,
        value_name = "METHOD",
        conflicts_with = "b",
        help_heading = "Problem"
    )]
    pub clusters: Option<ClusterMethod>,
    /// Find only the pairs of part I of N, from 0: those with an N-th of the distinct strings of B
    /// (else A), so that a part indexes an N-th; `swath join` merges the files of all parts
    #[arg(long, value_name = "I/N", value_parser = parse_shard, conflicts_with = "clusters", help_heading = "Problem")]
    pub shard: Option<(u64, u64)>,

    #[command(flatten)]
    pub labels: LabelArgs,
    /// Print a row for each cluster instead of each string: representative, size, and the members
    #[arg(long, requires = "clusters", help_heading = "Output")]
    pub members: bool,
    /// Format of the rows
    #[arg(long, default_value = "tsv", help_heading = "Output")]
    pub format: NeighborsFormat,
    #[command(flatten)]
    pub rows: RowArgs,

    #[command(flatten)]
    pub engine: EngineArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NeighborsFormat {
    /// A line for each pair: two strings and their distance; or for each string: its cluster, and
    /// the representative and the size of the cluster, the sum of the abundances
    Tsv,
    /// A JSON object on a line for each pair or string
    Ndjson,
    /// NumPy array of 32-bit numbers: row, column and distance of each pair by positions from 0; or
    /// the cluster of each string
    Npy,
    /// Matrix Market coordinates of the pairs, positions from 1, and distances; not their strands
    Mtx,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClusterMethod {
    /// Connected by a chain of pairs
    Components,
    /// Connected from abundant to at most half as abundant ones, as UMI-tools does
    Directional,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Abundance {
    /// The annotation 'size=N' in names of records, as VSEARCH writes it
    Size,
    /// A number before the string, as `uniq -c` prints it
    First,
    /// A number behind the string
    Last,
}
