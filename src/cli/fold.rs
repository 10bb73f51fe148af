//! `swath fold`.

use anyhow::{Context, bail};
use swath::parenthesization::{Precision, RnaFold};

use super::args::FoldArgs;
use super::args::source;
use super::parenthesize::{Asked, call};
use crate::input::{self, Source};
use crate::report::Shown;

/// Reads, solves and prints.
pub fn run(args: &FoldArgs) -> anyhow::Result<()> {
    let from = if args.text { Source::Literal(args.file.clone()) } else { source(&args.file) };
    let sequence = input::read_letters(from, args.record.as_deref())?;
    if sequence.bytes.is_empty() {
        bail!("{}: the sequence is empty; give one base or more", sequence.name);
    }
    let fold = RnaFold::new(&sequence.bytes, args.least_loop).with_context(|| sequence.name.clone())?;
    call(
        &fold,
        Asked { problem: "fold", name: &sequence.name, shown: Shown::Brackets, precision: Precision::Exact },
        &args.call,
    )
}
