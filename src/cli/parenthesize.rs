//! What the commands that look for a best tree have in common: solve and print.

use swath::parenthesization::{Precision, Problem};
use swath::{Control, Engine, Parenthesize};

use super::args::TreeCallArgs;
use super::{interrupt, output, progress};
use crate::report::{self, Shown, TreeAnswer};

/// What is asked, for reports.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The command.
    pub problem: &'static str,
    /// Where the input came from.
    pub name: &'a str,
    /// How trees are shown.
    pub shown: Shown<'a>,
    /// How precise real weights are.
    pub precision: Precision,
}

/// Solves and prints.
pub fn call<P: Problem>(problem: &P, asked: Asked<'_>, args: &TreeCallArgs) -> anyhow::Result<()> {
    let engine = Engine::new(args.engine.options())?;
    let Asked { problem: command, name, shown, precision } = asked;
    let task = Parenthesize::of(problem).method(args.method).precision(precision);
    let leaves = problem.leaves();
    if args.dry_run {
        let summary = engine.plan(&task)?;
        return output::to_stdout(|out| match args.json {
            true => report::tree_plan_json(command, (name, P::ITEMS, leaves), &summary, out),
            false => report::tree_plan_text((name, P::ITEMS, leaves), &summary, out),
        });
    }
    let cancel = interrupt::install()?;
    let progress = progress::Reporter::new(args.progress);
    let solved = engine.run_with(&task, &Control::new(cancel, progress.callback()))?;
    drop(progress);

    let answer = TreeAnswer { problem: command, items: P::ITEMS, goal: P::GOAL, name, shown, solved: &solved };
    match (args.json, args.tree) {
        (true, tree) => output::to_stdout(|out| report::tree_json(&answer, tree.is_some(), out)),
        (false, None) => output::to_stdout(|out| report::tree_text(&answer, out)),
        (false, Some(format)) => {
            output::to_stdout(|out| report::write_tree(format, shown, &solved.tree, out))?;
            output::to_stderr(|out| report::tree_text(&answer, out))
        }
    }
}
