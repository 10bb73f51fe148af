//! The commands that compare sequences: they read, decide, solve and print.

mod assemblies;
mod comparison;
mod edit;
mod edit_batch;
mod edit_witness;
mod lcs;
mod print;
mod record_pair;
mod run;
mod scs;
mod side_by_side;
mod sink;
mod substring;
mod together;

use crate::interrupt::Interrupt;
use crate::progress::Reporter;
use print::Printer;
use run::Call;
use together::ComparesTogether;

pub fn run<C: ComparesTogether>(command: &C) -> anyhow::Result<()> {
    let call = Call::read(command)?;
    if call.settings.output.dry_run {
        return call.print_plans();
    }
    let interrupt = Interrupt::install()?;
    let progress = Reporter::new(call.settings.output.progress.when);
    let mut printer = Printer::begin(&call, &interrupt, &progress)?;
    if !printer.write_together()? {
        let solve = |index: usize| call.solve(index, &progress, &interrupt);
        let answers = side_by_side::in_order(call.count, call.threads, &solve);
        for (index, answered) in answers.enumerate() {
            if let Some(answered) = answered? {
                printer.take(index, answered)?;
            }
        }
    }
    printer.finish()
}
