//! Arguments of `swath search`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};
use swath::search::{Choice, Strands};

use super::engine::{EngineArgs, one_of, whole_number};
use super::matching::MatchingArgs;
use super::rows::{LabelArgs, ResumeArgs};
use super::strings::{StringArgs, parse_shard};

#[derive(Debug, Args)]
#[command(
    mut_arg("resume", |resume| resume.help(
        "Go on after the last whole text of a killed or failed run of the same call; without one, begin"
    )),
    mut_arg("json", |json| json.help(
        "With --output, print the summary as one JSON object: schema, places, method, device, ..."
    ))
)]
pub struct SearchArgs {
    /// Patterns: a file (plain, gzip or zstd) of records or lines, or '-' for stdin
    #[arg(value_name = "PATTERNS")]
    pub patterns: OsString,
    /// Texts that are searched
    #[arg(value_name = "TEXTS")]
    pub texts: OsString,

    #[command(flatten)]
    pub strings: StringArgs,

    /// Maximum number of insertions, deletions and substitutions; less than the length of each
    /// pattern
    #[arg(
        short = 'k',
        long,
        value_name = "MAX",
        value_parser = whole_number::<u64>(0, u64::MAX),
        allow_negative_numbers = true,
        help_heading = "Problem"
    )]
    pub max_distance: u64,
    /// Strands of the patterns; positions are always those of the texts as given
    #[arg(long, value_parser = one_of(Strands::ALL, Strands::name), default_value = "forward", help_heading = "Problem")]
    pub strand: Strands,
    /// Rows: every end within -k; the local minima among them, one for each occurrence; or the best
    /// ones of each pattern in each text
    #[arg(long, value_parser = one_of(Choice::ALL, Choice::name), default_value = "minima", help_heading = "Problem")]
    pub all: Choice,
    /// Maximum number of substitutions, besides -k
    #[arg(
        long,
        value_name = "N",
        value_parser = whole_number::<u64>(0, u64::MAX),
        allow_negative_numbers = true,
        help_heading = "Problem"
    )]
    pub max_substitutions: Option<u64>,
    /// Maximum number of insertions and deletions, besides -k
    #[arg(
        long,
        value_name = "N",
        value_parser = whole_number::<u64>(0, u64::MAX),
        allow_negative_numbers = true,
        help_heading = "Problem"
    )]
    pub max_gaps: Option<u64>,
    /// Substitutions only: rows have Hamming distances, as with --max-gaps 0
    #[arg(long, conflicts_with = "max_gaps", help_heading = "Problem")]
    pub hamming: bool,
    /// Patterns may stick out of the ends of texts, as adapters do: each symbol outside costs COST of
    /// an edit, such as 0.5, and the sum of a side is rounded down
    #[arg(
        long,
        value_name = "COST",
        value_parser = parse_overhang,
        allow_negative_numbers = true,
        help_heading = "Problem"
    )]
    pub overhang: Option<u32>,
    /// The last N symbols of each pattern match without an edit
    #[arg(long, value_name = "N", value_parser = whole_number::<u32>(1, u32::MAX.into()), conflicts_with = "exact_head", help_heading = "Problem")]
    pub exact_tail: Option<u32>,
    /// The first N symbols of each pattern match without an edit
    #[arg(long, value_name = "N", value_parser = whole_number::<u32>(1, u32::MAX.into()), help_heading = "Problem")]
    pub exact_head: Option<u32>,
    /// Letters of DNA that follow each place on the strand of the pattern, such as NGG; N and the
    /// other IUPAC letters match what they stand for
    #[arg(
        long,
        value_name = "MOTIF",
        conflicts_with = "exact_head",
        help_heading = "Problem"
    )]
    pub pam: Option<String>,
    #[command(flatten)]
    pub matching: MatchingArgs,
    /// Search only part I of N of the texts, of about equal length, from 0; the rows of all parts in
    /// order are those of the whole
    #[arg(long, value_name = "I/N", value_parser = parse_shard, help_heading = "Problem")]
    pub shard: Option<(u64, u64)>,

    /// Add the alignment as a CIGAR with = and X, along the text
    #[arg(long, help_heading = "Output")]
    pub path: bool,
    /// Print the number of places of each pattern instead of the places
    #[arg(long, help_heading = "Output")]
    pub count: bool,
    #[command(flatten)]
    pub labels: LabelArgs,
    /// Format of the rows, which are sorted by text, start and end; in sam and bam by pattern, best
    /// first
    #[arg(long, default_value = "tsv", help_heading = "Output")]
    pub format: SearchFormat,
    #[command(flatten)]
    pub output: ResumeArgs,

    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Thousandths of an edit, from 1 to 1000.
fn parse_overhang(text: &str) -> Result<u32, String> {
    let cost: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    let thousandths = cost * 1000.0;
    let rounded = thousandths.round();
    if !(1.0..=1000.0).contains(&rounded) || (thousandths - rounded).abs() > 1e-6 {
        return Err("not a number from 0.001 to 1 with at most three decimals".to_string());
    }
    Ok(rounded as u32)
}

impl SearchArgs {
    pub fn max_gaps(&self) -> Option<u64> {
        if self.hamming { Some(0) } else { self.max_gaps }
    }

    /// True if nothing is written before all texts are searched.
    pub fn keeps_rows(&self) -> bool {
        self.count || self.format.is_sam()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SearchFormat {
    /// A line for each place: pattern, text, start and end from 0, strand, cost
    Tsv,
    /// BED with six columns: text, start, end, pattern, cost, strand
    Bed,
    /// A PAF line for each place, with cg:Z: in = and X if --path is given
    Paf,
    /// A JSON object on a line for each place
    Ndjson,
    /// SAM with the patterns as queries: all places of a pattern stand together, of which the best
    /// one is primary and the others are secondary; patterns without a place are unmapped. Places
    /// are in memory until the last text is searched
    Sam,
    /// The records of `sam`, in the binary format BAM
    Bam,
}

impl SearchFormat {
    pub fn is_sam(self) -> bool {
        matches!(self, Self::Sam | Self::Bam)
    }
}
