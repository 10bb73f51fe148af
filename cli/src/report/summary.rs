//! The answer for people.

use std::io::{self, Write};

use super::inputs::Named;
use super::run::run_lines;
use super::{Answer, write_aligned};

/// One `key  value` line each.
pub fn lcs_text(answer: &Answer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let lcs = answer.lcs;
    let mut lines = vec![
        ("length", lcs.length.to_string()),
        (
            "similarity",
            format!("{:.2} %", 100.0 * answer.similarity()),
        ),
    ];
    lines.extend(answer.inputs.lines());
    lines.extend(run_lines(lcs));
    write_aligned(&lines, out)
}
