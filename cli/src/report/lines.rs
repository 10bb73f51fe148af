//! Summaries as aligned lines.

use std::io::{self, Write};

pub type Lines = Vec<(&'static str, String)>;

/// Writes `key  value` lines with aligned values.
pub fn write_aligned(lines: &[(&str, String)], out: &mut dyn Write) -> io::Result<()> {
    write_aligned_with(lines, "", std::iter::empty(), out)
}

/// [`write_aligned`], followed by any number of lines, whose longest key is `longest`.
pub fn write_aligned_with(
    lines: &[(&str, String)],
    longest: &str,
    more: impl Iterator<Item = (&'static str, String)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let width = lines.iter().map(|(key, _)| key.len()).max();
    let width = width.unwrap_or_default().max(longest.len());
    let mut write = |key: &str, value: &str| writeln!(out, "{key:width$}  {value}");
    for (key, value) in lines {
        write(key, value)?;
    }
    more.into_iter()
        .try_for_each(|(key, value)| write(key, &value))
}

pub fn between(needed: bool, out: &mut dyn Write) -> io::Result<()> {
    if needed { writeln!(out) } else { Ok(()) }
}

pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
