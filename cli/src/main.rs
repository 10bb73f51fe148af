//! The command `swath`: parses, reads, solves and prints.

mod allocator;
mod args;
mod bench;
mod call;
mod compare;
mod diagnostics;
mod dna;
mod environment;
mod exit;
mod input;
mod interrupt;
mod lists;
mod man;
mod message;
mod neighbors;
mod output;
mod pairs;
mod progress;
mod report;
mod runs;
mod search;
mod tree;

use std::process::ExitCode;

use crate::args::Command;

fn main() -> ExitCode {
    environment::prepare();
    allocator::prepare();
    interrupt::ignore_file_limit();
    exit::finish(args::parse().and_then(|command| {
        if let Some(device) = command.as_ref().and_then(Command::device) {
            environment::show_first_cuda_device(device);
        }
        command.map_or(Ok(()), run)
    }))
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Lcs(args) => compare::run(&args),
        Command::Scs(args) => compare::run(&args),
        Command::Substring(args) => compare::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Edit(args) => compare::run(&args),
        Command::Pairs(args) => pairs::run(&args),
        Command::Join(args) => pairs::join::run(&args),
        Command::Neighbors(args) => neighbors::run(&args),
        Command::Search(args) => search::run(&args),
        Command::Chain(args) => tree::chain(&args),
        Command::Polygon(args) => tree::polygon(&args),
        Command::Bst(args) => tree::bst(&args),
        Command::Fold(args) => tree::fold(&args),
        Command::Devices(args) => diagnostics::devices(&args),
        Command::Selftest(args) => diagnostics::selftest(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Completions { shell } => diagnostics::completions(shell),
        Command::Man(args) => man::run(&args),
    }
}
