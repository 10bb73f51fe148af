//! Messages on stderr, one line each.

use std::borrow::Cow;
use std::io::{self, Write};

/// Prints a note. Write errors are ignored.
pub fn note(line: &str) {
    let _ = writeln!(io::stderr(), "swath: {}", printable(line));
}

/// Text on one line without control characters, which a terminal could act on.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let shown = |char: char| match char {
        '\t' | '\n' | '\r' => ' ',
        char if char.is_control() => char::REPLACEMENT_CHARACTER,
        char => char,
    };
    Cow::Owned(text.chars().map(shown).collect())
}
