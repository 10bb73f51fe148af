//! Answers as text and JSON: one exporter a file.

mod alignment_text;
pub mod bench;
mod blocks;
mod devices;
mod diff;
mod edit;
mod edits;
mod inline_diff;
mod inputs;
mod json;
mod markup;
mod ndjson;
mod ops;
mod parenthesization;
mod plan;
mod run;
mod scs;
mod selftest;
mod substring;
mod summary;
mod text;
mod tree;
mod units;

use std::io::{self, BufWriter, Write};

use clap::ValueEnum;
use swath::lcs::CommonSubsequence;
use swath::{Block, Report};

use crate::input::Inputs;

pub use devices::{devices_json, devices_text};
pub use edit::{EditAnswer, EditFormat, edit_json, edit_text, write_edit};
pub use json::lcs_json;
pub use parenthesization::{TreeAnswer, tree_json, tree_plan_json, tree_plan_text, tree_text};
pub use plan::{Plan, write_plan};
pub use scs::{ScsAnswer, ScsFormat, scs_json, scs_text, write_scs};
pub use selftest::{selftest_json, selftest_text};
pub use substring::{
    SubstringAnswer, SubstringFormat, SubstringFound, substring_json, substring_text,
    write_substring_plan, write_substrings,
};
pub use summary::lcs_text;
pub use tree::{Shown, TreeFormat, write_tree};
pub use units::cells_per_second;

/// How the subsequence is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The subsequence itself: bytes and characters as they are, one line a line, tokens between spaces
    Text,
    /// Runs of pairs: position in A, position in B (from 0) and length, between tabs
    Blocks,
    /// Edit script: `120= 3D 1I` is 120 pairs, 3 symbols only in A, 1 only in B
    Ops,
    /// Unified diff of lines or tokens; `[-only A-]{+only B+}` in the text for bytes and characters
    Diff,
    /// The object that --json prints, with its blocks
    Json,
    /// One JSON object a run of pairs
    Ndjson,
}

/// An answer and the inputs that it is about.
#[derive(Clone, Copy)]
pub struct Answer<'a> {
    pub inputs: &'a Inputs,
    pub lcs: &'a Report<CommonSubsequence>,
}

impl Answer<'_> {
    fn blocks(&self) -> &[Block] {
        self.lcs
            .subsequence
            .as_ref()
            .map_or(&[], |subsequence| subsequence.blocks())
    }

    /// `2L / (m + n)`: 1 for equal inputs, two empty ones among them, and 0 where no symbol is shared.
    fn similarity(&self) -> f64 {
        let (a, b) = self.inputs.sequences.lengths();
        if a + b == 0 {
            1.0
        } else {
            2.0 * self.lcs.length as f64 / (a as f64 + b as f64)
        }
    }
}

/// Writes the subsequence of `answer`.
pub fn write_witness(format: Format, answer: &Answer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (inputs, blocks) = (answer.inputs, answer.blocks());
    match format {
        Format::Text => text::write(&inputs.sequences, blocks, out),
        Format::Blocks => blocks::write(blocks, out),
        Format::Ops => ops::write(blocks, inputs.sequences.lengths(), out),
        Format::Diff => diff::write(inputs, 0..inputs.sequences.lengths().1, blocks, out),
        Format::Json => lcs_json(answer, out),
        Format::Ndjson => ndjson::write(blocks, out),
    }
}

/// Lines of `key  value` with the values in one column.
fn write_aligned(lines: &[(&str, String)], out: &mut dyn Write) -> io::Result<()> {
    let width = lines
        .iter()
        .map(|(key, _)| key.len())
        .max()
        .unwrap_or_default();
    lines
        .iter()
        .try_for_each(|(key, value)| writeln!(out, "{key:width$}  {value}"))
}

/// An empty line between paragraphs.
pub fn between(needed: bool, out: &mut dyn Write) -> io::Result<()> {
    if needed { writeln!(out) } else { Ok(()) }
}

/// Bytes of JSON that are put together before they are written: it comes in pieces of a few.
const JSON_BUFFER: usize = 1 << 16;

/// One JSON value and a newline.
fn write_json<T: serde::Serialize>(value: &T, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(JSON_BUFFER, out);
    serde_json::to_writer(&mut out, value)?;
    out.write_all(b"\n")?;
    out.flush()
}
