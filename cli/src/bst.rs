//! `swath bst`.

use anyhow::bail;
use swath::parenthesization::SearchTree;

use super::args::{BstArgs, source};
use super::parenthesize::{Asked, call, output};
use crate::input::{Numbers, Source, Weights};
use crate::report::Shown;

/// Reads, solves and prints.
pub fn run(args: &BstArgs) -> anyhow::Result<()> {
    let (keys, gaps) = (
        source(&args.file),
        args.gaps.as_ref().map(|file| source(file)),
    );
    let file = output(&args.call, std::iter::once(&keys).chain(&gaps))?;
    if matches!((&keys, &gaps), (Source::Stdin, Some(Source::Stdin))) {
        bail!("'-' is given twice, but stdin holds one input; put the other into a file");
    }
    let memory = args.call.engine.reading().memory;
    let numbers = Numbers::read(&keys, &memory)?;
    let gaps = match gaps {
        Some(file) => Numbers::read(&file, &memory)?.weights()?,
        None => Weights::Whole(Vec::new()),
    };
    let keys = numbers.weights()?;
    let input = match (keys.len(), gaps.len()) {
        (keys, 0) => format!("{keys} keys"),
        (keys, gaps) => format!("{keys} keys, {gaps} gaps"),
    };
    let asked = Asked {
        problem: "bst",
        name: &numbers.name,
        input: &input,
        shown: Shown::Keys,
        precision: args.precision.precision,
    };
    match (keys, gaps) {
        (keys, _) if keys.len() == 0 => {
            bail!("{}: there is no key; give one weight or more", numbers.name)
        }
        (Weights::Whole(keys), Weights::Whole(gaps)) => {
            call(&SearchTree::new(keys, gaps)?, asked, file, &args.call)
        }
        (keys, gaps) => call(
            &SearchTree::new(keys.real(), gaps.real())?,
            asked,
            file,
            &args.call,
        ),
    }
}
