//! Arguments of the commands that search for an optimal tree.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use swath::parenthesization::{Method, Precision};

use super::engine::ProgressArgs;
use super::engine::{EngineArgs, one_of, whole_number};

#[derive(Debug, Args)]
pub struct ChainArgs {
    /// Dimensions, one more than matrices (10 20 30), or shapes in order (A:10x20 B:20x30), or one
    /// file of either, or '-' for stdin
    #[arg(value_name = "DIMENSIONS", required = true)]
    pub numbers: Vec<OsString>,
    #[command(flatten)]
    pub call: TreeCallArgs,
}

#[derive(Debug, Args)]
pub struct PolygonArgs {
    /// File of the vertices in order, or '-' for stdin: one weight each; a triangle costs the
    /// product of its three weights
    #[arg(value_name = "FILE")]
    pub file: OsString,
    /// Read two coordinates per vertex; a triangle costs its perimeter
    #[arg(long, help_heading = "Input")]
    pub points: bool,
    #[command(flatten)]
    pub precision: PrecisionArgs,
    #[command(flatten)]
    pub call: TreeCallArgs,
}

#[derive(Debug, Args)]
pub struct BstArgs {
    /// File of the probabilities or counts of the keys, in order, or '-' for stdin
    #[arg(value_name = "FILE")]
    pub file: OsString,
    /// File of the probabilities or counts of the gaps, one more than keys: before the first key,
    /// between keys, after the last
    #[arg(long = "gap-weights", value_name = "FILE", help_heading = "Input")]
    pub gaps: Option<OsString>,
    #[command(flatten)]
    pub precision: PrecisionArgs,
    #[command(flatten)]
    pub call: TreeCallArgs,
}

#[derive(Debug, Args)]
pub struct FoldArgs {
    /// FASTA or FASTQ file, plain letters, or '-' for stdin; the sequence itself with --text
    #[arg(value_name = "FILE")]
    pub file: OsString,
    /// Read FILE as the sequence itself
    #[arg(long, help_heading = "Input")]
    pub text: bool,
    /// Record, by the first word of its header [default: the first record]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub record: Option<String>,
    /// Minimum number of bases between the two bases of a pair
    #[arg(
        long,
        value_name = "N",
        default_value_t = 3,
        value_parser = whole_number::<usize>(0, usize::MAX as u64),
        help_heading = "Input"
    )]
    pub least_loop: usize,
    #[command(flatten)]
    pub call: TreeCallArgs,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct PrecisionArgs {
    /// Precision of real weights on a GPU: exact is double precision as on the CPU, f32 is
    /// approximate single precision
    #[arg(long, value_parser = one_of(Precision::ALL, Precision::name), default_value = "exact", help_heading = "Engine")]
    pub precision: Precision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TreeFormat {
    /// Notation of the problem: ((A1 A2) A3), triangles, keys between their subtrees, or brackets
    /// for pairs
    Text,
    /// Graphviz graph
    Dot,
    /// JSON object: the inner nodes in preorder, each [start, split, end] of leaves from 0, end
    /// exclusive; split is null for a pair
    Json,
}

#[derive(Debug, Args)]
pub struct TreeCallArgs {
    /// Print the tree to stdout, and the summary to stderr; with --json add it to the object
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, default_missing_value = "text", help_heading = "Output")]
    pub tree: Option<TreeFormat>,
    /// Write the tree to FILE, in the format of --tree or as text. An existing FILE is replaced
    /// atomically; an input is never overwritten
    #[arg(short = 'o', long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Print one JSON object: schema, problem, cost, in_order, saving, method, arithmetic, device,
    /// seconds, ...
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print the plan (method, tiles, passes, memory, expected time) without computing
    #[arg(long, help_heading = "Output")]
    pub dry_run: bool,
    #[command(flatten)]
    pub progress: ProgressArgs,

    /// Method; auto chooses hu-shing if it applies, else tiled
    #[arg(long, value_parser = one_of(Method::ALL, Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: Method,
    #[command(flatten)]
    pub engine: EngineArgs,
}
