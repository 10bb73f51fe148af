//! Arguments of the commands that compare sequences.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use swath::edit_distance::{self, Gaps, Mode};
use swath::{lcs, substring, supersequence};

use super::engine::ProgressArgs;
use super::engine::{EngineArgs, one_of, whole_number};
use super::format::{
    CompareFormat, EditFormat, LcsFormat, ScsFormat, SubstringFormat, WitnessFormat,
};
use super::matching::MatchingArgs;
use super::turn::{Strand, TurnArgs, Turning};
use crate::input::{DefaultRecords, Layout, Request, Side, Source, Symbols};
use crate::output::{self, DASH, OutputFile};

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Read the inputs as the sequences themselves, except '-' for stdin
    #[arg(long)]
    text: bool,
    /// Kind of symbols
    #[arg(long, default_value = "bytes")]
    pub symbols: Symbols,
    /// Format of the files
    #[arg(long, default_value = "auto")]
    input: Layout,
    /// Record of the first input, by the first word of its header [default: the first record]
    #[arg(long, value_name = "NAME")]
    record_a: Option<String>,
    /// Record of the second input [default: the first record]
    #[arg(long, value_name = "NAME")]
    record_b: Option<String>,
    /// Ignore case: ASCII letters of bytes, Unicode letters of characters, lines and tokens
    #[arg(long)]
    pub ignore_case: bool,
}

impl InputArgs {
    pub fn request<'a>(
        &self,
        inputs: impl IntoIterator<Item = &'a OsString>,
        default: DefaultRecords,
    ) -> anyhow::Result<Request> {
        let records = [&self.record_a, &self.record_b];
        if default == DefaultRecords::Each && records.iter().any(|record| record.is_some()) {
            bail!("--all-records takes every record; drop --record-a and --record-b, or drop it");
        }
        let records = records.into_iter().cloned().chain(std::iter::repeat(None));
        let side = |(argument, record): (&OsString, Option<String>)| Side {
            source: if self.text && argument != DASH {
                Source::Literal(argument.clone())
            } else {
                source(argument)
            },
            record,
        };
        Ok(Request {
            sides: inputs.into_iter().zip(records).map(side).collect(),
            default,
            layout: self.input,
            symbols: self.symbols,
            ignore_case: self.ignore_case,
        })
    }
}

/// Any number of inputs.
#[derive(Debug, Args)]
pub struct InputListArgs {
    /// Two or more inputs: files (plain, gzip or zstd), or '-' for stdin; the sequences themselves
    /// with --text
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<OsString>,
    #[command(flatten)]
    input: InputArgs,
    /// Use every record of FASTA and FASTQ files as a separate input
    #[arg(long, help_heading = "Input")]
    all_records: bool,
}

impl InputListArgs {
    /// `default` unless all records are inputs.
    pub fn request(&self, default: DefaultRecords) -> anyhow::Result<Request> {
        let records = if self.all_records {
            DefaultRecords::Each
        } else {
            default
        };
        self.input.request(&self.inputs, records)
    }
}

pub fn source(argument: &OsStr) -> Source {
    if argument == DASH {
        Source::Stdin
    } else {
        Source::File(argument.into())
    }
}

/// Destination of the witness, and further output.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs<F: WitnessFormat> {
    #[arg(long, help = format!(
        "Compute the {} and print it to stdout, and the summary to stderr", F::WITNESS
    ))]
    path: bool,
    #[arg(short = 'o', long, value_name = "FILE", help = format!(
        "Compute the {} and write it to FILE, or to stdout for '-'. An existing FILE is replaced \
         atomically; an input is never overwritten", F::WITNESS
    ))]
    output: Option<PathBuf>,
    #[arg(long, value_enum, default_value = F::DEFAULT, help = format!(
        "Format of the {}; on the command line it implies --path. With -o FILE.vcf, .paf, ... it \
         follows from the extension", F::WITNESS
    ))]
    pub format: F,
    #[arg(long, help = format!(
        "Print one JSON object: schema, {}, method, device, ... and the {} with --path", F::FIGURES, F::WITNESS
    ))]
    pub json: bool,
    /// Print the plan (method, tiles, passes, memory, expected time) without computing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub progress: ProgressArgs,

    /// Set if the format was given on the command line.
    #[arg(skip)]
    pub(super) format_implies_path: bool,
}

impl<F: WitnessFormat> OutputArgs<F> {
    pub fn asks_for_witness(&self) -> bool {
        self.path || self.output.is_some() || self.format_implies_path
    }

    pub fn prints_json(&self, witness: &Witness<F>) -> bool {
        match witness {
            Witness::InJson => true,
            Witness::Stdout(format) => format.is_json(),
            Witness::None | Witness::File(..) => false,
        }
    }

    /// Destination of the witness. A format on the command line and a file both request it.
    ///
    /// # Errors
    /// If stdout would hold both the JSON object and another format, or if the file cannot be
    /// written or is one of `inputs`.
    pub fn witness<'a>(
        &self,
        inputs: impl IntoIterator<Item = &'a Source>,
    ) -> anyhow::Result<Witness<F>> {
        let format = self.format;
        if let Some(file) = OutputFile::optional(self.output.as_deref(), inputs)? {
            return Ok(Witness::File(file, format));
        }
        if !self.asks_for_witness() {
            return Ok(Witness::None);
        }
        if self.json && self.format_implies_path && format != F::JSON {
            bail!("--json and --format would both print to stdout; name a file: --output FILE");
        }
        if self.json || format == F::JSON {
            return Ok(Witness::InJson);
        }
        if format.is_bam() && !self.dry_run {
            output::check_bam_on_stdout()?;
        }
        Ok(Witness::Stdout(format))
    }
}

/// Answers in the exit code.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct ExitArgs {
    /// Exit with code 1 if the inputs differ or nothing is found
    #[arg(long)]
    pub exit_code: bool,
}

#[derive(Clone, Debug)]
pub enum Witness<F> {
    None,
    /// Stdout, in its own format; the summary goes to stderr.
    Stdout(F),
    /// A file; the summary goes to stdout.
    File(OutputFile, F),
    /// The JSON object on stdout.
    InJson,
}

impl<F: Copy> Witness<F> {
    /// Format other than that of the JSON object.
    pub fn format(&self) -> Option<F> {
        match self {
            Witness::Stdout(format) | Witness::File(_, format) => Some(*format),
            Witness::None | Witness::InJson => None,
        }
    }
}

#[derive(Debug, Args)]
pub struct LcsArgs {
    /// First input: a file (plain, gzip or zstd), or '-' for stdin; the sequence itself with --text
    #[arg(value_name = "A")]
    pub a: OsString,
    /// Second input
    #[arg(value_name = "B")]
    pub b: OsString,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub turn: TurnArgs,
    #[command(flatten)]
    pub matching: MatchingArgs,

    #[command(flatten)]
    pub output: OutputArgs<LcsFormat>,
    #[command(flatten)]
    pub exit: ExitArgs,

    /// Method; auto chooses the fastest that is exact for these inputs and this device
    #[arg(long, value_parser = one_of(lcs::Method::ALL, lcs::Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: lcs::Method,
    #[command(flatten)]
    pub engine: EngineArgs,
}

impl LcsArgs {
    /// Requests a path by the format. Ignores options from the environment that do not apply, and
    /// rejects others.
    pub(super) fn resolve(
        &mut self,
        by_format: bool,
        from_environment: impl Fn(&str) -> bool,
    ) -> anyhow::Result<()> {
        self.output.format_implies_path = by_format;
        let symbols = self.input.symbols;
        self.turn.resolve(symbols, true, &from_environment)?;
        self.matching.resolve(symbols, from_environment)
    }
}

#[derive(Debug, Args)]
pub struct ScsArgs {
    #[command(flatten)]
    pub input: InputListArgs,

    #[command(flatten)]
    pub output: OutputArgs<ScsFormat>,

    /// Method; auto chooses the fastest that is exact for these inputs and this device. For several
    /// inputs it uses the exact table if that takes seconds
    #[arg(long, value_parser = one_of(supersequence::Method::ALL, supersequence::Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: supersequence::Method,
    #[command(flatten)]
    pub engine: EngineArgs,
}

#[derive(Debug, Args)]
pub struct EditArgs {
    /// Query: a file (plain, gzip or zstd), or '-' for stdin; the sequence itself with --text
    #[arg(value_name = "A")]
    pub a: OsString,
    /// Target
    #[arg(value_name = "B")]
    pub b: OsString,
    #[command(flatten)]
    pub input: InputArgs,

    /// Part of the target to compare: all of it, its best prefix, or its best substring
    #[arg(long, value_parser = one_of(Mode::ALL, Mode::name), default_value = "global", help_heading = "Problem")]
    pub mode: Mode,
    /// Maximum distance of interest; a greater distance is reported early as such
    #[arg(
        short = 'k',
        long,
        value_name = "MAX",
        value_parser = whole_number::<u64>(0, u64::MAX),
        allow_negative_numbers = true,
        help_heading = "Problem"
    )]
    pub max_distance: Option<u64>,
    /// Move the gaps of the alignment as far to one side as equal symbols allow
    #[arg(long, value_parser = one_of(Gaps::ALL, Gaps::name), value_name = "SIDE", help_heading = "Problem")]
    pub gaps: Option<Gaps>,
    /// With --mode infix, report where matches start, not only where they end
    #[arg(long, help_heading = "Problem")]
    pub starts: bool,
    #[command(flatten)]
    pub turn: TurnArgs,
    #[command(flatten)]
    pub matching: MatchingArgs,

    #[command(flatten)]
    pub output: OutputArgs<EditFormat>,
    #[command(flatten)]
    pub exit: ExitArgs,
    /// Add the tag cs:Z: to PAF
    #[arg(long, help_heading = "Output")]
    pub cs: bool,

    /// Method; auto chooses the fastest that is exact for these inputs and this device
    #[arg(long, value_parser = one_of(edit_distance::Method::ALL, edit_distance::Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: edit_distance::Method,
    #[command(flatten)]
    pub engine: EngineArgs,
}

impl EditArgs {
    pub(super) fn resolve(
        &mut self,
        by_format: bool,
        from_environment: impl Fn(&str) -> bool,
    ) -> anyhow::Result<()> {
        self.output.format_implies_path = by_format;
        let path = self.output.asks_for_witness();
        if from_environment("gaps") && !path {
            self.gaps = None;
        }
        if from_environment("starts") {
            self.starts &= self.mode == Mode::Infix;
        }
        if from_environment("cs") {
            self.cs &= self.writes_cs();
        }
        let (symbols, whole) = (self.input.symbols, self.mode == Mode::Global);
        self.turn.resolve(symbols, whole, &from_environment)?;
        self.matching.resolve(symbols, from_environment)?;
        let of_letters = matches!(symbols, Symbols::Bytes | Symbols::Chars);
        if !of_letters && path && self.output.format == EditFormat::Paf {
            bail!(
                "--format paf is for sequences of bytes or characters; take ops, diff or json for lines and tokens"
            );
        }
        let is_sam = matches!(self.output.format, EditFormat::Sam | EditFormat::Bam);
        if self.turn.circular && path && is_sam {
            bail!("--format sam and bam have no rotated queries; take paf, or drop --circular");
        }
        if self.gaps.is_some() && !path {
            bail!("--gaps moves the gaps of an alignment, and none is asked for; add --path");
        }
        check_cs(self.cs, self.writes_cs())?;
        if self.starts && self.mode != Mode::Infix {
            bail!(
                "--starts is for --mode infix; in the mode '{}' the start is 0: drop it",
                self.mode.name()
            );
        }
        Ok(())
    }

    fn writes_cs(&self) -> bool {
        let is_paf = self.output.format == EditFormat::Paf;
        self.output.asks_for_witness() && is_paf && self.input.symbols == Symbols::Bytes
    }

    pub fn turning(&self) -> Option<Turning> {
        self.turn.turning(self.mode == Mode::Global)
    }
}

#[derive(Debug, Args)]
// Genomes are bytes, whose case is ignored.
#[command(
    mut_arg("symbols", |symbols| symbols.hide(true)),
    mut_arg("ignore_case", |ignore_case| ignore_case.hide(true))
)]
pub struct CompareArgs {
    /// Reference: a file of DNA (plain, gzip or zstd), or '-' for stdin
    #[arg(value_name = "A")]
    pub a: OsString,
    /// The other assembly
    #[arg(value_name = "B")]
    pub b: OsString,
    #[command(flatten)]
    pub input: InputArgs,

    /// Strands of B: both, or the forward one alone
    #[arg(long, default_value = "both", help_heading = "Problem")]
    pub strand: Strand,
    /// The records are linear: leave their origins where they are
    #[arg(long, help_heading = "Problem")]
    pub linear: bool,
    #[command(flatten)]
    pub matching: MatchingArgs,

    #[command(flatten)]
    pub output: OutputArgs<CompareFormat>,
    #[command(flatten)]
    pub exit: ExitArgs,
    /// Add the tag cs:Z: to PAF
    #[arg(long, help_heading = "Output")]
    pub cs: bool,

    /// Method of the alignments; auto chooses the fastest that is exact for these inputs and this
    /// device
    #[arg(long, value_parser = one_of(edit_distance::Method::ALL, edit_distance::Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: edit_distance::Method,
    #[command(flatten)]
    pub engine: EngineArgs,
}

impl CompareArgs {
    pub(super) fn resolve(
        &mut self,
        by_format: bool,
        from_environment: impl Fn(&str) -> bool,
    ) -> anyhow::Result<()> {
        self.output.format_implies_path = by_format;
        if from_environment("cs") {
            self.cs &= self.writes_cs();
        }
        check_cs(self.cs, self.writes_cs())
    }

    fn writes_cs(&self) -> bool {
        self.output.asks_for_witness() && self.output.format == CompareFormat::Paf
    }
}

fn check_cs(is_given: bool, is_written: bool) -> anyhow::Result<()> {
    if is_given && !is_written {
        bail!("--cs adds a tag to PAF of bytes; add --format paf, or drop --cs");
    }
    Ok(())
}

#[derive(Debug, Args)]
pub struct SubstringArgs {
    #[command(flatten)]
    pub input: InputListArgs,

    /// List all maximal matches of at least L symbols instead of the longest substring
    #[arg(
        long,
        value_name = "L",
        value_parser = whole_number::<u64>(0, u64::MAX),
        help_heading = "Problem"
    )]
    pub min_length: Option<u64>,
    /// Strands of DNA to search: forward, or both with reverse complements
    #[arg(long, default_value = "forward", help_heading = "Problem")]
    strand: Strand,
    /// Find the longest substring common to at least K of the inputs [default: all]
    #[arg(
        long,
        value_name = "K",
        value_parser = whole_number::<u64>(0, u64::MAX),
        help_heading = "Problem"
    )]
    pub in_at_least: Option<u64>,

    #[command(flatten)]
    pub output: OutputArgs<SubstringFormat>,
    #[command(flatten)]
    pub exit: ExitArgs,

    /// Method; auto chooses the fastest that is exact for these inputs and this device
    #[arg(long, value_parser = one_of(substring::Method::ALL, substring::Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: substring::Method,
    /// Seed of the random base of the hashes; the answer does not depend on it [default: random]
    #[arg(long, value_name = "N", value_parser = whole_number::<u64>(0, u64::MAX), help_heading = "Engine")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub engine: EngineArgs,
}

impl SubstringArgs {
    pub fn both_strands(&self) -> bool {
        self.strand == Strand::Both
    }

    pub(super) fn resolve(
        &mut self,
        by_format: bool,
        from_environment: impl Fn(&str) -> bool,
    ) -> anyhow::Result<()> {
        self.output.format_implies_path = by_format;
        if from_environment("in_at_least") && self.min_length.is_some() {
            self.in_at_least = None;
        }
        let is_anchors = self.method == substring::Method::Anchors;
        if from_environment("method") && is_anchors && self.min_length.is_none() {
            self.method = substring::Method::Auto;
        }
        let are_bytes = self.input.input.symbols == Symbols::Bytes;
        if from_environment("strand") && !are_bytes {
            self.strand = Strand::Forward;
        }
        self.strand.check(are_bytes)?;
        if self.min_length.is_some() && self.in_at_least.is_some() {
            bail!(
                "--min-length lists what two inputs have in common; drop it, or drop --in-at-least"
            );
        }
        let format = self.output.format;
        let of_matches = matches!(format, SubstringFormat::Paf | SubstringFormat::Svg);
        if of_matches && self.min_length.is_none() && self.output.asks_for_witness() {
            bail!(
                "--format paf and svg show matches of pairs; add --min-length L, or take tsv, bed or json"
            );
        }
        Ok(())
    }
}
