//! The answer for people.

use std::io::{self, Write};

use super::json::rate;
use super::{Answer, cells_per_second, units, write_aligned};

/// One `key  value` line each.
pub fn lcs_text(answer: &Answer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (inputs, lcs) = (answer.inputs, answer.lcs);
    let (a_len, b_len) = inputs.sequences.lengths();
    let run = &lcs.run;
    let lines = [
        ("length", lcs.length.to_string()),
        ("similarity", format!("{:.2} %", 100.0 * answer.similarity())),
        ("a", format!("{a_len} symbols, {}", inputs.a_name)),
        ("b", format!("{b_len} symbols, {}", inputs.b_name)),
        ("method", run.method.name().to_string()),
        ("path", run.path_mode.to_string()),
        ("device", run.device.clone()),
        ("time", units::time(run.elapsed)),
        ("speed", cells_per_second(rate(run.cells, run.elapsed))),
        ("cells", format!("{}, {} computed", run.cells, run.computed_cells)),
        ("common ends", format!("{} + {} symbols", run.common_prefix, run.common_suffix)),
    ];
    write_aligned(&lines, out)
}
