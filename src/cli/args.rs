//! The command line. Every option can be given as SWATH_... in the environment too.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::builder::{FalseyValueParser, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use swath::edit_distance::{self, Gaps, Mode};
use swath::lcs::Method;
use swath::{DeviceChoice, Options, supersequence};

use super::tree_args::{BstArgs, ChainArgs, FoldArgs, PolygonArgs};
use crate::input::{self, Layout, ListRequest, Request, Source, Symbols};
use crate::report::{EditFormat, Format, ScsFormat};

/// Stands for stdin among inputs and for stdout behind --path.
const DASH: &str = "-";

const EXIT_CODES: &str = "\
Exit codes: 0 ok, 2 usage or input, 3 device, 4 memory, 5 verification failed, 130 interrupted.
Every option can also be set in the environment: --mem-gpu is SWATH_MEM_GPU, and so on.";

/// Exact string comparison at GPU speed
#[derive(Debug, Parser)]
#[command(name = "swath", version, subcommand_required = true, arg_required_else_help = true, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Longest common subsequence of two inputs: its length, and the subsequence with --path
    ///
    /// The similarity is 2L/(m+n) in percent: L is the length, m and n are the symbols of A and B; two empty inputs are
    /// 100 % similar. The speed counts all m*n cells of the table, computed or not.
    #[command(after_help = EXIT_CODES)]
    Lcs(LcsArgs),
    /// Shortest common supersequence of two or more inputs: its length, and the supersequence with --path
    ///
    /// Of two inputs the answer is exact. Of more it is where the table with a dimension for each input is small; else a
    /// heuristic answers, and the lower bound beside it says how far from the shortest it can be at most.
    #[command(after_help = EXIT_CODES)]
    Scs(ScsArgs),
    /// Edit distance (Levenshtein) of two inputs, and the alignment with --path
    ///
    /// A is the query and B the target. CIGARs count as SAM does: I is a symbol that only A has, D one that only B has. The
    /// speed counts all m*n cells of the table, computed or not.
    #[command(after_help = EXIT_CODES)]
    Edit(EditArgs),
    /// Best order of a matrix chain multiplication: its cost, what it saves, and the order itself with --tree
    ///
    /// The cost counts scalar multiplications; the saving is against multiplying from left to right.
    #[command(after_help = EXIT_CODES)]
    Chain(ChainArgs),
    /// Minimum-weight triangulation of a convex polygon
    #[command(after_help = EXIT_CODES)]
    Polygon(PolygonArgs),
    /// Optimal binary search tree
    ///
    /// A search costs the nodes that it visits, a gap where it ends counting as one.
    #[command(after_help = EXIT_CODES)]
    Bst(BstArgs),
    /// Most base pairs of an RNA sequence, without crossings
    #[command(after_help = EXIT_CODES)]
    Fold(FoldArgs),
    /// List the devices, their limits, and which one `--device auto` takes and why
    Devices(DevicesArgs),
    /// Ask every kernel variant for known answers on this device
    #[command(after_help = EXIT_CODES)]
    Selftest(SelftestArgs),
    /// Print shell completions
    Completions { shell: Shell },
    /// Print the man page, of one command where it is named
    Man {
        /// lcs, scs, edit, devices, ...
        command: Option<String>,
    },
}

#[derive(Debug, Args)]
pub struct LcsArgs {
    /// First input: a file, plain or gz or zst, or '-' for stdin; the sequence itself with --text
    #[arg(value_name = "A")]
    a: OsString,
    /// Second input
    #[arg(value_name = "B")]
    b: OsString,
    #[command(flatten)]
    input: InputArgs,

    /// Recover the subsequence and write it to FILE, to stdout without FILE or with '-' (what people read then goes to
    /// stderr). FILE is replaced in one step when all is written
    #[arg(long, env = "SWATH_PATH", value_name = "FILE", num_args = 0..=1, default_missing_value = DASH, help_heading = "Output")]
    path: Option<PathBuf>,
    /// How --path writes the subsequence; on the command line it implies --path
    #[arg(long, env = "SWATH_FORMAT", value_enum, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,
    #[command(flatten)]
    pub output: OutputArgs,

    /// How to compute; auto takes the fastest that is right for these inputs and this device
    #[arg(long, env = "SWATH_METHOD", value_parser = method_parser(), default_value = "auto", help_heading = "Engine")]
    pub method: Method,
    #[command(flatten)]
    pub engine: EngineArgs,

    #[arg(skip)]
    format_implies_path: bool,
}

#[derive(Debug, Args)]
pub struct ScsArgs {
    /// Inputs, at least two: files, plain or gz or zst, or '-' for stdin; the sequences themselves with --text
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<OsString>,
    #[command(flatten)]
    input: InputArgs,
    /// Take every record of FASTA and FASTQ files as an input of its own
    #[arg(long, env = "SWATH_ALL_RECORDS", value_parser = FalseyValueParser::new(), help_heading = "Input")]
    all_records: bool,

    /// Recover the supersequence and write it to FILE, to stdout without FILE or with '-' (what people read then goes to
    /// stderr). FILE is replaced in one step when all is written
    #[arg(long, env = "SWATH_PATH", value_name = "FILE", num_args = 0..=1, default_missing_value = DASH, help_heading = "Output")]
    path: Option<PathBuf>,
    /// How --path writes the supersequence; on the command line it implies --path
    #[arg(long, env = "SWATH_FORMAT", value_enum, default_value_t = ScsFormat::Text, help_heading = "Output")]
    format: ScsFormat,
    #[command(flatten)]
    pub output: OutputArgs,

    /// How to compute; auto takes the fastest that is right for these inputs and this device, and the exact table for several
    /// inputs where that takes seconds
    #[arg(long, env = "SWATH_METHOD", value_parser = scs_method_parser(), default_value = "auto", help_heading = "Engine")]
    pub method: supersequence::Method,
    #[command(flatten)]
    pub engine: EngineArgs,

    #[arg(skip)]
    format_implies_path: bool,
}

#[derive(Debug, Args)]
pub struct EditArgs {
    /// The query: a file, plain or gz or zst, or '-' for stdin; the sequence itself with --text
    #[arg(value_name = "A")]
    a: OsString,
    /// The target
    #[arg(value_name = "B")]
    b: OsString,
    #[command(flatten)]
    input: InputArgs,

    /// What of the target to compare: all of it, its best prefix, or its best piece wherever that lies
    #[arg(long, env = "SWATH_MODE", value_parser = mode_parser(), default_value = "global", help_heading = "Problem")]
    pub mode: Mode,
    /// Greatest distance of interest: where it is greater, say so early
    #[arg(short = 'k', long, env = "SWATH_MAX_DISTANCE", value_name = "MAX", help_heading = "Problem")]
    pub max_distance: Option<u64>,
    /// Move the gaps of the alignment as far to one side as equal symbols let them
    #[arg(long, env = "SWATH_GAPS", value_enum, value_name = "SIDE", help_heading = "Problem")]
    gaps: Option<Side>,
    /// Find where the pieces of --mode infix start too, not only where they end
    #[arg(long, env = "SWATH_STARTS", value_parser = FalseyValueParser::new(), help_heading = "Problem")]
    pub starts: bool,

    /// Recover the alignment and write it to FILE, to stdout without FILE or with '-' (what people read then goes to stderr).
    /// FILE is replaced in one step when all is written
    #[arg(long, env = "SWATH_PATH", value_name = "FILE", num_args = 0..=1, default_missing_value = DASH, help_heading = "Output")]
    path: Option<PathBuf>,
    /// How --path writes the alignment; on the command line it implies --path
    #[arg(long, env = "SWATH_FORMAT", value_enum, default_value_t = EditFormat::Text, help_heading = "Output")]
    format: EditFormat,
    #[command(flatten)]
    pub output: OutputArgs,

    /// How to compute; auto takes the fastest that is right for these inputs and this device
    #[arg(long, env = "SWATH_METHOD", value_parser = edit_method_parser(), default_value = "auto", help_heading = "Engine")]
    pub method: edit_distance::Method,
    #[command(flatten)]
    pub engine: EngineArgs,

    #[arg(skip)]
    format_implies_path: bool,
}

/// A side to move gaps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Side {
    Left,
    Right,
}

/// How inputs are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
struct InputArgs {
    /// Take the inputs as the sequences themselves
    #[arg(long, env = "SWATH_TEXT", value_parser = FalseyValueParser::new())]
    text: bool,
    /// What the sequences are made of
    #[arg(long, env = "SWATH_SYMBOLS", value_enum, default_value_t = Symbols::Bytes)]
    symbols: Symbols,
    /// Layout of the files
    #[arg(long, env = "SWATH_INPUT", value_enum, default_value_t = Layout::Auto)]
    input: Layout,
    /// Record of the first input to take, by the first word of its header [default: the first record]
    #[arg(long, env = "SWATH_RECORD_A", value_name = "NAME")]
    record_a: Option<String>,
    /// Record of the second input to take
    #[arg(long, env = "SWATH_RECORD_B", value_name = "NAME")]
    record_b: Option<String>,
    /// Compare without regard to case: ASCII letters of bytes, Unicode letters of characters, lines and tokens
    #[arg(long, env = "SWATH_IGNORE_CASE", value_parser = FalseyValueParser::new())]
    ignore_case: bool,
}

/// What is printed beside the witness.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Print one JSON object: schema, problem, length, method, device, seconds, cells, ... and the witness with --path
    #[arg(long, env = "SWATH_JSON", value_parser = FalseyValueParser::new())]
    pub json: bool,
    /// Print the plan (method, tiles, passes, memory, expected time) and compute nothing
    #[arg(long, env = "SWATH_DRY_RUN", value_parser = FalseyValueParser::new())]
    pub dry_run: bool,
    /// Progress on stderr; auto shows it on a terminal
    #[arg(long, env = "SWATH_PROGRESS", value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub progress: When,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    /// auto, cpu, vulkan:N, metal:N, dx12:N or a part of an adapter's name; auto never takes a software adapter
    #[arg(long, env = "SWATH_DEVICE", value_parser = parse_device, default_value = "auto", value_name = "D")]
    device: DeviceChoice,
    /// Most device memory to hold: bytes, or with K, M, G, T (powers of 1024) or kB, MB, GB, TB (of 1000)
    #[arg(long, env = "SWATH_MEM_GPU", value_parser = parse_size, value_name = "SIZE")]
    mem_gpu: Option<u64>,
    /// Most host memory to hold for stored boundaries
    #[arg(long, env = "SWATH_MEM_HOST", value_parser = parse_size, value_name = "SIZE")]
    mem_host: Option<u64>,
    /// CPU threads [default: all]
    #[arg(long, env = "SWATH_THREADS", value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Longest time that one submission should hold the GPU, in milliseconds; 4 to 8 where the desktop must stay smooth
    #[arg(long, env = "SWATH_SLICE_MS", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    slice_ms: Option<u32>,
    /// Run the shaders with bounds checks and loop bounds; slow
    #[arg(long, env = "SWATH_CHECKED", value_parser = FalseyValueParser::new())]
    checked: bool,
}

#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// Print one JSON object
    #[arg(long, env = "SWATH_JSON", value_parser = FalseyValueParser::new())]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SelftestArgs {
    /// Print one JSON object
    #[arg(long, env = "SWATH_JSON", value_parser = FalseyValueParser::new())]
    pub json: bool,
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// When to show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}

/// Parses the process's arguments; wrong ones end the process with a message and exit code 2.
pub fn parse() -> Command {
    let matches = command().get_matches();
    let mut cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command()).exit());
    let given = matches.subcommand().and_then(|(_, matches)| matches.try_get_raw("format").ok()?.and(Some(matches)));
    let implied = given.is_some_and(|matches| matches.value_source("format") == Some(ValueSource::CommandLine));
    match &mut cli.command {
        Command::Lcs(args) => args.format_implies_path = implied,
        Command::Scs(args) => args.format_implies_path = implied,
        Command::Edit(args) => args.format_implies_path = implied,
        _ => {}
    }
    cli.command
}

/// The command line as data, for completions and man pages.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Where the witness goes.
#[derive(Clone, Copy, Debug)]
pub enum Witness<'a, F> {
    /// It is not asked for.
    None,
    /// To stdout in a format of its own; the summary goes to stderr.
    Stdout(F),
    /// To a file; the summary goes to stdout.
    File(&'a Path, F),
    /// Into the JSON object on stdout.
    InJson,
}

impl<'a, F: Copy> Witness<'a, F> {
    /// # Errors
    /// When stdout would have to hold the JSON object and another format.
    fn new(path: Option<&'a Path>, implied: bool, json: bool, format: F, is_json: bool) -> anyhow::Result<Self> {
        let stdout = Path::new(DASH);
        Ok(match path.or(implied.then_some(stdout)) {
            None => Witness::None,
            Some(file) if file != stdout => Witness::File(file, format),
            Some(_) if is_json => Witness::InJson,
            Some(_) if json && implied => {
                anyhow::bail!("--json and --format would both print to stdout; name a file: --path FILE")
            }
            Some(_) if json => Witness::InJson,
            Some(_) => Witness::Stdout(format),
        })
    }
}

impl InputArgs {
    fn side(&self, argument: &OsString, record: Option<&String>) -> input::Side {
        input::Side {
            source: match argument {
                text if self.text => Source::Literal(text.clone()),
                file => source(file),
            },
            record: record.cloned(),
        }
    }

    fn pair(&self, a: &OsString, b: &OsString) -> Request {
        Request {
            a: self.side(a, self.record_a.as_ref()),
            b: self.side(b, self.record_b.as_ref()),
            layout: self.input,
            symbols: self.symbols,
            ignore_case: self.ignore_case,
        }
    }
}

impl LcsArgs {
    /// What to read.
    pub fn request(&self) -> Request {
        self.input.pair(&self.a, &self.b)
    }

    /// Where the subsequence goes.
    ///
    /// # Errors
    /// When stdout would have to hold the JSON object and another format.
    pub fn witness(&self) -> anyhow::Result<Witness<'_, Format>> {
        let is_json = self.format == Format::Json;
        Witness::new(self.path.as_deref(), self.format_implies_path, self.output.json, self.format, is_json)
    }
}

impl ScsArgs {
    /// What to read.
    ///
    /// # Errors
    /// When a record is named and all are asked for.
    pub fn request(&self) -> anyhow::Result<ListRequest> {
        let records = [self.input.record_a.as_ref(), self.input.record_b.as_ref()];
        if self.all_records && records.iter().any(Option::is_some) {
            anyhow::bail!("--all-records takes every record; drop --record-a and --record-b, or drop it");
        }
        let records = records.into_iter().chain(std::iter::repeat(None));
        Ok(ListRequest {
            sides: self.inputs.iter().zip(records).map(|(input, record)| self.input.side(input, record)).collect(),
            all_records: self.all_records,
            layout: self.input.input,
            symbols: self.input.symbols,
            ignore_case: self.input.ignore_case,
        })
    }

    /// Where the supersequence goes.
    ///
    /// # Errors
    /// When stdout would have to hold the JSON object and another format.
    pub fn witness(&self) -> anyhow::Result<Witness<'_, ScsFormat>> {
        let is_json = self.format == ScsFormat::Json;
        Witness::new(self.path.as_deref(), self.format_implies_path, self.output.json, self.format, is_json)
    }
}

impl EditArgs {
    /// What to read.
    pub fn request(&self) -> Request {
        self.input.pair(&self.a, &self.b)
    }

    /// Where the alignment goes.
    ///
    /// # Errors
    /// When stdout would have to hold the JSON object and another format.
    pub fn witness(&self) -> anyhow::Result<Witness<'_, EditFormat>> {
        let is_json = self.format == EditFormat::Json;
        Witness::new(self.path.as_deref(), self.format_implies_path, self.output.json, self.format, is_json)
    }

    /// Where gaps go.
    ///
    /// # Errors
    /// Where no alignment is asked for that has gaps, and where starts are asked for that have no piece.
    pub fn gaps(&self, path: bool) -> anyhow::Result<Option<Gaps>> {
        if self.gaps.is_some() && !path {
            anyhow::bail!("--gaps moves the gaps of an alignment, and none is asked for; add --path");
        }
        if self.starts && self.mode != Mode::Infix {
            anyhow::bail!("--starts is for --mode infix; in the mode '{}' the start is 0: drop it", self.mode.name());
        }
        Ok(self.gaps.map(|side| match side {
            Side::Left => Gaps::Left,
            Side::Right => Gaps::Right,
        }))
    }
}

/// Stdin for '-', else the file.
pub fn source(argument: &OsStr) -> Source {
    if argument == DASH { Source::Stdin } else { Source::File(argument.into()) }
}

impl EngineArgs {
    /// The engine's options.
    pub fn options(&self) -> Options {
        let mut options = Options::default();
        options.device = self.device.clone();
        options.device_memory = self.mem_gpu;
        options.host_memory = self.mem_host;
        options.threads = self.threads.map(NonZeroUsize::get);
        options.slice_ms = self.slice_ms;
        options.checked = self.checked;
        options
    }
}

fn method_parser() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::ALL.map(Method::name)).map(|name| {
        // The parser lets only these names through.
        Method::ALL.into_iter().find(|method| method.name() == name).unwrap_or_default()
    })
}

fn scs_method_parser() -> impl TypedValueParser<Value = supersequence::Method> {
    use supersequence::Method;
    PossibleValuesParser::new(Method::ALL.map(Method::name))
        .map(|name| Method::ALL.into_iter().find(|method| method.name() == name).unwrap_or_default())
}

fn edit_method_parser() -> impl TypedValueParser<Value = edit_distance::Method> {
    use edit_distance::Method;
    PossibleValuesParser::new(Method::ALL.map(Method::name))
        .map(|name| Method::ALL.into_iter().find(|method| method.name() == name).unwrap_or_default())
}

fn mode_parser() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(Mode::ALL.map(Mode::name))
        .map(|name| Mode::ALL.into_iter().find(|mode| mode.name() == name).unwrap_or_default())
}

fn parse_device(text: &str) -> Result<DeviceChoice, String> {
    match text.trim() {
        "" => Err("empty; `swath devices` lists what can stand here".into()),
        name => name.parse().map_err(|never: std::convert::Infallible| match never {}),
    }
}

fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..digits], text[digits..].trim().to_ascii_lowercase());
    let factor = match unit.as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000u64,
        _ => return Err(format!("unknown unit '{unit}'; use K, M, G, T, KiB, ..., kB, ...")),
    };
    let too_large = || "more than 2^64 bytes".to_string();
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor).ok_or_else(too_large);
    }
    let bytes = number.parse::<f64>().map_err(|_| "not a size; examples: 512M, 24GiB, 1.5G, 1000000".to_string())?
        * factor as f64;
    if bytes < u64::MAX as f64 { Ok(bytes as u64) } else { Err(too_large()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn sizes_take_binary_and_decimal_units() {
        assert_eq!(parse_size("512M"), Ok(512 << 20));
        assert_eq!(parse_size("24GiB"), Ok(24 << 30));
        assert_eq!(parse_size("1.5 g"), Ok(3 << 29));
        assert_eq!(parse_size("2kB"), Ok(2000));
        assert_eq!(parse_size("123"), Ok(123));
        for wrong in ["", "G", "-1", "1..2G", "5 parsecs", "99999999999T", "1e3"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_option_has_its_environment_variable() {
        for command in command().get_subcommands() {
            for option in command.get_arguments().filter(|argument| argument.get_long().is_some()) {
                let long = option.get_long().unwrap_or_default();
                let expected = format!("SWATH_{}", long.to_uppercase().replace('-', "_"));
                assert_eq!(option.get_env().and_then(|name| name.to_str()), Some(expected.as_str()), "--{long}");
            }
        }
    }
}
