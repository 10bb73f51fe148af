//! `swath lcs`.

use swath::lcs::CommonSubsequence;
use swath::{Control, Engine, Lcs, PlanSummary, Report, Symbol};

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
    let path = !matches!(witness, Witness::None);

    if args.output.dry_run {
        let summary = args
            .engine
            .explained(plan(&engine, &inputs.sequences, args, path), &reading)?;
        let plan = Plan {
            problem: "lcs",
            method: summary.method,
            inputs: &inputs,
            summary: &summary,
        };
        return output::to_stdout(|out| report::write_plan(args.output.json, &plan, out));
    }

    let interrupt = Interrupt::install()?;
    let progress = progress::Reporter::new(args.output.progress);
    let control = Control::new(interrupt.handle().clone(), progress.callback());
    let lcs = args.engine.explained(
        solve(&engine, &inputs.sequences, args, path, &control),
        &reading,
    )?;

    let answer = Answer {
        inputs: &inputs,
        lcs: &lcs,
    };
    if let Witness::File(file, format) = &witness {
        progress.enter(progress::WRITING);
        file.write(&interrupt, |out| {
            report::write_witness(*format, &answer, out)
        })?;
    }
    drop(progress);
    interrupt.ending_at_once(|| {
        if let Witness::Stdout(format) = witness {
            output::to_stdout(|out| report::write_witness(format, &answer, out))?;
            output::end_line(needs_newline(format, &inputs.sequences))?;
            return output::to_stderr(|out| report::lcs_text(&answer, out));
        }
        output::to_stdout(
            |out| match args.output.json || matches!(witness, Witness::InJson) {
                true => report::lcs_json(&answer, out),
                false => report::lcs_text(&answer, out),
            },
        )
    })
}

/// Whether the witness ends without a newline of its own.
fn needs_newline(format: Format, sequences: &Sequences) -> bool {
    format == Format::Text && matches!(sequences, Sequences::Bytes(_) | Sequences::Chars(_))
}

fn task<'a, S: Symbol>((a, b): (&'a [S], &'a [S]), args: &LcsArgs, path: bool) -> Lcs<'a, S> {
    Lcs::of(a, b).method(args.method).with_path(path)
}

fn solve(
    engine: &Engine,
    sequences: &Sequences,
    args: &LcsArgs,
    path: bool,
    control: &Control,
) -> swath::Result<Report<CommonSubsequence>> {
    match sequences {
        Sequences::Bytes(pair) => engine.run_with(&task(pair.compared(), args, path), control),
        Sequences::Chars(pair) => engine.run_with(&task(pair.compared(), args, path), control),
        Sequences::Lines { pair, .. } | Sequences::Tokens { pair, .. } => {
            engine.run_with(&task(pair.compared(), args, path), control)
        }
    }
}

fn plan(
    engine: &Engine,
    sequences: &Sequences,
    args: &LcsArgs,
    path: bool,
) -> swath::Result<PlanSummary> {
    match sequences {
        Sequences::Bytes(pair) => engine.plan(&task(pair.compared(), args, path)),
        Sequences::Chars(pair) => engine.plan(&task(pair.compared(), args, path)),
        Sequences::Lines { pair, .. } | Sequences::Tokens { pair, .. } => {
            engine.plan(&task(pair.compared(), args, path))
        }
    }
}
