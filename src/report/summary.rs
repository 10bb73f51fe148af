//! The answer for people.

use std::io::{self, Write};

use super::run::run_lines;
use super::{Answer, write_aligned};

/// One `key  value` line each.
pub fn lcs_text(answer: &Answer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (inputs, lcs) = (answer.inputs, answer.lcs);
    let (a_len, b_len) = inputs.sequences.lengths();
    let mut lines = vec![
        ("length", lcs.length.to_string()),
        ("similarity", format!("{:.2} %", 100.0 * answer.similarity())),
        ("a", format!("{a_len} symbols, {}", inputs.a_name)),
        ("b", format!("{b_len} symbols, {}", inputs.b_name)),
    ];
    lines.extend(run_lines(&lcs.run, lcs.run.method.name()));
    write_aligned(&lines, out)
}
