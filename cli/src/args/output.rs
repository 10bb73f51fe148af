//! What is printed, and where the witness goes.

use std::path::PathBuf;

use clap::builder::FalseyValueParser;
use clap::{Args, ValueEnum};

use crate::input::Source;
use crate::output::{self, OutputFile};

/// How a problem's witness is written.
pub trait WitnessFormat: ValueEnum + Copy + PartialEq + Send + Sync + 'static {
    /// What the witness is called.
    const WITNESS: &'static str;
    /// What the JSON object has of the answer, beside what every problem's has.
    const FIGURES: &'static str;
    /// The format that is the JSON object.
    const JSON: Self;
}

/// Where the witness goes, and what is printed beside it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs<F: WitnessFormat> {
    #[arg(long, env = "SWATH_PATH", value_parser = path_switch, help = path_help::<F>())]
    path: bool,
    #[arg(short = 'o', long, env = "SWATH_OUTPUT", value_name = "FILE", help = output_help::<F>())]
    output: Option<PathBuf>,
    #[arg(long, env = "SWATH_FORMAT", value_enum, default_value = "text", help = format_help::<F>())]
    format: F,
    #[arg(long, env = "SWATH_JSON", value_parser = FalseyValueParser::new(), help = json_help::<F>())]
    pub json: bool,
    /// Print the plan (method, tiles, passes, memory, expected time) in place of an answer
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
        "Recover the {} and print it to stdout; what people read then goes to stderr",
        F::WITNESS
    )
}

fn output_help<F: WitnessFormat>() -> String {
    format!(
        "Recover the {} and write it to FILE, or to stdout where that is '-'. An existing FILE is replaced, in one step when all \
         is written, but never an input",
        F::WITNESS
    )
}

fn format_help<F: WitnessFormat>() -> String {
    format!(
        "How the {} is written; on the command line it implies --path",
        F::WITNESS
    )
}

fn json_help<F: WitnessFormat>() -> String {
    format!(
        "Print one JSON object: schema, {}, what ran, ... and the {} with --path",
        F::FIGURES,
        F::WITNESS
    )
}

/// The value of the variable behind `--path`, which once named a file.
fn path_switch(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "" | "0" | "n" | "no" | "f" | "false" | "off" => Ok(false),
        "1" | "y" | "yes" | "t" | "true" | "on" => Ok(true),
        _ => Err("it is on or off; name a file with --output or SWATH_OUTPUT".into()),
    }
}

impl<F: WitnessFormat> OutputArgs<F> {
    /// Whether the witness is wanted.
    pub(super) fn asks_for_witness(&self) -> bool {
        self.path || self.output.is_some() || self.format_implies_path
    }

    /// How the witness is written.
    pub fn format(&self) -> F {
        self.format
    }

    /// Where the witness goes. A format on the command line asks for it, and a file does.
    ///
    /// # Errors
    /// Where stdout would have to hold the JSON object and another format, and where the file cannot be written or is one of
    /// `inputs`.
    pub fn witness<'a>(
        &self,
        inputs: impl IntoIterator<Item = &'a Source>,
    ) -> anyhow::Result<Witness<F>> {
        let format = self.format;
        if let Some(file) = self
            .output
            .as_deref()
            .filter(|file| !output::is_stdout(file))
        {
            return Ok(Witness::File(
                OutputFile::check("--output", file, inputs)?,
                format,
            ));
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
            true => Witness::Stdout(format),
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
#[derive(Clone, Debug)]
pub enum Witness<F> {
    /// It is not asked for.
    None,
    /// To stdout in a format of its own; the summary goes to stderr.
    Stdout(F),
    /// To a file; the summary goes to stdout.
    File(OutputFile, F),
    /// Into the JSON object on stdout.
    InJson,
}
