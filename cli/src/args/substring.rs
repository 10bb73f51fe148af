//! The arguments of `swath substring`.

use std::ffi::OsString;

use clap::builder::FalseyValueParser;
use clap::{Args, ValueEnum};
use swath::substring::Method;

use super::engine::{EngineArgs, one_of};
use super::input::InputArgs;
use super::output::{OutputArgs, WitnessFormat};
use crate::input::{ListRequest, Symbols};
use crate::report::SubstringFormat;

#[derive(Debug, Args)]
pub struct SubstringArgs {
    /// Inputs, at least two: files, plain or gz or zst, or '-' for stdin; the sequences themselves with --text
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<OsString>,
    #[command(flatten)]
    input: InputArgs,
    /// Take every record of FASTA and FASTQ files as an input of its own
    #[arg(long, env = "SWATH_ALL_RECORDS", value_parser = FalseyValueParser::new(), help_heading = "Input")]
    all_records: bool,

    /// All maximal matches of at least so many symbols in the place of the longest substring
    #[arg(
        long,
        env = "SWATH_MIN_LENGTH",
        value_name = "L",
        help_heading = "Problem"
    )]
    pub min_length: Option<u64>,
    /// Which strands of DNA to search: as the inputs stand there, or their reverse complements, too
    #[arg(long, env = "SWATH_STRAND", value_enum, default_value_t = Strand::Forward, help_heading = "Problem")]
    strand: Strand,
    /// The longest substring of at least so many of the inputs [default: of all of them]
    #[arg(
        long,
        env = "SWATH_IN_AT_LEAST",
        value_name = "K",
        help_heading = "Problem"
    )]
    pub in_at_least: Option<u64>,

    #[command(flatten)]
    pub output: OutputArgs<SubstringFormat>,

    /// How to compute; auto takes the fastest that is right for these inputs and this device
    #[arg(long, env = "SWATH_METHOD", value_parser = one_of(Method::ALL, Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: Method,
    /// What the random base of the hashes is made from; the answer does not depend on it [default: another one every time]
    #[arg(long, env = "SWATH_SEED", value_name = "N", help_heading = "Engine")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Strands to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Strand {
    Forward,
    Both,
}

impl WitnessFormat for SubstringFormat {
    const WITNESS: &'static str = "substrings";
    const FIGURES: &'static str = "length, substrings or matches with their places";
    const JSON: Self = Self::Json;
}

impl SubstringArgs {
    /// Whether the reverse strand is searched, too.
    pub fn both_strands(&self) -> bool {
        self.strand == Strand::Both
    }

    /// Fails where the question or the format has no sense for these symbols.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.both_strands() && self.input.symbols != Symbols::Bytes {
            anyhow::bail!("--strand both is for DNA in bytes; drop it, or take --symbols bytes");
        }
        if self.min_length.is_some() && self.in_at_least.is_some() {
            anyhow::bail!(
                "--min-length lists what two inputs have in common; drop it, or drop --in-at-least"
            );
        }
        let of_matches = matches!(
            self.output.format(),
            SubstringFormat::Paf | SubstringFormat::Svg
        );
        if of_matches && self.min_length.is_none() && self.output.asks_for_witness() {
            anyhow::bail!(
                "--format paf and svg show matches of pairs; add --min-length L, or take tsv, bed or json"
            );
        }
        Ok(())
    }

    /// Drops the options that came from the environment and do not go with those that did not.
    pub(super) fn ignore_what_does_not_apply(&mut self, from_environment: impl Fn(&str) -> bool) {
        if from_environment("in_at_least") && self.min_length.is_some() {
            self.in_at_least = None;
        }
        if from_environment("method") && self.method == Method::Anchors && self.min_length.is_none()
        {
            self.method = Method::Auto;
        }
        if from_environment("strand") && self.input.symbols != Symbols::Bytes {
            self.strand = Strand::Forward;
        }
    }

    /// What to read.
    ///
    /// # Errors
    /// When a record is named and all are asked for.
    pub fn request(&self) -> anyhow::Result<ListRequest> {
        self.input.list(&self.inputs, self.all_records)
    }
}
