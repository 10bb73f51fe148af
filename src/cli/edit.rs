//! `swath edit`.

use swath::edit_distance::{EditDistance, EditOptions, PlanSummary};
use swath::{Control, Engine};

use super::args::{EditArgs, Witness};
use super::{interrupt, output, progress};
use crate::input::{self, Sequences};
use crate::report::{self, EditAnswer, Plan};

/// Reads, solves and prints.
pub fn run(args: &EditArgs) -> anyhow::Result<()> {
    let witness = args.output.witness()?;
    witness.check_file()?;
    let mut options = EditOptions::default();
    options.path = !matches!(witness, Witness::None);
    options.gaps = args.gaps(options.path)?;
    (options.method, options.mode) = (args.method, args.mode);
    (options.max_distance, options.starts) = (args.max_distance, args.starts);
    let inputs = input::read(&args.request())?;
    let engine = Engine::new(args.engine.options())?;

    if args.output.dry_run {
        let summary = plan(&engine, &inputs.sequences, &options)?;
        let plan = Plan { problem: "edit", method: summary.method.name(), inputs: &inputs, summary: &summary };
        return output::to_stdout(|out| report::write_plan(args.output.json, &plan, out));
    }

    let cancel = interrupt::install()?;
    let progress = progress::Reporter::new(args.output.progress);
    options.control = Control::new(cancel.clone(), progress.callback());
    let edit = solve(&engine, &inputs.sequences, &options)?;
    drop(progress);

    let answer = EditAnswer { inputs: &inputs, edit: &edit, mode: args.mode };
    match witness {
        // The file stays as it is where there is nothing to write.
        Witness::File(path, format) if edit.alignment.is_some() => {
            output::to_file(path, &cancel, |out| report::write_edit(format, &answer, out))?;
        }
        Witness::Stdout(format) => {
            output::to_stdout(|out| report::write_edit(format, &answer, out))?;
            return output::to_stderr(|out| report::edit_text(&answer, out));
        }
        Witness::File(..) | Witness::None | Witness::InJson => {}
    }
    output::to_stdout(|out| match args.output.json || matches!(witness, Witness::InJson) {
        true => report::edit_json(&answer, out),
        false => report::edit_text(&answer, out),
    })
}

fn solve(engine: &Engine, sequences: &Sequences, options: &EditOptions) -> swath::Result<EditDistance> {
    match sequences {
        Sequences::Bytes(pair) => engine.edit_distance_with(pair.compared().0, pair.compared().1, options),
        Sequences::Chars(pair) => engine.edit_distance_with(pair.compared().0, pair.compared().1, options),
        Sequences::Lines { pair, .. } | Sequences::Tokens { pair, .. } => {
            engine.edit_distance_with(pair.compared().0, pair.compared().1, options)
        }
    }
}

fn plan(engine: &Engine, sequences: &Sequences, options: &EditOptions) -> swath::Result<PlanSummary> {
    match sequences {
        Sequences::Bytes(pair) => engine.edit_distance_plan(pair.compared().0, pair.compared().1, options),
        Sequences::Chars(pair) => engine.edit_distance_plan(pair.compared().0, pair.compared().1, options),
        Sequences::Lines { pair, .. } | Sequences::Tokens { pair, .. } => {
            engine.edit_distance_plan(pair.compared().0, pair.compared().1, options)
        }
    }
}
