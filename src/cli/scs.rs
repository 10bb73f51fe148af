//! `swath scs`.

use swath::supersequence::PlanSummary;
use swath::{Control, Engine, Scs, ScsOptions};

use super::args::{ScsArgs, Witness};
use super::interrupt::Interrupt;
use super::{output, progress};
use crate::input::{self, Lists};
use crate::report::{self, Plan, ScsAnswer, ScsFormat};

/// Reads, solves and prints.
pub fn run(args: &ScsArgs) -> anyhow::Result<()> {
    let request = args.request()?;
    let witness = args.output.witness(request.sides.iter().map(|side| &side.source))?;
    let mut reading = args.engine.reading();
    let inputs = input::read_list(&request, &mut reading)?;
    output::notes(&reading);
    let engine = Engine::new(args.engine.options_beside(&reading))?;
    let mut options = ScsOptions::default();
    options.method = args.method;
    options.path = !matches!(witness, Witness::None);

    if args.output.dry_run {
        let summary = args.engine.explained(plan(&engine, &inputs.lists, &options), &reading)?;
        let plan = Plan { problem: "scs", method: summary.method.name(), inputs: &inputs, summary: &summary };
        return output::to_stdout(|out| report::write_plan(args.output.json, &plan, out));
    }

    let interrupt = Interrupt::install()?;
    let progress = progress::Reporter::new(args.output.progress);
    options.control = Control::new(interrupt.handle().clone(), progress.callback());
    let scs = args.engine.explained(solve(&engine, &inputs.lists, &options), &reading)?;
    drop(progress);

    let answer = ScsAnswer { inputs: &inputs, scs: &scs };
    if let Witness::File(file, format) = &witness {
        let mut writing = file.begin(&interrupt)?;
        writing.put(|out| report::write_scs(*format, &answer, out))?;
        writing.finish()?;
    }
    interrupt.ending_at_once(|| {
        if let Witness::Stdout(format) = witness {
            output::to_stdout(|out| report::write_scs(format, &answer, out))?;
            let unended = matches!(inputs.lists, Lists::Bytes(_) | Lists::Chars(_));
            output::end_line(format == ScsFormat::Text && unended)?;
            return output::to_stderr(|out| report::scs_text(&answer, out));
        }
        output::to_stdout(|out| match args.output.json || matches!(witness, Witness::InJson) {
            true => report::scs_json(&answer, out),
            false => report::scs_text(&answer, out),
        })
    })
}

fn solve(engine: &Engine, lists: &Lists, options: &ScsOptions) -> swath::Result<Scs> {
    match lists {
        Lists::Bytes(list) => engine.scs_many(&list.compared(), options),
        Lists::Chars(list) => engine.scs_many(&list.compared(), options),
        Lists::Lines { list, .. } | Lists::Tokens { list, .. } => engine.scs_many(&list.compared(), options),
    }
}

fn plan(engine: &Engine, lists: &Lists, options: &ScsOptions) -> swath::Result<PlanSummary> {
    match lists {
        Lists::Bytes(list) => engine.scs_many_plan(&list.compared(), options),
        Lists::Chars(list) => engine.scs_many_plan(&list.compared(), options),
        Lists::Lines { list, .. } | Lists::Tokens { list, .. } => engine.scs_many_plan(&list.compared(), options),
    }
}
