//! `swath chain`.

use swath::parenthesization::{MatrixChain, Precision};

use super::args::{ChainArgs, source};
use super::parenthesize::{Asked, call, output};
use crate::input::Numbers;
use crate::report::Shown;

/// Reads, solves and prints.
pub fn run(args: &ChainArgs) -> anyhow::Result<()> {
    // Any argument may be the file that the numbers are in.
    let arguments: Vec<_> = args
        .numbers
        .iter()
        .map(|argument| source(argument))
        .collect();
    let file = output(&args.call, &arguments)?;
    let numbers = Numbers::from_arguments(&args.numbers, &args.call.engine.reading().memory)?;
    let (dimensions, names) = numbers.chain()?;
    let input = format!("{} matrices", names.len());
    let asked = Asked {
        problem: "chain",
        name: &numbers.name,
        input: &input,
        shown: Shown::Products(&names),
        precision: Precision::Exact,
    };
    call(&MatrixChain::new(dimensions), asked, file, &args.call)
}
