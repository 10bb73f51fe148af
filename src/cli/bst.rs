//! `swath bst`.

use anyhow::bail;
use swath::parenthesization::SearchTree;

use super::args::BstArgs;
use super::args::source;
use super::parenthesize::{Asked, call};
use crate::input::{Numbers, Source, Weights};
use crate::report::Shown;

/// Reads, solves and prints.
pub fn run(args: &BstArgs) -> anyhow::Result<()> {
    let numbers = Numbers::read(&source(&args.file))?;
    let gaps = args.gaps.as_ref().map(|file| source(file));
    if matches!((source(&args.file), &gaps), (Source::Stdin, Some(Source::Stdin))) {
        bail!("'-' is given twice, but stdin holds one input; put the other into a file");
    }
    let gaps = match gaps {
        Some(file) => Numbers::read(&file)?.weights()?,
        None => Weights::Whole(Vec::new()),
    };
    let asked = Asked { problem: "bst", name: &numbers.name, shown: Shown::Keys, precision: args.precision.precision };
    match (numbers.weights()?, gaps) {
        (Weights::Whole(keys), _) if keys.is_empty() => {
            bail!("{}: there is no key; give one weight or more", numbers.name)
        }
        (Weights::Whole(keys), Weights::Whole(gaps)) => call(&SearchTree::new(keys, gaps)?, asked, &args.call),
        (keys, gaps) => call(&SearchTree::new(keys.real(), gaps.real())?, asked, &args.call),
    }
}
