//! What is printed, and where the witness goes.

use std::path::{Path, PathBuf};

use clap::builder::FalseyValueParser;
use clap::{Args, ValueEnum};

use super::DASH;
use crate::cli::output;

/// How a problem's witness is written.
pub trait WitnessFormat: ValueEnum + Copy + PartialEq + Send + Sync + 'static {
    /// What the witness is called.
    const WITNESS: &'static str;
    /// The format that is the JSON object.
    const JSON: Self;
}

/// Where the witness goes, and what is printed beside it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs<F: WitnessFormat> {
    #[arg(long, env = "SWATH_PATH", value_name = "FILE", num_args = 0..=1, default_missing_value = DASH, help = path_help::<F>())]
    path: Option<PathBuf>,
    #[arg(long, env = "SWATH_FORMAT", value_enum, default_value = "text", help = format_help::<F>())]
    format: F,
    /// Print one JSON object: schema, problem, length, method, device, seconds, cells, ... and the witness with --path
    #[arg(long, env = "SWATH_JSON", value_parser = FalseyValueParser::new())]
    pub json: bool,
    /// Print the plan (method, tiles, passes, memory, expected time) and compute nothing
    #[arg(long, env = "SWATH_DRY_RUN", value_parser = FalseyValueParser::new())]
    pub dry_run: bool,
    /// Progress on stderr; auto shows it on a terminal
    #[arg(long, env = "SWATH_PROGRESS", value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub progress: When,

    /// Whether the format stands on the command line.
    #[arg(skip)]
    pub(super) format_implies_path: bool,
}

fn path_help<F: WitnessFormat>() -> String {
    format!(
        "Recover the {} and write it to FILE, to stdout without FILE or with '-' (what people read then goes to stderr). FILE \
         is replaced in one step when all is written",
        F::WITNESS
    )
}

fn format_help<F: WitnessFormat>() -> String {
    format!("How --path writes the {}; on the command line it implies --path", F::WITNESS)
}

impl<F: WitnessFormat> OutputArgs<F> {
    /// Whether the witness is wanted.
    pub(super) fn asks_for_witness(&self) -> bool {
        self.path.is_some() || self.format_implies_path
    }

    /// Where the witness goes. A format on the command line asks for it without a path.
    ///
    /// # Errors
    /// When stdout would have to hold the JSON object and another format.
    pub fn witness(&self) -> anyhow::Result<Witness<'_, F>> {
        let (stdout, format) = (Path::new(DASH), self.format);
        Ok(match self.path.as_deref().or(self.format_implies_path.then_some(stdout)) {
            None => Witness::None,
            Some(file) if file != stdout => Witness::File(file, format),
            Some(_) if format == F::JSON => Witness::InJson,
            Some(_) if self.json && self.format_implies_path => {
                anyhow::bail!("--json and --format would both print to stdout; name a file: --path FILE")
            }
            Some(_) if self.json => Witness::InJson,
            Some(_) => Witness::Stdout(format),
        })
    }
}

/// When to show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
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

impl<F> Witness<'_, F> {
    /// Fails early where its file could not be written after the work.
    pub fn check_file(&self) -> anyhow::Result<()> {
        match self {
            Witness::File(path, _) => output::check_file(path),
            Witness::None | Witness::Stdout(_) | Witness::InJson => Ok(()),
        }
    }
}
