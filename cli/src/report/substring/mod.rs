//! Common substrings: summary, tables, JSON and a dot plot.

mod answer;
mod bed;
mod json;
mod paf;
mod plan;
mod summary;
mod svg;
mod text;
mod tsv;

use std::io::{self, Write};

pub use answer::{SubstringAnswer, SubstringFound};
use clap::ValueEnum;
pub use json::substring_json;
pub use plan::write_substring_plan;
pub use summary::substring_text;

/// How substrings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SubstringFormat {
    /// The substrings themselves, one a line; lines and tokens as they are
    Text,
    /// A place a line, or a match a line: names, start, end and strand between tabs, and the length
    Tsv,
    /// BED: a line for every place, or for both of a match
    Bed,
    /// A line of PAF with cg:Z: for every match
    Paf,
    /// The object that --json prints, with the substrings themselves
    Json,
    /// A dot plot of the matches of two inputs
    Svg,
}

/// Writes the substrings or matches.
pub fn write_substrings(
    format: SubstringFormat,
    answer: &SubstringAnswer<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        SubstringFormat::Text => text::write(answer, out),
        SubstringFormat::Tsv => tsv::write(answer, out),
        SubstringFormat::Bed => bed::write(answer, out),
        SubstringFormat::Paf => paf::write(answer, out),
        SubstringFormat::Json => substring_json(answer, true, out),
        SubstringFormat::Svg => svg::write(answer, out),
    }
}
