//! `swath edit`.

use swath::edit_distance::{EditDistance, Gaps};
use swath::{Control, Edit, Engine, PlanSummary, Report, Symbol};

use super::args::{EditArgs, Witness};
use super::{interrupt, output, progress};
use crate::input::{self, Sequences};
use crate::report::{self, EditAnswer, Plan};

/// Reads, solves and prints.
pub fn run(args: &EditArgs) -> anyhow::Result<()> {
    let witness = args.output.witness()?;
    witness.check_file()?;
    let path = !matches!(witness, Witness::None);
    let asked = Asked { args, path, gaps: args.gaps(path)? };
    let inputs = input::read(&args.request())?;
    let engine = Engine::new(args.engine.options())?;

    if args.output.dry_run {
        let summary = plan(&engine, &inputs.sequences, asked)?;
        let plan = Plan { problem: "edit", method: summary.method, inputs: &inputs, summary: &summary };
        return output::to_stdout(|out| report::write_plan(args.output.json, &plan, out));
    }

    let cancel = interrupt::install()?;
    let progress = progress::Reporter::new(args.output.progress);
    let control = Control::new(cancel.clone(), progress.callback());
    let edit = solve(&engine, &inputs.sequences, asked, &control)?;
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

/// What is asked of the pair.
#[derive(Clone, Copy)]
struct Asked<'a> {
    args: &'a EditArgs,
    path: bool,
    gaps: Option<Gaps>,
}

impl Asked<'_> {
    fn task<'a, S: Symbol>(&self, (a, b): (&'a [S], &'a [S])) -> Edit<'a, S> {
        let task = Edit::of(a, b).method(self.args.method).mode(self.args.mode).with_path(self.path);
        let task = if self.args.starts { task.starts() } else { task };
        let task = self.args.max_distance.into_iter().fold(task, Edit::within);
        self.gaps.into_iter().fold(task, Edit::gaps)
    }
}

fn solve(
    engine: &Engine,
    sequences: &Sequences,
    asked: Asked<'_>,
    control: &Control,
) -> swath::Result<Report<EditDistance>> {
    match sequences {
        Sequences::Bytes(pair) => engine.run_with(&asked.task(pair.compared()), control),
        Sequences::Chars(pair) => engine.run_with(&asked.task(pair.compared()), control),
        Sequences::Lines { pair, .. } | Sequences::Tokens { pair, .. } => {
            engine.run_with(&asked.task(pair.compared()), control)
        }
    }
}

fn plan(engine: &Engine, sequences: &Sequences, asked: Asked<'_>) -> swath::Result<PlanSummary> {
    match sequences {
        Sequences::Bytes(pair) => engine.plan(&asked.task(pair.compared())),
        Sequences::Chars(pair) => engine.plan(&asked.task(pair.compared())),
        Sequences::Lines { pair, .. } | Sequences::Tokens { pair, .. } => engine.plan(&asked.task(pair.compared())),
    }
}
