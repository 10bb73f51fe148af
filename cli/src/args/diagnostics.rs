//! The arguments of `swath devices`, `swath selftest` and `swath man`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::FalseyValueParser;

use super::engine::EngineArgs;

#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// Print one JSON object
    #[arg(long, env = "SWATH_JSON", value_parser = FalseyValueParser::new())]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SelftestArgs {
    /// Print one JSON object
    #[arg(long, env = "SWATH_JSON", value_parser = FalseyValueParser::new())]
    pub json: bool,
    #[command(flatten)]
    pub engine: EngineArgs,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// lcs, scs, edit, devices, ...
    pub command: Option<String>,
    /// Write the pages of all commands into a folder, as packages need them
    #[arg(
        long,
        env = "SWATH_ALL",
        value_name = "DIR",
        conflicts_with = "command"
    )]
    pub all: Option<PathBuf>,
}
