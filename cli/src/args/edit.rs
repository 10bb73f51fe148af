//! The arguments of `swath edit`.

use std::ffi::OsString;

use clap::builder::FalseyValueParser;
use clap::{Args, ValueEnum};
use swath::edit_distance::{Gaps, Method, Mode};

use super::engine::{EngineArgs, one_of};
use super::input::InputArgs;
use super::output::{OutputArgs, WitnessFormat};
use crate::input::{Request, Symbols};
use crate::report::EditFormat;

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
    #[arg(long, env = "SWATH_MODE", value_parser = one_of(Mode::ALL, Mode::name), default_value = "global", help_heading = "Problem")]
    pub mode: Mode,
    /// Greatest distance of interest: where it is greater, say so early
    #[arg(
        short = 'k',
        long,
        env = "SWATH_MAX_DISTANCE",
        value_name = "MAX",
        allow_negative_numbers = true,
        help_heading = "Problem"
    )]
    pub max_distance: Option<u64>,
    /// Move the gaps of the alignment as far to one side as equal symbols let them
    #[arg(
        long,
        env = "SWATH_GAPS",
        value_enum,
        value_name = "SIDE",
        help_heading = "Problem"
    )]
    gaps: Option<Side>,
    /// Find where the pieces of --mode infix start too, not only where they end
    #[arg(long, env = "SWATH_STARTS", value_parser = FalseyValueParser::new(), help_heading = "Problem")]
    pub starts: bool,

    #[command(flatten)]
    pub output: OutputArgs<EditFormat>,

    /// How to compute; auto takes the fastest that is right for these inputs and this device
    #[arg(long, env = "SWATH_METHOD", value_parser = one_of(Method::ALL, Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: Method,
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// A side to move gaps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Side {
    Left,
    Right,
}

impl WitnessFormat for EditFormat {
    const WITNESS: &'static str = "alignment";
    const FIGURES: &'static str = "distance, pieces";
    const JSON: Self = Self::Json;
}

impl EditArgs {
    /// What to read.
    pub fn request(&self) -> Request {
        self.input.pair(&self.a, &self.b)
    }

    /// Fails where the format cannot hold an alignment of these symbols.
    pub fn check_format(&self) -> anyhow::Result<()> {
        let of_letters = matches!(self.input.symbols, Symbols::Bytes | Symbols::Chars);
        if !of_letters && self.output.asks_for_witness() && self.output.format() == EditFormat::Paf
        {
            anyhow::bail!(
                "--format paf is for sequences of bytes or characters; take ops, diff or json for lines and tokens"
            );
        }
        Ok(())
    }

    /// Drops the options that came from the environment and have nothing to work on.
    pub(super) fn ignore_what_does_not_apply(&mut self, from_environment: impl Fn(&str) -> bool) {
        if from_environment("gaps") && !self.output.asks_for_witness() {
            self.gaps = None;
        }
        if from_environment("starts") && self.mode != Mode::Infix {
            self.starts = false;
        }
    }

    /// Where gaps go.
    ///
    /// # Errors
    /// Where no alignment is asked for that has gaps, and where starts are asked for that have no piece.
    pub fn gaps(&self, path: bool) -> anyhow::Result<Option<Gaps>> {
        if self.gaps.is_some() && !path {
            anyhow::bail!(
                "--gaps moves the gaps of an alignment, and none is asked for; add --path"
            );
        }
        if self.starts && self.mode != Mode::Infix {
            anyhow::bail!(
                "--starts is for --mode infix; in the mode '{}' the start is 0: drop it",
                self.mode.name()
            );
        }
        Ok(self.gaps.map(|side| match side {
            Side::Left => Gaps::Left,
            Side::Right => Gaps::Right,
        }))
    }
}
