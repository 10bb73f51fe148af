//! Place of a part among all pairs, as files of parts have it for `swath join`.

use std::fmt;

/// Positions of consecutive pairs, and the number of all pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub start: u64,
    pub end: u64,
    pub count: u64,
}

impl Place {
    /// Reads what [`Display`](fmt::Display) writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (range, count) = text.trim().strip_prefix("pairs ")?.split_once(" of ")?;
        let (start, end) = range.split_once("..")?;
        let place = Self {
            start: start.parse().ok()?,
            end: end.parse().ok()?,
            count: count.parse().ok()?,
        };
        (place.start <= place.end && place.end <= place.count).then_some(place)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "pairs {}..{} of {}",
            self.start, self.end, self.count
        )
    }
}
