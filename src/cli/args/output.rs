//! What is printed, and where the witness goes.

use std::path::Path;

use clap::builder::FalseyValueParser;
use clap::{Args, ValueEnum};

use super::DASH;
use crate::cli::output;

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

impl<'a, F: Copy + PartialEq> Witness<'a, F> {
    /// Fails early where its file could not be written after the work.
    pub fn check_file(&self) -> anyhow::Result<()> {
        match self {
            Witness::File(path, _) => output::check_file(path),
            Witness::None | Witness::Stdout(_) | Witness::InJson => Ok(()),
        }
    }

    /// With `implied` the format stands on the command line, which asks for the witness without a path.
    ///
    /// # Errors
    /// When stdout would have to hold the JSON object and another format.
    pub(super) fn new(
        path: Option<&'a Path>,
        implied: bool,
        json: bool,
        (format, json_format): (F, F),
    ) -> anyhow::Result<Self> {
        let stdout = Path::new(DASH);
        Ok(match path.or(implied.then_some(stdout)) {
            None => Witness::None,
            Some(file) if file != stdout => Witness::File(file, format),
            Some(_) if format == json_format => Witness::InJson,
            Some(_) if json && implied => {
                anyhow::bail!("--json and --format would both print to stdout; name a file: --path FILE")
            }
            Some(_) if json => Witness::InJson,
            Some(_) => Witness::Stdout(format),
        })
    }
}
