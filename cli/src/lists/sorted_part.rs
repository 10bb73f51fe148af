//! First and last line of a part of `swath neighbors --shard`, for `swath join`.
//!
//! Between them each line has the positions of a row and a column, by which parts are merged, and
//! then a line of the output.

use std::fmt;

/// A part, and the hash of the inputs and options of its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortedPart {
    pub share: u64,
    pub shares: u64,
    pub call: u64,
}

const NAME: &str = "#swath neighbors, part ";
const END: &str = "#end, pairs ";

impl SortedPart {
    /// Reads what [`Display`](fmt::Display) writes.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(line).ok()?.trim_end();
        let (part, call) = text.strip_prefix(NAME)?.split_once(", call ")?;
        let (share, shares) = part.split_once(" of ")?;
        let part = Self {
            share: share.parse().ok()?,
            shares: shares.parse().ok()?,
            call: u64::from_str_radix(call, 16).ok()?,
        };
        (part.share < part.shares).then_some(part)
    }

    pub fn end_line(pairs: u64) -> String {
        format!("{END}{pairs}\n")
    }

    /// Number of pairs in an [`end_line`](Self::end_line).
    pub fn parse_end(line: &str) -> Option<u64> {
        line.strip_prefix(END)?.parse().ok()
    }
}

impl fmt::Display for SortedPart {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            share,
            shares,
            call,
        } = self;
        writeln!(formatter, "{NAME}{share} of {shares}, call {call:016x}")
    }
}
