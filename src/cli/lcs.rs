//! `swath lcs`.

use swath::lcs::{Lcs, LcsOptions, PlanSummary};
use swath::{Control, Engine};

use super::args::{LcsArgs, Witness};
use super::interrupt::Interrupt;
use super::{output, progress};
use crate::input::{self, Sequences};
use crate::report::{self, Answer, Format, Plan};

/// Reads, solves and prints.
pub fn run(args: &LcsArgs) -> anyhow::Result<()> {
    let request = args.request();
    let witness = args.output.witness(request.sources())?;
    let mut reading = args.engine.reading();
    let inputs = input::read(&request, &mut reading)?;
    output::notes(&reading);
    let engine = Engine::new(args.engine.options_beside(&reading))?;
    let mut options = LcsOptions::default();
    options.method = args.method;
    options.path = !matches!(witness, Witness::None);

    if args.output.dry_run {
        let summary = args.engine.explained(plan(&engine, &inputs.sequences, &options), &reading)?;
        let plan = Plan { problem: "lcs", method: summary.method.name(), inputs: &inputs, summary: &summary };
        return output::to_stdout(|out| report::write_plan(args.output.json, &plan, out));
    }

    let interrupt = Interrupt::install()?;
    let progress = progress::Reporter::new(args.output.progress);
    options.control = Control::new(interrupt.handle().clone(), progress.callback());
    let lcs = args.engine.explained(solve(&engine, &inputs.sequences, &options), &reading)?;
    drop(progress);

    let answer = Answer { inputs: &inputs, lcs: &lcs };
    if let Witness::File(file, format) = &witness {
        let mut writing = file.begin(&interrupt)?;
        writing.put(|out| report::write_witness(*format, &answer, out))?;
        writing.finish()?;
    }
    interrupt.ending_at_once(|| {
        if let Witness::Stdout(format) = witness {
            output::to_stdout(|out| report::write_witness(format, &answer, out))?;
            output::end_line(needs_newline(format, &inputs.sequences))?;
            return output::to_stderr(|out| report::lcs_text(&answer, out));
        }
        output::to_stdout(|out| match args.output.json || matches!(witness, Witness::InJson) {
            true => report::lcs_json(&answer, out),
            false => report::lcs_text(&answer, out),
        })
    })
}

/// Whether the witness ends without a newline of its own.
fn needs_newline(format: Format, sequences: &Sequences) -> bool {
    format == Format::Text && matches!(sequences, Sequences::Bytes(_) | Sequences::Chars(_))
}

fn solve(engine: &Engine, sequences: &Sequences, options: &LcsOptions) -> swath::Result<Lcs> {
    match sequences {
        Sequences::Bytes(pair) => engine.lcs_with(pair.compared().0, pair.compared().1, options),
        Sequences::Chars(pair) => engine.lcs_with(pair.compared().0, pair.compared().1, options),
        Sequences::Lines { pair, .. } | Sequences::Tokens { pair, .. } => {
            engine.lcs_with(pair.compared().0, pair.compared().1, options)
        }
    }
}

fn plan(engine: &Engine, sequences: &Sequences, options: &LcsOptions) -> swath::Result<PlanSummary> {
    match sequences {
        Sequences::Bytes(pair) => engine.lcs_plan(pair.compared().0, pair.compared().1, options),
        Sequences::Chars(pair) => engine.lcs_plan(pair.compared().0, pair.compared().1, options),
        Sequences::Lines { pair, .. } | Sequences::Tokens { pair, .. } => {
            engine.lcs_plan(pair.compared().0, pair.compared().1, options)
        }
    }
}
