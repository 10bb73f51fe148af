//! The command `swath`: parse, read, solve, print.

mod cli;
mod input;
mod report;

use std::process::ExitCode;

use cli::args::Command;

fn main() -> ExitCode {
    cli::environment::prepare();
    cli::exit::finish(cli::args::parse().and_then(|command| command.map_or(Ok(()), run)))
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Lcs(args) => cli::lcs::run(&args),
        Command::Scs(args) => cli::scs::run(&args),
        Command::Substring(args) => cli::substring::run(&args),
        Command::Edit(args) => cli::edit::run(&args),
        Command::Chain(args) => cli::chain::run(&args),
        Command::Polygon(args) => cli::polygon::run(&args),
        Command::Bst(args) => cli::bst::run(&args),
        Command::Fold(args) => cli::fold::run(&args),
        Command::Devices(args) => cli::devices::run(&args),
        Command::Selftest(args) => cli::selftest::run(&args),
        Command::Bench(args) => cli::bench::run(&args),
        Command::Completions { shell } => cli::completions::run(shell),
        Command::Man(args) => cli::man::run(&args),
    }
}
