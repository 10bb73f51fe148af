//! `swath scs`.

use swath::supersequence::CommonSupersequence;
use swath::{Control, Engine, PlanSummary, Report, Scs, Symbol};

use super::args::{ScsArgs, Witness};
use super::interrupt::Interrupt;
use super::{output, progress};
use crate::input::{self, Lists};
use crate::report::{self, Plan, ScsAnswer, ScsFormat};

/// Reads, solves and prints.
pub fn run(args: &ScsArgs) -> anyhow::Result<()> {
    let request = args.request()?;
    let witness = args
        .output
        .witness(request.sides.iter().map(|side| &side.source))?;
    let mut reading = args.engine.reading();
    let inputs = input::read_list(&request, &mut reading)?;
    output::notes(&reading);
    let engine = Engine::new(args.engine.options_beside(&reading))?;
    let path = !matches!(witness, Witness::None);

    if args.output.dry_run {
        let summary = args
            .engine
            .explained(plan(&engine, &inputs.lists, args, path), &reading)?;
        let plan = Plan {
            problem: "scs",
            method: summary.method,
            inputs: &inputs,
            summary: &summary,
        };
        return output::to_stdout(|out| report::write_plan(args.output.json, &plan, out));
    }

    let interrupt = Interrupt::install()?;
    let progress = progress::Reporter::new(args.output.progress);
    let control = Control::new(interrupt.handle().clone(), progress.callback());
    let scs = args.engine.explained(
        solve(&engine, &inputs.lists, args, path, &control),
        &reading,
    )?;

    let answer = ScsAnswer {
        inputs: &inputs,
        scs: &scs,
    };
    if let Witness::File(file, format) = &witness {
        progress.enter(progress::WRITING);
        file.write(&interrupt, |out| report::write_scs(*format, &answer, out))?;
    }
    drop(progress);
    interrupt.ending_at_once(|| {
        if let Witness::Stdout(format) = witness {
            output::to_stdout(|out| report::write_scs(format, &answer, out))?;
            let unended = matches!(inputs.lists, Lists::Bytes(_) | Lists::Chars(_));
            output::end_line(format == ScsFormat::Text && unended)?;
            return output::to_stderr(|out| report::scs_text(&answer, out));
        }
        output::to_stdout(
            |out| match args.output.json || matches!(witness, Witness::InJson) {
                true => report::scs_json(&answer, out),
                false => report::scs_text(&answer, out),
            },
        )
    })
}

fn task<'a, S: Symbol>(list: Vec<&'a [S]>, args: &ScsArgs, path: bool) -> Scs<'a, S> {
    Scs::of_all(list).method(args.method).with_path(path)
}

fn solve(
    engine: &Engine,
    lists: &Lists,
    args: &ScsArgs,
    path: bool,
    control: &Control,
) -> swath::Result<Report<CommonSupersequence>> {
    match lists {
        Lists::Bytes(list) => engine.run_with(&task(list.compared(), args, path), control),
        Lists::Chars(list) => engine.run_with(&task(list.compared(), args, path), control),
        Lists::Lines { list, .. } | Lists::Tokens { list, .. } => {
            engine.run_with(&task(list.compared(), args, path), control)
        }
    }
}

fn plan(engine: &Engine, lists: &Lists, args: &ScsArgs, path: bool) -> swath::Result<PlanSummary> {
    match lists {
        Lists::Bytes(list) => engine.plan(&task(list.compared(), args, path)),
        Lists::Chars(list) => engine.plan(&task(list.compared(), args, path)),
        Lists::Lines { list, .. } | Lists::Tokens { list, .. } => {
            engine.plan(&task(list.compared(), args, path))
        }
    }
}
