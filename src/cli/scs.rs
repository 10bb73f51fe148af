//! `swath scs`.

use swath::supersequence::PlanSummary;
use swath::{Control, Engine, Scs, ScsOptions};

use super::args::{ScsArgs, Witness};
use super::{interrupt, output, progress};
use crate::input::{self, Lists};
use crate::report::{self, Plan, ScsAnswer, ScsFormat};

/// Reads, solves and prints.
pub fn run(args: &ScsArgs) -> anyhow::Result<()> {
    let witness = args.output.witness()?;
    witness.check_file()?;
    let inputs = input::read_list(&args.request()?)?;
    let engine = Engine::new(args.engine.options())?;
    let mut options = ScsOptions::default();
    options.method = args.method;
    options.path = !matches!(witness, Witness::None);

    if args.output.dry_run {
        let summary = plan(&engine, &inputs.lists, &options)?;
        let plan = Plan { problem: "scs", method: summary.method.name(), inputs: &inputs, summary: &summary };
        return output::to_stdout(|out| report::write_plan(args.output.json, &plan, out));
    }

    let cancel = interrupt::install()?;
    let progress = progress::Reporter::new(args.output.progress);
    options.control = Control::new(cancel.clone(), progress.callback());
    let scs = solve(&engine, &inputs.lists, &options)?;
    drop(progress);

    let answer = ScsAnswer { inputs: &inputs, scs: &scs };
    match witness {
        Witness::File(path, format) => {
            output::to_file(path, &cancel, |out| report::write_scs(format, &answer, out))?;
        }
        Witness::Stdout(format) => {
            output::to_stdout(|out| report::write_scs(format, &answer, out))?;
            let unended = matches!(inputs.lists, Lists::Bytes(_) | Lists::Chars(_));
            output::end_line(format == ScsFormat::Text && unended)?;
            return output::to_stderr(|out| report::scs_text(&answer, out));
        }
        Witness::None | Witness::InJson => {}
    }
    output::to_stdout(|out| match args.output.json || matches!(witness, Witness::InJson) {
        true => report::scs_json(&answer, out),
        false => report::scs_text(&answer, out),
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
