//! The command `swath`: parse, read, solve, print.

mod args;
mod bench;
mod bst;
mod chain;
mod completions;
mod devices;
mod edit;
mod environment;
mod exit;
mod fold;
mod input;
mod interrupt;
mod lcs;
mod man;
mod note;
mod output;
mod parenthesize;
mod polygon;
mod progress;
mod report;
mod scs;
mod selftest;
mod substring;

use std::process::ExitCode;

use crate::args::Command;

fn main() -> ExitCode {
    environment::prepare();
    exit::finish(args::parse().and_then(|command| command.map_or(Ok(()), run)))
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Lcs(args) => lcs::run(&args),
        Command::Scs(args) => scs::run(&args),
        Command::Substring(args) => substring::run(&args),
        Command::Edit(args) => edit::run(&args),
        Command::Chain(args) => chain::run(&args),
        Command::Polygon(args) => polygon::run(&args),
        Command::Bst(args) => bst::run(&args),
        Command::Fold(args) => fold::run(&args),
        Command::Devices(args) => devices::run(&args),
        Command::Selftest(args) => selftest::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Completions { shell } => completions::run(shell),
        Command::Man(args) => man::run(&args),
    }
}
