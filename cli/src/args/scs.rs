//! The arguments of `swath scs`.

use std::ffi::OsString;

use clap::Args;
use clap::builder::FalseyValueParser;
use swath::supersequence::Method;

use super::engine::{EngineArgs, one_of};
use super::input::InputArgs;
use super::output::{OutputArgs, WitnessFormat};
use crate::input::ListRequest;
use crate::report::ScsFormat;

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

    #[command(flatten)]
    pub output: OutputArgs<ScsFormat>,

    /// How to compute; auto takes the fastest that is right for these inputs and this device, and the exact table for several
    /// inputs where that takes seconds
    #[arg(long, env = "SWATH_METHOD", value_parser = one_of(Method::ALL, Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: Method,
    #[command(flatten)]
    pub engine: EngineArgs,
}

impl WitnessFormat for ScsFormat {
    const WITNESS: &'static str = "supersequence";
    const FIGURES: &'static str = "length, result, lower_bound";
    const JSON: Self = Self::Json;
}

impl ScsArgs {
    /// Whether the inputs are the sequences themselves.
    pub(super) fn is_text(&self) -> bool {
        self.input.text
    }

    /// What to read.
    ///
    /// # Errors
    /// When a record is named and all are asked for.
    pub fn request(&self) -> anyhow::Result<ListRequest> {
        self.input.list(&self.inputs, self.all_records)
    }
}
