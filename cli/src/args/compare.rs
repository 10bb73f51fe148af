//! Arguments of the commands that compare sequences.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::builder::FalseyValueParser;
use clap::{Args, ValueEnum};
use swath::edit_distance::{self, Gaps, Mode};
use swath::{lcs, substring, supersequence};

use super::engine::{EngineArgs, one_of, whole_number};
use super::matching::MatchingArgs;
use super::turn::{Strand, TurnArgs};
use crate::compare::assemblies::CompareFormat;
use crate::compare::edit::EditFormat;
use crate::compare::lcs::LcsFormat;
use crate::compare::scs::ScsFormat;
use crate::compare::substring::SubstringFormat;
use crate::input::{DefaultRecords, Layout, Request, Side, Source, Symbols};
use crate::output::{self, DASH, OutputFile};

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Read the inputs as the sequences themselves, except '-' for stdin
    #[arg(long, env = "SWATH_TEXT", value_parser = FalseyValueParser::new())]
    text: bool,
    /// Kind of symbols
    #[arg(long, env = "SWATH_SYMBOLS", value_enum, default_value_t = Symbols::Bytes)]
    pub symbols: Symbols,
    /// Format of the files
    #[arg(long, env = "SWATH_INPUT", value_enum, default_value_t = Layout::Auto)]
    input: Layout,
    /// Record of the first input, by the first word of its header [default: the first record]
    #[arg(long, env = "SWATH_RECORD_A", value_name = "NAME")]
    record_a: Option<String>,
    /// Record of the second input [default: the first record]
    #[arg(long, env = "SWATH_RECORD_B", value_name = "NAME")]
    record_b: Option<String>,
    /// Ignore case: ASCII letters of bytes, Unicode letters of characters, lines and tokens
    #[arg(long, env = "SWATH_IGNORE_CASE", value_parser = FalseyValueParser::new())]
    pub ignore_case: bool,
}

impl InputArgs {
    /// Sources and records to read.
    ///
    /// # Errors
    /// If records are named together with [`DefaultRecords::Each`].
    pub fn request(
        &self,
        inputs: &[&OsString],
        default: DefaultRecords,
    ) -> anyhow::Result<Request> {
        let records = [&self.record_a, &self.record_b];
        if default == DefaultRecords::Each && records.iter().any(|record| record.is_some()) {
            anyhow::bail!(
                "--all-records takes every record; drop --record-a and --record-b, or drop it"
            );
        }
        let records = records.into_iter().cloned().chain(std::iter::repeat(None));
        let side = |(&argument, record): (&&OsString, Option<String>)| Side {
            source: if self.text && argument != DASH {
                Source::Literal(argument.clone())
            } else {
                source(argument)
            },
            record,
        };
        Ok(Request {
            sides: inputs.iter().zip(records).map(side).collect(),
            default,
            layout: self.input,
            symbols: self.symbols,
            ignore_case: self.ignore_case,
        })
    }
}

/// Stdin for '-', else the file.
pub fn source(argument: &OsStr) -> Source {
    if argument == DASH {
        Source::Stdin
    } else {
        Source::File(argument.into())
    }
}

/// Format of a problem's witness.
pub trait WitnessFormat: ValueEnum + Copy + PartialEq + Send + Sync + 'static {
    /// Name of the witness.
    const WITNESS: &'static str;
    /// JSON fields of the answer, besides the common ones.
    const FIGURES: &'static str;
    /// The format of the JSON object.
    const JSON: Self;

    /// Returns `true` for JSON of any kind.
    fn is_json(self) -> bool {
        self == Self::JSON
    }

    /// Returns `true` for BAM, which is made from SAM.
    fn is_bam(self) -> bool {
        false
    }
}

impl WitnessFormat for LcsFormat {
    const WITNESS: &'static str = "subsequence";
    const FIGURES: &'static str = "length, similarity";
    const JSON: Self = Self::Json;

    fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Ndjson)
    }
}

impl WitnessFormat for ScsFormat {
    const WITNESS: &'static str = "supersequence";
    const FIGURES: &'static str = "length, result, lower_bound";
    const JSON: Self = Self::Json;
}

impl WitnessFormat for EditFormat {
    const WITNESS: &'static str = "alignment";
    const FIGURES: &'static str = "distance, pieces";
    const JSON: Self = Self::Json;

    fn is_bam(self) -> bool {
        self == Self::Bam
    }
}

impl WitnessFormat for CompareFormat {
    const WITNESS: &'static str = "differences";
    const FIGURES: &'static str = "figures, pairs, unpaired";
    const JSON: Self = Self::Json;
}

impl WitnessFormat for SubstringFormat {
    const WITNESS: &'static str = "substrings";
    const FIGURES: &'static str = "length, substrings or matches with their places";
    const JSON: Self = Self::Json;
}

/// Destination of the witness, and further output.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs<F: WitnessFormat> {
    #[arg(long, env = "SWATH_PATH", value_parser = path_switch, help = format!(
        "Compute the {} and print it to stdout, and the summary to stderr", F::WITNESS
    ))]
    path: bool,
    #[arg(short = 'o', long, env = "SWATH_OUTPUT", value_name = "FILE", help = format!(
        "Compute the {} and write it to FILE, or to stdout for '-'. An existing FILE is replaced \
         atomically; an input is never overwritten", F::WITNESS
    ))]
    output: Option<PathBuf>,
    #[arg(long, env = "SWATH_FORMAT", value_enum, default_value = "text", help = format!(
        "Format of the {}; on the command line it implies --path", F::WITNESS
    ))]
    pub format: F,
    #[arg(long, env = "SWATH_JSON", value_parser = FalseyValueParser::new(), help = format!(
        "Print one JSON object: schema, {}, method, device, ... and the {} with --path", F::FIGURES, F::WITNESS
    ))]
    pub json: bool,
    /// Print the plan (method, tiles, passes, memory, expected time) without computing
    #[arg(long, env = "SWATH_DRY_RUN", value_parser = FalseyValueParser::new())]
    pub dry_run: bool,
    /// Show progress on stderr; auto shows it on a terminal
    #[arg(long, env = "SWATH_PROGRESS", value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub progress: When,

    /// Set if the format was given on the command line.
    #[arg(skip)]
    pub(super) format_implies_path: bool,
}

/// Parses `SWATH_PATH`; a file name is an error.
pub(super) fn path_switch(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "" | "0" | "n" | "no" | "f" | "false" | "off" => Ok(false),
        "1" | "y" | "yes" | "t" | "true" | "on" => Ok(true),
        _ => Err("it is on or off; name a file with --output or SWATH_OUTPUT".into()),
    }
}

impl<F: WitnessFormat> OutputArgs<F> {
    /// Returns `true` if the witness is requested.
    pub fn asks_for_witness(&self) -> bool {
        self.path || self.output.is_some() || self.format_implies_path
    }

    /// Returns `true` if stdout holds JSON for this witness.
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
        let file = self.output.as_deref();
        if let Some(file) = file.filter(|file| !output::is_stdout(file)) {
            let file = OutputFile::check("--output", file, inputs)?;
            return Ok(Witness::File(file, format));
        }
        Ok(match self.asks_for_witness() {
            false => Witness::None,
            true if format == F::JSON => Witness::InJson,
            true if self.json && self.format_implies_path => {
                anyhow::bail!(
                    "--json and --format would both print to stdout; name a file: --output FILE"
                )
            }
            true if self.json => Witness::InJson,
            true if format.is_bam() && !self.dry_run && io::stdout().is_terminal() => {
                anyhow::bail!(
                    "--format bam is not for a terminal; name a file: --output FILE, or take sam"
                )
            }
            true => Witness::Stdout(format),
        })
    }
}

/// Answers in the exit code.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct ExitArgs {
    /// Exit with code 1 if the inputs differ or nothing is found
    #[arg(long, env = "SWATH_EXIT_CODE", value_parser = FalseyValueParser::new())]
    pub exit_code: bool,
}

/// Condition for showing progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}

/// Destination of the witness.
#[derive(Clone, Debug)]
pub enum Witness<F> {
    /// Not requested.
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
    #[arg(long, env = "SWATH_METHOD", value_parser = one_of(lcs::Method::ALL, lcs::Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: lcs::Method,
    #[command(flatten)]
    pub engine: EngineArgs,
}

impl LcsArgs {
    /// Ignores options from the environment that do not apply.
    pub(super) fn ignore_what_does_not_apply(&mut self, from_environment: impl Fn(&str) -> bool) {
        let symbols = self.input.symbols;
        self.turn
            .ignore_what_does_not_apply(symbols, true, &from_environment);
        self.matching
            .ignore_what_does_not_apply(symbols, from_environment);
    }

    /// Rejects options that do not apply to these symbols.
    pub fn check(&self) -> anyhow::Result<()> {
        self.turn.check(self.input.symbols, true)?;
        self.matching.check(self.input.symbols)
    }
}

#[derive(Debug, Args)]
pub struct ScsArgs {
    /// Two or more inputs: files (plain, gzip or zstd), or '-' for stdin; the sequences themselves
    /// with --text
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<OsString>,
    #[command(flatten)]
    pub input: InputArgs,
    /// Use every record of FASTA and FASTQ files as a separate input
    #[arg(long, env = "SWATH_ALL_RECORDS", value_parser = FalseyValueParser::new(), help_heading = "Input")]
    pub all_records: bool,

    #[command(flatten)]
    pub output: OutputArgs<ScsFormat>,

    /// Method; auto chooses the fastest that is exact for these inputs and this device. For several
    /// inputs it uses the exact table if that takes seconds
    #[arg(long, env = "SWATH_METHOD", value_parser = one_of(supersequence::Method::ALL, supersequence::Method::name), default_value = "auto", help_heading = "Engine")]
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
    #[arg(long, env = "SWATH_MODE", value_parser = one_of(Mode::ALL, Mode::name), default_value = "global", help_heading = "Problem")]
    pub mode: Mode,
    /// Maximum distance of interest; a greater distance is reported early as such
    #[arg(
        short = 'k',
        long,
        env = "SWATH_MAX_DISTANCE",
        value_name = "MAX",
        value_parser = whole_number::<u64>(0, u64::MAX),
        allow_negative_numbers = true,
        help_heading = "Problem"
    )]
    pub max_distance: Option<u64>,
    /// Move the gaps of the alignment as far to one side as equal symbols allow
    #[arg(
        long,
        env = "SWATH_GAPS",
        value_enum,
        value_name = "SIDE",
        help_heading = "Problem"
    )]
    gaps: Option<GapSide>,
    /// With --mode infix, report where matches start, not only where they end
    #[arg(long, env = "SWATH_STARTS", value_parser = FalseyValueParser::new(), help_heading = "Problem")]
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
    #[arg(long, env = "SWATH_CS", value_parser = FalseyValueParser::new(), help_heading = "Output")]
    pub cs: bool,

    /// Method; auto chooses the fastest that is exact for these inputs and this device
    #[arg(long, env = "SWATH_METHOD", value_parser = one_of(edit_distance::Method::ALL, edit_distance::Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: edit_distance::Method,
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Side that gaps are moved to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GapSide {
    Left,
    Right,
}

impl EditArgs {
    /// Ignores options from the environment that do not apply.
    pub(super) fn ignore_what_does_not_apply(&mut self, from_environment: impl Fn(&str) -> bool) {
        if from_environment("gaps") && !self.output.asks_for_witness() {
            self.gaps = None;
        }
        if from_environment("starts") && self.mode != Mode::Infix {
            self.starts = false;
        }
        if from_environment("cs") {
            self.cs &= self.writes_cs();
        }
        let (symbols, whole) = (self.input.symbols, self.mode == Mode::Global);
        self.turn
            .ignore_what_does_not_apply(symbols, whole, &from_environment);
        self.matching
            .ignore_what_does_not_apply(symbols, from_environment);
    }

    /// Rejects a format that cannot hold an alignment of these symbols, `--gaps` without an
    /// alignment, and `--starts` in a mode whose start is fixed.
    pub fn check(&self) -> anyhow::Result<()> {
        self.turn
            .check(self.input.symbols, self.mode == Mode::Global)?;
        self.matching.check(self.input.symbols)?;
        let path = self.output.asks_for_witness();
        let of_letters = matches!(self.input.symbols, Symbols::Bytes | Symbols::Chars);
        if !of_letters && path && self.output.format == EditFormat::Paf {
            anyhow::bail!(
                "--format paf is for sequences of bytes or characters; take ops, diff or json for lines and tokens"
            );
        }
        let is_sam = matches!(self.output.format, EditFormat::Sam | EditFormat::Bam);
        if self.turn.is_circular() && path && is_sam {
            anyhow::bail!(
                "--format sam and bam have no rotated queries; take paf, or drop --circular"
            );
        }
        if self.gaps.is_some() && !path {
            anyhow::bail!(
                "--gaps moves the gaps of an alignment, and none is asked for; add --path"
            );
        }
        check_cs(self.cs, self.writes_cs())?;
        if self.starts && self.mode != Mode::Infix {
            anyhow::bail!(
                "--starts is for --mode infix; in the mode '{}' the start is 0: drop it",
                self.mode.name()
            );
        }
        Ok(())
    }

    /// Returns `true` if the output may have the tag of `--cs`.
    fn writes_cs(&self) -> bool {
        let is_paf = self.output.format == EditFormat::Paf;
        self.output.asks_for_witness() && is_paf && self.input.symbols == Symbols::Bytes
    }

    pub fn gaps(&self) -> Option<Gaps> {
        self.gaps.map(|side| match side {
            GapSide::Left => Gaps::Left,
            GapSide::Right => Gaps::Right,
        })
    }
}

#[derive(Debug, Args)]
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
    #[arg(long, env = "SWATH_STRAND", value_enum, default_value_t = Strand::Both, help_heading = "Problem")]
    pub strand: Strand,
    /// The records are linear: leave their origins where they are
    #[arg(long, env = "SWATH_LINEAR", value_parser = FalseyValueParser::new(), help_heading = "Problem")]
    pub linear: bool,
    #[command(flatten)]
    pub matching: MatchingArgs,

    #[command(flatten)]
    pub output: OutputArgs<CompareFormat>,
    #[command(flatten)]
    pub exit: ExitArgs,
    /// Add the tag cs:Z: to PAF
    #[arg(long, env = "SWATH_CS", value_parser = FalseyValueParser::new(), help_heading = "Output")]
    pub cs: bool,

    /// Method of the alignments; auto chooses the fastest that is exact for these inputs and this
    /// device
    #[arg(long, env = "SWATH_METHOD", value_parser = one_of(edit_distance::Method::ALL, edit_distance::Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: edit_distance::Method,
    #[command(flatten)]
    pub engine: EngineArgs,
}

impl CompareArgs {
    /// Ignores options from the environment that do not apply.
    pub(super) fn ignore_what_does_not_apply(&mut self, from_environment: impl Fn(&str) -> bool) {
        if from_environment("cs") {
            self.cs &= self.writes_cs();
        }
    }

    /// Rejects options that do not apply to the format.
    pub fn check(&self) -> anyhow::Result<()> {
        check_cs(self.cs, self.writes_cs())
    }

    /// Returns `true` if the output may have the tag of `--cs`.
    fn writes_cs(&self) -> bool {
        self.output.asks_for_witness() && self.output.format == CompareFormat::Paf
    }
}

fn check_cs(is_given: bool, is_written: bool) -> anyhow::Result<()> {
    if is_given && !is_written {
        anyhow::bail!("--cs adds a tag to PAF of bytes; add --format paf, or drop --cs");
    }
    Ok(())
}

#[derive(Debug, Args)]
pub struct SubstringArgs {
    /// Two or more inputs: files (plain, gzip or zstd), or '-' for stdin; the sequences themselves
    /// with --text
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<OsString>,
    #[command(flatten)]
    pub input: InputArgs,
    /// Use every record of FASTA and FASTQ files as a separate input
    #[arg(long, env = "SWATH_ALL_RECORDS", value_parser = FalseyValueParser::new(), help_heading = "Input")]
    pub all_records: bool,

    /// List all maximal matches of at least L symbols instead of the longest substring
    #[arg(
        long,
        env = "SWATH_MIN_LENGTH",
        value_name = "L",
        value_parser = whole_number::<u64>(0, u64::MAX),
        help_heading = "Problem"
    )]
    pub min_length: Option<u64>,
    /// Strands of DNA to search: forward, or both with reverse complements
    #[arg(long, env = "SWATH_STRAND", value_enum, default_value_t = Strand::Forward, help_heading = "Problem")]
    strand: Strand,
    /// Find the longest substring common to at least K of the inputs [default: all]
    #[arg(
        long,
        env = "SWATH_IN_AT_LEAST",
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
    #[arg(long, env = "SWATH_METHOD", value_parser = one_of(substring::Method::ALL, substring::Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: substring::Method,
    /// Seed of the random base of the hashes; the answer does not depend on it [default: random]
    #[arg(long, env = "SWATH_SEED", value_name = "N", value_parser = whole_number::<u64>(0, u64::MAX), help_heading = "Engine")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub engine: EngineArgs,
}

impl SubstringArgs {
    /// Returns `true` if the reverse strand is searched too.
    pub fn both_strands(&self) -> bool {
        self.strand == Strand::Both
    }

    /// Rejects options and formats that do not apply to these symbols.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.both_strands() && self.input.symbols != Symbols::Bytes {
            anyhow::bail!("--strand both is for DNA in bytes; drop it, or take --symbols bytes");
        }
        if self.min_length.is_some() && self.in_at_least.is_some() {
            anyhow::bail!(
                "--min-length lists what two inputs have in common; drop it, or drop --in-at-least"
            );
        }
        let format = self.output.format;
        let of_matches = matches!(format, SubstringFormat::Paf | SubstringFormat::Svg);
        if of_matches && self.min_length.is_none() && self.output.asks_for_witness() {
            anyhow::bail!(
                "--format paf and svg show matches of pairs; add --min-length L, or take tsv, bed or json"
            );
        }
        Ok(())
    }

    /// Ignores options from the environment that conflict with other options.
    pub(super) fn ignore_what_does_not_apply(&mut self, from_environment: impl Fn(&str) -> bool) {
        if from_environment("in_at_least") && self.min_length.is_some() {
            self.in_at_least = None;
        }
        let is_anchors = self.method == substring::Method::Anchors;
        if from_environment("method") && is_anchors && self.min_length.is_none() {
            self.method = substring::Method::Auto;
        }
        if from_environment("strand") && self.input.symbols != Symbols::Bytes {
            self.strand = Strand::Forward;
        }
    }
}
