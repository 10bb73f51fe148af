//! `swath fold`.

use anyhow::{Context, bail};
use swath::parenthesization::{Precision, RnaFold};

use super::args::{FoldArgs, source};
use super::output::DASH;
use super::parenthesize::{Asked, call, output};
use crate::input::{self, Source};
use crate::report::Shown;

/// Reads, solves and prints.
pub fn run(args: &FoldArgs) -> anyhow::Result<()> {
    let from = match args.text && args.file != DASH {
        true => Source::Literal(args.file.clone()),
        false => source(&args.file),
    };
    let file = output(&args.call, [&from])?;
    let mut reading = args.call.engine.reading();
    let sequence = input::read_letters(&from, args.record.as_deref(), &mut reading)?;
    super::output::notes(&reading);
    if sequence.bytes.is_empty() {
        bail!(
            "{}: the sequence is empty; give one base or more",
            sequence.name
        );
    }
    let fold =
        RnaFold::new(&sequence.bytes, args.least_loop).with_context(|| sequence.name.clone())?;
    let input = format!("{} bases", sequence.bytes.len());
    let (name, shown, precision) = (&sequence.name, Shown::Brackets, Precision::Exact);
    call(
        &fold,
        Asked {
            problem: "fold",
            name,
            input: &input,
            shown,
            precision,
        },
        file,
        &args.call,
    )
}
