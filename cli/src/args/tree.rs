//! The arguments of the commands that look for a best tree.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::FalseyValueParser;
use swath::parenthesization::{Method, Precision};

use super::compare::When;
use super::engine::{EngineArgs, one_of};
use crate::report::tree::TreeFormat;

#[derive(Debug, Args)]
pub struct ChainArgs {
    /// Dimensions, one more than matrices: 10 20 30; or shapes in order: A:10x20 B:20x30; or one file of either, or '-' for stdin
    #[arg(value_name = "DIMENSIONS", required = true)]
    pub numbers: Vec<OsString>,
    #[command(flatten)]
    pub call: TreeCallArgs,
}

#[derive(Debug, Args)]
pub struct PolygonArgs {
    /// File of the vertices in order, or '-' for stdin: a weight each, a triangle costing the product of its three
    #[arg(value_name = "FILE")]
    pub file: OsString,
    /// The file has two coordinates for each vertex; a triangle costs its perimeter
    #[arg(long, env = "SWATH_POINTS", value_parser = FalseyValueParser::new(), help_heading = "Input")]
    pub points: bool,
    #[command(flatten)]
    pub precision: PrecisionArgs,
    #[command(flatten)]
    pub call: TreeCallArgs,
}

#[derive(Debug, Args)]
pub struct BstArgs {
    /// File of the keys' probabilities or counts in order of the keys, or '-' for stdin
    #[arg(value_name = "FILE")]
    pub file: OsString,
    /// File of the gaps' probabilities or counts, one more than keys: before the first key, between keys, behind the last
    #[arg(
        long = "gap-weights",
        env = "SWATH_GAP_WEIGHTS",
        value_name = "FILE",
        help_heading = "Input"
    )]
    pub gaps: Option<OsString>,
    #[command(flatten)]
    pub precision: PrecisionArgs,
    #[command(flatten)]
    pub call: TreeCallArgs,
}

#[derive(Debug, Args)]
pub struct FoldArgs {
    /// FASTA or FASTQ file, or plain letters, or '-' for stdin; the sequence itself with --text
    #[arg(value_name = "FILE")]
    pub file: OsString,
    /// Take FILE as the sequence itself
    #[arg(long, env = "SWATH_TEXT", value_parser = FalseyValueParser::new(), help_heading = "Input")]
    pub text: bool,
    /// Record to take, by the first word of its header [default: the first record]
    #[arg(
        long,
        env = "SWATH_RECORD",
        value_name = "NAME",
        help_heading = "Input"
    )]
    pub record: Option<String>,
    /// Fewest bases between the two of a pair
    #[arg(
        long,
        env = "SWATH_LEAST_LOOP",
        value_name = "N",
        default_value_t = 3,
        help_heading = "Input"
    )]
    pub least_loop: usize,
    #[command(flatten)]
    pub call: TreeCallArgs,
}

/// What searches for trees of real weights are asked with.
#[derive(Clone, Copy, Debug, Args)]
pub struct PrecisionArgs {
    /// How precise a GPU is with real weights: exact, in double precision as on the CPU; f32, approximate, in single precision
    #[arg(long, env = "SWATH_PRECISION", value_parser = one_of(Precision::ALL, Precision::name), default_value = "exact", help_heading = "Engine")]
    pub precision: Precision,
}

/// What every search for a best tree is asked with.
#[derive(Debug, Args)]
pub struct TreeCallArgs {
    /// Write the tree to stdout (what people read then goes to stderr); with --json it goes into the object
    #[arg(long, env = "SWATH_TREE", value_enum, value_name = "FORMAT", num_args = 0..=1, default_missing_value = "text", help_heading = "Output")]
    pub tree: Option<TreeFormat>,
    /// Write the tree to FILE, as --tree says or else as text. An existing FILE is replaced, in one step when all is written, but
    /// never an input
    #[arg(
        short = 'o',
        long,
        env = "SWATH_OUTPUT",
        value_name = "FILE",
        help_heading = "Output"
    )]
    pub output: Option<PathBuf>,
    /// Print one JSON object: schema, problem, cost, in_order, saving, method, arithmetic, device, seconds, ...
    #[arg(long, env = "SWATH_JSON", value_parser = FalseyValueParser::new(), help_heading = "Output")]
    pub json: bool,
    /// Print the plan (method, tiles, passes, memory, expected time) in place of an answer
    #[arg(long, env = "SWATH_DRY_RUN", value_parser = FalseyValueParser::new(), help_heading = "Output")]
    pub dry_run: bool,
    /// Progress on stderr; auto shows it on a terminal
    #[arg(long, env = "SWATH_PROGRESS", value_enum, default_value_t = When::Auto, value_name = "WHEN", help_heading = "Output")]
    pub progress: When,

    /// How to compute; auto takes hu-shing where it applies, else tiled
    #[arg(long, env = "SWATH_METHOD", value_parser = one_of(Method::ALL, Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: Method,
    #[command(flatten)]
    pub engine: EngineArgs,
}
