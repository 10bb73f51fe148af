//! The arguments of `swath lcs`.

use std::ffi::OsString;

use clap::Args;
use swath::lcs::Method;

use super::engine::{EngineArgs, one_of};
use super::input::InputArgs;
use super::output::{OutputArgs, WitnessFormat};
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

    #[command(flatten)]
    pub output: OutputArgs<Format>,

    /// How to compute; auto takes the fastest that is right for these inputs and this device
    #[arg(long, env = "SWATH_METHOD", value_parser = one_of(Method::ALL, Method::name), default_value = "auto", help_heading = "Engine")]
    pub method: Method,
    #[command(flatten)]
    pub engine: EngineArgs,
}

impl WitnessFormat for Format {
    const WITNESS: &'static str = "subsequence";
    const FIGURES: &'static str = "length, similarity";
    const JSON: Self = Self::Json;
}

impl LcsArgs {
    /// What to read.
    pub fn request(&self) -> Request {
        self.input.pair(&self.a, &self.b)
    }
}
