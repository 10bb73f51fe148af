//! Lines for people.

use std::io::{self, Write};

use crate::input::printable;

/// A line on stderr for people; one that cannot be written is no reason to stop.
pub fn note(line: &str) {
    let _ = writeln!(io::stderr(), "swath: {}", printable(line));
}
