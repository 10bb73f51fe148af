//! `swath chain`.

use swath::parenthesization::{MatrixChain, Precision};

use super::args::ChainArgs;
use super::parenthesize::{Asked, call};
use crate::input::Numbers;
use crate::report::Shown;

/// Reads, solves and prints.
pub fn run(args: &ChainArgs) -> anyhow::Result<()> {
    let numbers = Numbers::from_arguments(&args.numbers)?;
    let (dimensions, names) = numbers.chain()?;
    let asked =
        Asked { problem: "chain", name: &numbers.name, shown: Shown::Products(&names), precision: Precision::Exact };
    call(&MatrixChain::new(dimensions), asked, &args.call)
}
