//! What the commands that look for a best tree have in common: solve and print.

use swath::parenthesization::{Precision, Problem};
use swath::{Control, Engine, Parenthesize};

use super::args::TreeCallArgs;
use super::interrupt::Interrupt;
use super::output::OutputFile;
use super::{output, progress};
use crate::input::Source;
use crate::report::{self, Shown, TreeAnswer, TreeFormat};

/// What is asked, for reports.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The command.
    pub problem: &'static str,
    /// Where the input came from.
    pub name: &'a str,
    /// What the input has: `5 corners`.
    pub input: &'a str,
    /// How trees are shown.
    pub shown: Shown<'a>,
    /// How precise real weights are.
    pub precision: Precision,
}

/// The file for the tree, where there is one. Fails early where it could not be written after the work or is one of `inputs`.
pub fn output<'a>(
    args: &TreeCallArgs,
    inputs: impl IntoIterator<Item = &'a Source>,
) -> anyhow::Result<Option<OutputFile>> {
    let file = args
        .output
        .as_deref()
        .filter(|file| !output::is_stdout(file));
    file.map(|file| OutputFile::check("--output", file, inputs))
        .transpose()
}

/// Solves and prints.
pub fn call<P: Problem>(
    problem: &P,
    asked: Asked<'_>,
    file: Option<OutputFile>,
    args: &TreeCallArgs,
) -> anyhow::Result<()> {
    let engine = Engine::new(args.engine.options())?;
    let Asked {
        problem: command,
        name,
        input,
        shown,
        precision,
    } = asked;
    let task = Parenthesize::of(problem)
        .method(args.method)
        .precision(precision);
    if args.dry_run {
        let summary = engine.plan(&task)?;
        return output::to_stdout(|out| match args.json {
            true => report::tree_plan_json(command, (name, problem.leaves()), &summary, out),
            false => report::tree_plan_text((name, input), &summary, out),
        });
    }
    let interrupt = Interrupt::install()?;
    let progress = progress::Reporter::new(args.progress);
    let control = Control::new(interrupt.handle().clone(), progress.callback());
    let solved = engine.run_with(&task, &control)?;

    let answer = TreeAnswer {
        problem: command,
        input,
        goal: P::GOAL,
        name,
        shown,
        solved: &solved,
    };
    // A file asks for the tree too, and '-' is stdout.
    let tree = args
        .tree
        .or(args.output.is_some().then_some(TreeFormat::Text));
    if let (Some(file), Some(format)) = (&file, tree) {
        progress.enter(progress::WRITING);
        file.write(&interrupt, |out| {
            report::write_tree(format, shown, &solved.tree, out)
        })?;
    }
    drop(progress);
    interrupt.ending_at_once(|| match (args.json, tree.filter(|_| file.is_none())) {
        (true, _) => output::to_stdout(|out| report::tree_json(&answer, tree.is_some(), out)),
        (false, None) => output::to_stdout(|out| report::tree_text(&answer, out)),
        (false, Some(format)) => {
            output::to_stdout(|out| report::write_tree(format, shown, &solved.tree, out))?;
            output::to_stderr(|out| report::tree_text(&answer, out))
        }
    })
}
