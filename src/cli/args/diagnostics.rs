//! The arguments of `swath devices` and `swath selftest`.

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
