//! The arguments of `swath lcs`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use swath::lcs::Method;

use super::DASH;
use super::engine::{EngineArgs, one_of};
use super::input::InputArgs;
use super::output::{OutputArgs, Witness};
use crate::input::Request;
use crate::report::Format;

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
    #[arg(long, env = "SWATH_METHOD", value_parser = one_of(Method::ALL, Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: Method,
    #[command(flatten)]
    pub engine: EngineArgs,

    #[arg(skip)]
    pub(super) format_implies_path: bool,
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
        let formats = (self.format, Format::Json);
        Witness::new(self.path.as_deref(), self.format_implies_path, self.output.json, formats)
    }
}
