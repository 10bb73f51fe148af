//! Arguments of `swath pairs`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use swath::edit_distance::Mode;
use swath::pairs::Measure;

use super::engine::{EngineArgs, one_of, whole_number};
use super::rows::{LabelArgs, ResumeArgs};
use super::strings::{StringArgs, parse_shard};

#[derive(Debug, Args)]
#[command(
    mut_arg("output", |output| output.help(
        "Write the values to FILE, or to stdout for '-'. They are in FILE.part until all are there; \
         an existing FILE is then replaced atomically. An input is never overwritten"
    )),
    mut_arg("positions", |positions| positions.help(
        "Print positions from 0 instead of names of records, as --show positions; --list has positions too"
    )),
    mut_arg("json", |json| json.help(
        "With --output, print the summary as one JSON object: schema, pairs, rows, method, device, ..."
    )),
    mut_arg("dry_run", |dry_run| dry_run.help(
        "Print the plan (method, passes, memory, expected time) without computing"
    ))
)]
pub struct PairsArgs {
    /// Queries: a file (plain, gzip or zstd) of records or lines, or '-' for stdin
    #[arg(value_name = "Q")]
    pub queries: OsString,
    /// Targets [default: every pair of queries once]
    #[arg(value_name = "T")]
    pub targets: Option<OsString>,

    #[command(flatten)]
    pub strings: StringArgs,

    /// Compare the first query with the first target, the second with the second, and so on
    #[arg(long, requires = "targets", help_heading = "Pairs")]
    pub zip: bool,
    /// Compare the pairs that FILE names, a query and a target on each line: names of records, or
    /// positions of lines from 0
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "zip",
        help_heading = "Pairs"
    )]
    pub list: Option<OsString>,
    /// Compute only part I of N about equal parts, from 0; the rows of all parts in order are those
    /// of the whole
    #[arg(long, value_name = "I/N", value_parser = parse_shard, help_heading = "Pairs")]
    pub shard: Option<(u64, u64)>,

    /// Value of a pair: edit distance; distance by insertions and deletions only; length of the
    /// longest common subsequence; positions that differ; edits and exchanges of neighbours (optimal
    /// string alignment); Jaro or Jaro-Winkler similarity; or a ratio of rapidfuzz, from 0 to 100: of
    /// insertions and deletions, of the best substring, of sorted or of common tokens
    #[arg(long, value_parser = one_of(Measure::ALL, Measure::name), default_value = "edit", help_heading = "Problem")]
    pub measure: Measure,
    /// Part of the target to compare: all of it, its best prefix, or its best substring
    #[arg(long, value_parser = one_of(Mode::ALL, Mode::name), default_value = "global", help_heading = "Problem")]
    pub mode: Mode,
    /// Maximum distance; pairs that are farther apart are left out, and are MAX + 1 in matrices
    #[arg(
        short = 'k',
        long,
        value_name = "MAX",
        value_parser = whole_number::<u64>(0, u64::MAX),
        allow_negative_numbers = true,
        help_heading = "Problem"
    )]
    pub max_distance: Option<u64>,
    /// Keep the N best targets of each query; of equal ones those that come first
    #[arg(long, value_name = "N", value_parser = whole_number::<u32>(1, u32::MAX.into()), help_heading = "Problem")]
    pub top: Option<u32>,
    /// Keep pairs of at least this similarity, from 0 to 1, for ratios to 100
    #[arg(long, value_name = "S", value_parser = parse_similarity, help_heading = "Problem")]
    pub at_least: Option<f64>,

    /// Print similarities from 0 to 1 instead of distances and lengths
    #[arg(long, help_heading = "Output")]
    pub normalized: bool,
    /// Add the numbers of substitutions, deletions, insertions and matches
    #[arg(long, help_heading = "Output")]
    pub counts: bool,
    /// Add the alignment as a CIGAR with = and X; in the modes prefix and infix after its start and
    /// end in the target
    #[arg(long, help_heading = "Output")]
    pub path: bool,
    #[command(flatten)]
    pub labels: LabelArgs,
    /// Format of the values
    #[arg(long, default_value = "tsv", help_heading = "Output")]
    pub format: PairsFormat,
    #[command(flatten)]
    pub output: ResumeArgs,

    #[command(flatten)]
    pub engine: EngineArgs,
}

#[derive(Debug, Args)]
pub struct JoinArgs {
    /// Files of all parts
    #[arg(value_name = "PART", required = true)]
    pub parts: Vec<PathBuf>,
    /// Write to FILE, or to stdout for '-'. An existing FILE is replaced atomically; a part is never
    /// overwritten
    #[arg(short = 'o', long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PairsFormat {
    /// A line for each pair: query, target, value, and what else is asked for
    Tsv,
    /// A JSON object on a line for each pair
    Ndjson,
    /// A PAF line for each pair, with cg:Z: in = and X if --path is given
    Paf,
    /// Dense NumPy array of the smallest unsigned type: queries by targets, or one value a pair for
    /// --zip and --list
    Npy,
    /// Matrix Market coordinates, positions from 1
    Mtx,
    /// Square distance matrix of one file, with names
    Phylip,
}

impl PairsArgs {
    pub fn has_similarities(&self) -> bool {
        self.normalized || self.measure.is_fraction()
    }
}

impl PairsFormat {
    /// True if values of all pairs are written.
    pub fn is_dense(self) -> bool {
        matches!(self, Self::Npy | Self::Phylip)
    }
}

fn parse_similarity(text: &str) -> Result<f64, String> {
    let similarity = text.trim().parse().ok();
    let similarity = similarity.filter(|similarity| (0.0..=100.0).contains(similarity));
    similarity.ok_or_else(|| "not a number from 0 to 1, for ratios to 100".into())
}
