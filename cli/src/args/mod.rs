//! The command line. Every option has an environment variable `SWATH_...`.

mod bench;
mod compare;
mod engine;
mod format;
mod matching;
mod neighbors;
mod pairs;
mod rows;
mod search;
mod strings;
pub mod text;
mod tree;
mod turn;

use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::builder::{FalseyValueParser, ValueParser};
use clap::parser::ValueSource;
use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use swath::DeviceChoice;

use crate::environment;
use engine::switch;

pub use bench::BenchArgs;
pub use compare::{
    CompareArgs, EditArgs, LcsArgs, OutputArgs, ScsArgs, SubstringArgs, Witness, source,
};
pub use engine::{DevicesArgs, EngineArgs, MAX_SHORT, ManArgs, SelftestArgs};
pub use format::{CompareFormat, EditFormat, LcsFormat, ScsFormat, SubstringFormat, WitnessFormat};
pub use matching::MatchingArgs;
pub use neighbors::{Abundance, ClusterMethod, NeighborsArgs, NeighborsFormat};
pub use pairs::{JoinArgs, PairsArgs, PairsFormat};
pub use rows::{RowArgs, Show};
pub use search::{SearchArgs, SearchFormat};
pub use strings::StringArgs;
pub use tree::{BstArgs, ChainArgs, FoldArgs, PolygonArgs, TreeCallArgs, TreeFormat};
pub use turn::{Strand, Turning};

/// Exact string comparison on GPUs and CPUs
#[derive(Debug, Parser)]
#[command(name = "swath", version, long_version = &**text::LONG_VERSION, subcommand_required = true, arg_required_else_help = true, after_help = text::AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Longest common subsequence of two inputs: its length, and the subsequence with --path
    ///
    /// The similarity is 2L/(m+n) in percent, with the length L and the lengths m and n of A and B;
    /// two empty inputs are 100 % similar. The speed counts all m*n cells of the table, computed or
    /// not.
    Lcs(LcsArgs),
    /// Shortest common supersequence of two or more inputs: its length, and the supersequence with
    /// --path
    ///
    /// The answer is exact for two inputs, and for more if the table with one dimension per input
    /// is small. Otherwise a heuristic answers, with a lower bound on the shortest length.
    Scs(ScsArgs),
    /// Edit distance (Levenshtein) of two inputs, and the alignment with --path
    ///
    /// A is the query and B the target. CIGARs follow SAM: I is a symbol only in A, D one only in
    /// B. The speed counts all m*n cells of the table, computed or not.
    Edit(EditArgs),
    /// Compare two assemblies: records paired, strand and origin found, every difference listed
    ///
    /// A is the reference, and the records of B are turned to lie as those of A do. Records are
    /// paired by their common substrings, which also tell strand and origin. Each pair is aligned
    /// exactly, with the fewest edits. Case is ignored, and U is T.
    Compare(CompareArgs),
    /// Edit distances or similarities of many pairs of short strings: one row for each pair
    ///
    /// Strings are the records of FASTA and FASTQ files, and the lines of other files. Every query
    /// is compared with every target, or without targets every pair of queries once. Rows have the
    /// query, the target and the value, and are written as they are computed.
    Pairs(PairsArgs),
    /// Join the files of all parts of `swath pairs --shard`, or of `search` or `neighbors`
    ///
    /// Arrays and matrices are put in order, and become those of one run. Parts of `neighbors` are
    /// merged, in any order. Other files of rows are joined in the order of the arguments, as by cat.
    Join(JoinArgs),
    /// All pairs of strings within an edit distance, without comparing all pairs; or clusters
    ///
    /// Strings are the records of FASTA and FASTQ files, and the lines of other files. Rows have
    /// two strings and their distance, sorted by the first one, then by the second. Every pair of
    /// one file is printed once.
    Neighbors(NeighborsArgs),
    /// All places of patterns in texts within a number of edits, on one strand or both
    ///
    /// Strings are the records of FASTA and FASTQ files, and the lines of other files. Every pattern
    /// is searched in every text. A place is a local minimum of the distance over its ends: the last
    /// end of those with equal distance, and the longest piece that ends there. Positions count from
    /// 0 on the text as given, end exclusive. Rows are sorted by text, start and end, and written
    /// while the search goes on.
    Search(SearchArgs),
    /// Longest common substring of two or more inputs, or all their maximal matches with
    /// --min-length
    ///
    /// A substring is a run of consecutive symbols. All records of a file are one input, and no
    /// match crosses the end of a record. All distinct longest substrings are listed with all their
    /// places. Positions count from 0 on the forward strand of the record, end exclusive.
    Substring(SubstringArgs),
    /// Best order of a matrix chain multiplication: its cost and saving, and the order with --tree
    ///
    /// The cost counts scalar multiplications; the saving is relative to the order from left to
    /// right.
    Chain(ChainArgs),
    /// Minimum-weight triangulation of a convex polygon
    Polygon(PolygonArgs),
    /// Optimal binary search tree
    ///
    /// The cost of a search is the number of visited nodes; the gap where it ends counts as one.
    Bst(BstArgs),
    /// Maximum number of base pairs of an RNA sequence without crossings
    Fold(FoldArgs),
    /// List the devices, their limits, and the choice of `--device auto` with its reason
    Devices(DevicesArgs),
    /// Run every kernel variant on a device and compare with known answers
    Selftest(SelftestArgs),
    /// Measure every problem by every method on the devices of this machine
    ///
    /// Inputs are random with fixed seeds, so that all machines measure the same. A row has the
    /// median of several calls after a warm-up call, from inputs in memory to the answer, and the
    /// speedup over the papers' methods. All methods and devices have to give the same answer.
    /// Without --quick it takes some minutes.
    Bench(BenchArgs),
    /// Print shell completions
    Completions { shell: Shell },
    /// Print the man page of swath or of one command
    Man(ManArgs),
}

impl Command {
    /// Device of a command that uses one at most.
    pub fn device(&self) -> Option<&DeviceChoice> {
        let engine = match self {
            Command::Lcs(args) => &args.engine,
            Command::Scs(args) => &args.engine,
            Command::Edit(args) => &args.engine,
            Command::Compare(args) => &args.engine,
            Command::Pairs(args) => &args.engine,
            Command::Neighbors(args) => &args.engine,
            Command::Substring(args) => &args.engine,
            Command::Search(args) => &args.engine,
            Command::Chain(args) => &args.call.engine,
            Command::Polygon(args) => &args.call.engine,
            Command::Bst(args) => &args.call.engine,
            Command::Fold(args) => &args.call.engine,
            Command::Selftest(args) => &args.engine,
            _ => return None,
        };
        Some(&engine.device)
    }
}

/// Parses the arguments of the process; `None` after printing help or the version. Wrong arguments
/// end the process with a message and exit code 2.
///
/// Environment variables address all commands and are ignored by those that they do not apply to.
pub fn parse() -> anyhow::Result<Option<Command>> {
    let command_line = without_foreign_values(command());
    let matches = command_line.clone().try_get_matches().and_then(|matches| {
        match with_format_of_file(command_line, &matches) {
            Some(command_line) => command_line.try_get_matches(),
            None => Ok(matches),
        }
    });
    let matches = match matches {
        Ok(matches) => matches,
        Err(error) if error.use_stderr() => error.exit(),
        Err(help) => {
            environment::check_stdout()
                .and_then(|()| help.print())
                .and_then(|()| std::io::stdout().flush())
                .context("cannot write to stdout")?;
            return Ok(None);
        }
    };
    let mut cli =
        Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command()).exit());
    let source = |option: &str| {
        let (_, matches) = matches.subcommand()?;
        matches
            .try_contains_id(option)
            .ok()?
            .then(|| matches.value_source(option))?
    };
    let by_format = source("format") == Some(ValueSource::CommandLine);
    let from_environment = |option: &str| source(option) == Some(ValueSource::EnvVariable);
    match &mut cli.command {
        Command::Lcs(args) => args.resolve(by_format, from_environment)?,
        Command::Scs(args) => args.output.format_implies_path = by_format,
        Command::Compare(args) => args.resolve(by_format, from_environment)?,
        Command::Edit(args) => args.resolve(by_format, from_environment)?,
        Command::Substring(args) => args.resolve(by_format, from_environment)?,
        Command::Bench(args) => args.take_switch_for_file(from_environment),
        _ => {}
    }
    Ok(Some(cli.command))
}

/// Drops variables whose value is valid for an option of another command but not for this one.
fn without_foreign_values(cli: clap::Command) -> clap::Command {
    let has = |option: &clap::Arg, value: &OsStr| {
        let possible = option.get_possible_values();
        possible.is_empty()
            || value
                .to_str()
                .is_some_and(|value| possible.iter().any(|one| one.matches(value, false)))
    };
    let all = cli.clone();
    let elsewhere = |option: &clap::Arg, value: &OsStr| {
        let mut options = all.get_subcommands().flat_map(clap::Command::get_arguments);
        options.any(|other| other.get_long() == option.get_long() && has(other, value))
    };
    cli.mut_subcommands(|command| {
        command.mut_args(|option| {
            let value = option
                .get_long()
                .and(option.get_env())
                .and_then(std::env::var_os);
            let foreign =
                value.is_some_and(|value| !has(&option, &value) && elsewhere(&option, &value));
            if foreign { option.env(None) } else { option }
        })
    })
}

/// Makes the format that the extension of `--output` names the default; `None` if a format is
/// given, or the extension names none.
fn with_format_of_file(
    command_line: clap::Command,
    matches: &clap::ArgMatches,
) -> Option<clap::Command> {
    let (name, matches) = matches.subcommand()?;
    let has_format = matches.try_contains_id("format").unwrap_or(false);
    if !has_format || matches.value_source("format") != Some(ValueSource::DefaultValue) {
        return None;
    }
    let file = matches.try_get_one::<PathBuf>("output").ok()??;
    let extension = file.extension()?;
    let extension = extension.to_str()?.to_ascii_lowercase();
    let format = match &*extension {
        "jsonl" => "ndjson",
        "patch" => "diff",
        "txt" => "text",
        extension => extension,
    };
    let formats = command_line.find_subcommand(name)?.get_arguments();
    let formats = formats
        .filter(|option| option.get_id() == "format")
        .flat_map(clap::Arg::get_possible_values);
    let format = formats
        .into_iter()
        .find(|known| known.matches(format, false))?
        .get_name()
        .to_string();
    Some(command_line.mut_subcommand(name, |command| {
        command.mut_arg("format", |option| option.default_value(&*format.leak()))
    }))
}

/// Every option has an environment variable.
pub fn command() -> clap::Command {
    Cli::command().mut_subcommands(|command| {
        let examples = text::examples_text(command.get_name());
        command.after_long_help(examples).mut_args(|option| {
            let Some(long) = option.get_long() else {
                return option;
            };
            let name = format!("SWATH_{}", long.to_uppercase().replace('-', "_"));
            let switch = if long == "path" {
                ValueParser::new(parse_path_switch)
            } else {
                FalseyValueParser::new().into()
            };
            let option = option.env(&*name.leak()).hide_env(true);
            if matches!(option.get_action(), ArgAction::SetTrue) {
                option.value_parser(switch)
            } else {
                option
            }
        })
    })
}

fn parse_path_switch(text: &str) -> Result<bool, String> {
    let error = || "it is on or off; name a file with --output or SWATH_OUTPUT".to_string();
    switch(text).ok_or_else(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example_that_its_own_arguments_parse() {
        for command in command().get_subcommands() {
            let examples = text::examples(command.get_name());
            assert!(!examples.is_empty(), "{}", command.get_name());
            for (_, line) in examples {
                let line = line
                    .rsplit_once("| swath")
                    .map_or(line.to_string(), |(_, rest)| format!("swath{rest}"));
                let words = line
                    .split([' '])
                    .take_while(|word| !matches!(*word, "|" | ">"));
                assert!(Cli::try_parse_from(words).is_ok(), "{line}");
            }
        }
    }

    #[test]
    fn every_option_has_its_environment_variable() {
        for command in command().get_subcommands() {
            for option in command
                .get_arguments()
                .filter(|argument| argument.get_long().is_some())
            {
                let long = option.get_long().unwrap_or_default();
                let expected = format!("SWATH_{}", long.to_uppercase().replace('-', "_"));
                assert_eq!(
                    option.get_env().and_then(|name| name.to_str()),
                    Some(expected.as_str()),
                    "--{long}"
                );
            }
        }
    }
}
