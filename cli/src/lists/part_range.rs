//! Positions of a part among all pairs, as files of parts have them for `swath join`.

use std::fmt;

/// Positions of consecutive pairs, and the number of all pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartRange {
    pub start: u64,
    pub end: u64,
    pub count: u64,
    /// Hash of the inputs and options; `None` in parts of earlier versions.
    pub call: Option<u64>,
}

const CALL: &str = ", call ";

impl PartRange {
    /// Reads what [`Display`](fmt::Display) writes.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (text, call) = match text.split_once(CALL) {
            Some((text, call)) => (text, Some(u64::from_str_radix(call, 16).ok()?)),
            None => (text, None),
        };
        let (positions, count) = text.strip_prefix("pairs ")?.split_once(" of ")?;
        let (start, end) = positions.split_once("..")?;
        let range = Self {
            start: start.parse().ok()?,
            end: end.parse().ok()?,
            count: count.parse().ok()?,
            call,
        };
        (range.start <= range.end && range.end <= range.count).then_some(range)
    }
}

impl fmt::Display for PartRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            start, end, count, ..
        } = self;
        write!(formatter, "pairs {start}..{end} of {count}")?;
        self.call
            .map_or(Ok(()), |call| write!(formatter, "{CALL}{call:016x}"))
    }
}
