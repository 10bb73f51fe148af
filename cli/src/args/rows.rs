//! Output options of the commands that read lists of strings.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, ValueEnum};

use super::engine::ProgressArgs;
use crate::output;

/// Destination of rows, and what is printed besides them. Commands with other texts of these options
/// change them. The positions in the help leave one for [`ResumeArgs`].
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Output",
    mut_arg("when", |progress| progress.display_order(904))
)]
pub struct RowArgs {
    /// Write the rows to FILE, or to stdout for '-'. An existing FILE is replaced atomically; an
    /// input is never overwritten
    #[arg(short = 'o', long, value_name = "FILE", display_order = 900)]
    pub output: Option<PathBuf>,
    /// With --output, print the summary as one JSON object: schema, pairs, method, device, ...
    #[arg(long, display_order = 902)]
    pub json: bool,
    /// Print the plan (method, memory, expected time) without computing
    #[arg(long, display_order = 903)]
    pub dry_run: bool,
    #[command(flatten)]
    pub progress: ProgressArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct LabelArgs {
    /// Labels of strings
    #[arg(long, default_value = "names")]
    show: Show,
    /// Print positions from 0 instead of names of records, as --show positions
    #[arg(long, conflicts_with = "show")]
    positions: bool,
}

impl LabelArgs {
    pub fn show(&self) -> Show {
        if self.positions {
            Show::Positions
        } else {
            self.show
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Show {
    /// Names of records, and positions of lines from 0
    Names,
    /// Positions from 0
    Positions,
    /// The strings themselves
    Strings,
}

/// Rows in a file that a later run can go on with.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Output",
    mut_arg("output", |output| output.help(
        "Write the rows to FILE, or to stdout for '-'. They are in FILE.part until all are there; an \
         existing FILE is then replaced atomically. An input is never overwritten"
    ))
)]
pub struct ResumeArgs {
    #[command(flatten)]
    pub rows: RowArgs,
    /// Go on where a killed or failed run of the same call stopped; without one, begin
    #[arg(long, display_order = 901)]
    pub resume: bool,
}

impl ResumeArgs {
    /// # Errors
    /// If a run is to go on without a file.
    pub fn check(&self) -> anyhow::Result<()> {
        let path = self.rows.output.as_deref();
        if self.resume && path.is_none_or(output::is_stdout) {
            bail!("--resume goes on with a file; name it: --output FILE");
        }
        Ok(())
    }
}
