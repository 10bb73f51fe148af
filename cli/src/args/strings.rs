//! Arguments of the commands that read lists of strings.

use clap::Args;

use crate::input::StringSymbols;

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct StringArgs {
    /// Unit of a string, and its symbols
    #[arg(long, default_value = "bytes")]
    pub symbols: StringSymbols,
    /// Ignore case: ASCII letters of bytes, Unicode letters of characters and tokens
    #[arg(long)]
    pub ignore_case: bool,
}

pub(super) fn parse_shard(text: &str) -> Result<(u64, u64), String> {
    let numbers = text.split_once('/').and_then(|(share, shares)| {
        let number = |text: &str| text.trim().parse::<u64>().ok();
        Some((number(share)?, number(shares)?))
    });
    match numbers {
        Some((share, shares)) if share < shares => Ok((share, shares)),
        Some((_, 0)) => Err("there is at least 1 part; the first of 64 is 0/64".into()),
        Some((_, shares)) => Err(format!("parts count from 0 to {}", shares - 1)),
        None => Err("not a part; the first of 64 is 0/64".into()),
    }
}
