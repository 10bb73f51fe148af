//! The commands that search for an optimal tree: `swath chain`, `polygon`, `bst` and `fold`.

use std::io::{self, Write};

use anyhow::{Context, bail};
use serde_json::Number;
use swath::parenthesization::{
    Goal, MatrixChain, Parenthesization, PointPolygon, Precision, Problem, RnaFold, SearchTree,
    Value, WeightedPolygon,
};
use swath::{Control, Engine, Parenthesize, PlanSummary};

use crate::args::{BstArgs, ChainArgs, FoldArgs, PolygonArgs, TreeCallArgs, source};
use crate::compare::{Caller, Outcome, Solved};
use crate::input::{self, Numbers, Reading, Source, Weights, printable};
use crate::interrupt::Interrupt;
use crate::output::{self, DASH, OutputFile};
use crate::progress;
use crate::report::tree::{Shown, TreeFormat, nodes, text, write_tree};
use crate::report::{self, Counted, Object};

/// Maximum number of leaves for which the summary shows the tree.
const SHOWN_LEAVES: usize = 40;

pub fn chain(args: &ChainArgs) -> anyhow::Result<()> {
    // Any argument may be the file of the numbers.
    let sources: Vec<_> = args.numbers.iter().map(|one| source(one)).collect();
    let file = output_file(&args.call, &sources)?;
    let reading = args.call.engine.reading();
    let numbers = Numbers::from_arguments(&args.numbers, &reading.memory)?;
    let (dimensions, names) = numbers.chain()?;
    let question = TreeCall {
        problem: "chain",
        name: &numbers.name,
        size: format!("{} matrices", names.len()),
        shown: Shown::Products(&names),
        precision: Precision::Exact,
        file,
        args: &args.call,
        reading: &reading,
    };
    question.answer(&MatrixChain::new(dimensions))
}

pub fn polygon(args: &PolygonArgs) -> anyhow::Result<()> {
    let from = source(&args.file);
    let file = output_file(&args.call, [&from])?;
    let reading = args.call.engine.reading();
    let numbers = Numbers::read(&from, &reading.memory)?;
    let points = args.points.then(|| numbers.points()).transpose()?;
    let weights = if args.points {
        Weights::Whole(Vec::new())
    } else {
        numbers.weights()?
    };
    let vertices = points.as_ref().map_or(weights.len(), Vec::len);
    if vertices < 3 {
        bail!(
            "{}: {vertices} vertices make no triangle; give three or more",
            numbers.name
        );
    }
    let question = TreeCall {
        problem: "polygon",
        name: &numbers.name,
        size: format!("{vertices} sides"),
        shown: Shown::Triangles,
        precision: args.precision.precision,
        file,
        args: &args.call,
        reading: &reading,
    };
    match (points, weights) {
        (Some(points), _) => question.answer(&PointPolygon::new(points)?),
        (None, Weights::Whole(weights)) => question.answer(&WeightedPolygon::new(weights)?),
        (None, Weights::Real(weights)) => question.answer(&WeightedPolygon::new(weights)?),
    }
}

pub fn bst(args: &BstArgs) -> anyhow::Result<()> {
    let keys = source(&args.file);
    let gaps = args.gaps.as_ref().map(|file| source(file));
    let file = output_file(&args.call, std::iter::once(&keys).chain(&gaps))?;
    input::check_pipes(std::iter::once(&keys).chain(&gaps))?;
    let reading = args.call.engine.reading();
    let memory = &reading.memory;
    let numbers = Numbers::read(&keys, memory)?;
    let gaps = match gaps {
        Some(file) => Numbers::read(&file, memory)?.weights()?,
        None => Weights::Whole(Vec::new()),
    };
    let keys = numbers.weights()?;
    if keys.len() == 0 {
        bail!("{}: there is no key; give one weight or more", numbers.name);
    }
    // The gaps if none are given, and sums up to every key and gap.
    memory.hold(&numbers.name, 3 * 8 * keys.len() as u64)?;
    let question = TreeCall {
        problem: "bst",
        name: &numbers.name,
        size: match (keys.len(), gaps.len()) {
            (keys, 0) => format!("{keys} keys"),
            (keys, gaps) => format!("{keys} keys, {gaps} gaps"),
        },
        shown: Shown::Keys,
        precision: args.precision.precision,
        file,
        args: &args.call,
        reading: &reading,
    };
    match (keys, gaps) {
        (Weights::Whole(keys), Weights::Whole(gaps)) => {
            question.answer(&SearchTree::new(keys, gaps)?)
        }
        (keys, gaps) => question.answer(&SearchTree::new(keys.real(), gaps.real())?),
    }
}

pub fn fold(args: &FoldArgs) -> anyhow::Result<()> {
    let from = if args.text && args.file != DASH {
        Source::Literal(args.file.clone())
    } else {
        source(&args.file)
    };
    let file = output_file(&args.call, [&from])?;
    let mut reading = args.call.engine.reading();
    let sequence = input::read_letters(&from, args.record.as_deref(), &mut reading)?;
    output::notes(&reading);
    let (name, bases) = (&sequence.name, &sequence.bytes);
    if bases.is_empty() {
        bail!("{name}: the sequence is empty; give one base or more");
    }
    // A number for each base.
    reading.memory.hold(name, 8 * bases.len() as u64)?;
    let fold = RnaFold::new(bases, args.least_loop);
    let fold = fold.with_context(|| input::place(&from.name(), name))?;
    let question = TreeCall {
        problem: "fold",
        name,
        size: format!("{} bases", bases.len()),
        shown: Shown::Brackets,
        precision: Precision::Exact,
        file,
        args: &args.call,
        reading: &reading,
    };
    question.answer(&fold)
}

/// Output file of the tree, checked early for writability and against `inputs`.
fn output_file<'a>(
    args: &TreeCallArgs,
    inputs: impl IntoIterator<Item = &'a Source>,
) -> anyhow::Result<Option<OutputFile>> {
    let file = args.output.as_deref();
    let file = file.filter(|file| !output::is_stdout(file));
    file.map(|file| OutputFile::check("--output", file, inputs))
        .transpose()
}

/// A problem with its input and options.
struct TreeCall<'a> {
    /// Name of the command.
    problem: &'static str,
    /// Name of the input.
    name: &'a str,
    /// Size of the input, for example `5 sides`.
    size: String,
    shown: Shown<'a>,
    precision: Precision,
    file: Option<OutputFile>,
    args: &'a TreeCallArgs,
    reading: &'a Reading,
}

impl TreeCall<'_> {
    /// Solves and prints.
    fn answer<P: Problem>(&self, problem: &P) -> anyhow::Result<()> {
        let (args, shown) = (self.args, self.shown);
        let engine = Engine::new(args.engine.options_beside(self.reading))?;
        let task = Parenthesize::of(problem);
        let task = task.method(args.method).precision(self.precision);
        let call = |control: Option<&Control>| {
            let caller = Caller {
                engine: &engine,
                control,
            };
            args.engine.explained(caller.call(&task), self.reading)
        };
        if args.dry_run {
            return match call(None)? {
                Outcome::Planned(plan) => {
                    output::to_stdout(|out| self.write_plan(problem.leaves(), &plan, out))
                }
                Outcome::Solved(_) => Ok(()),
            };
        }
        let interrupt = Interrupt::install()?;
        let progress = progress::Reporter::new(args.progress);
        let control = progress.control(&interrupt);
        let Outcome::Solved(solved) = call(Some(&control))? else {
            return Ok(());
        };
        // A file requests the tree too, and '-' is stdout.
        let by_file = args.output.is_some().then_some(TreeFormat::Text);
        let tree = args.tree.or(by_file);
        let found = &solved.answer.tree;
        // The answer is printed even if the file cannot be written.
        let written = match (&self.file, tree) {
            (Some(file), Some(format)) => {
                progress.enter(progress::WRITING);
                file.write(&interrupt, |out| write_tree(format, shown, found, out))
            }
            _ => Ok(()),
        };
        progress.finish();
        let summary = |out: &mut dyn Write| self.summary(P::GOAL, &solved, out);
        let on_stdout = tree.filter(|_| self.file.is_none());
        interrupt.ending_at_once(|| match (args.json, on_stdout) {
            (true, _) => output::to_stdout(|out| self.json(P::GOAL, &solved, tree.is_some(), out)),
            (false, None) => output::to_stdout(summary),
            (false, Some(format)) => {
                output::to_stdout(|out| write_tree(format, shown, found, out))?;
                output::to_stderr(summary)
            }
        })?;
        written
    }

    fn write_plan(&self, leaves: usize, plan: &PlanSummary, out: &mut dyn Write) -> io::Result<()> {
        let in_json = self.args.tree == Some(TreeFormat::Json) && self.file.is_none();
        if !self.args.json && !in_json {
            let mut lines = vec![("input", self.input())];
            lines.extend(report::plan_lines(Counted::Splits, plan));
            return report::write_aligned(&lines, out);
        }
        let object = Object::new("parenthesization-plan/1", out)?
            .field("problem", self.problem)?
            .field("name", self.name)?
            .field("leaves", leaves)?;
        report::plan_fields(Counted::Splits, plan, object)?.end()
    }

    fn input(&self) -> String {
        format!("{}, {}", self.size, printable(self.name))
    }

    /// Writes the summary as aligned lines.
    fn summary<V: Value>(
        &self,
        goal: Goal,
        solved: &Solved<Parenthesization<V>>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let answer = &solved.answer;
        let is_cost = goal == Goal::Least;
        let key = if is_cost { "cost" } else { "pairs" };
        let mut lines = vec![(key, answer.cost.to_string())];
        if is_cost {
            let saved = match (saving(goal, answer), answer.in_order) {
                (Some(saving), Some(in_order)) => {
                    format!("{:.2} % of {in_order} from left to right", 100.0 * saving)
                }
                _ => {
                    let greatest = answer.arithmetic.greatest();
                    format!("from left to right the cost passes {greatest}")
                }
            };
            lines.push(("saving", saved));
        }
        let is_small = answer.tree.leaves() <= SHOWN_LEAVES;
        if is_small && !matches!(self.shown, Shown::Triangles) {
            lines.push(("tree", self.tree_text(answer)?));
        }
        let arithmetic = answer.arithmetic;
        let approximate = if arithmetic.is_approximate() {
            ", approximate: another tree may cost less"
        } else {
            ""
        };
        let arithmetic = format!("{}{approximate}", arithmetic.name());
        let mut run = report::run_lines(Counted::Splits, solved);
        run.insert(1, ("arithmetic", arithmetic));
        lines.push(("input", self.input()));
        lines.extend(run);
        report::write_aligned(&lines, out)
    }

    /// Writes one object; `text` and `tree` only if the tree is requested.
    fn json<V: Value>(
        &self,
        goal: Goal,
        solved: &Solved<Parenthesization<V>>,
        with_tree: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let answer = &solved.answer;
        let exact = |value: V| value.to_string().parse::<Number>().ok();
        let text = with_tree.then(|| self.tree_text(answer)).transpose()?;
        let object = Object::new("parenthesization/1", out)?
            .field("problem", self.problem)?
            .field("cost", exact(answer.cost))?
            .field("in_order", answer.in_order.and_then(exact))?
            .field("saving", saving(goal, answer))?
            .field("leaves", answer.tree.leaves())?
            .field("name", self.name)?
            .field("arithmetic", answer.arithmetic.name())?
            .field("approximate", answer.arithmetic.is_approximate())?;
        report::run_fields(Counted::Splits, solved, object)?
            .field_if("text", text)?
            .field_if("tree", with_tree.then(|| nodes(&answer.tree)))?
            .end()
    }

    fn tree_text<V>(&self, answer: &Parenthesization<V>) -> io::Result<String> {
        let mut shown = Vec::new();
        text(self.shown, &answer.tree, &mut shown)?;
        Ok(String::from_utf8_lossy(&shown).trim_end().to_string())
    }
}

/// Relative saving over the order from left to right; `None` for a maximum.
fn saving<V: Value>(goal: Goal, answer: &Parenthesization<V>) -> Option<f64> {
    let number = |value: V| value.to_string().parse().unwrap_or(f64::NAN);
    let (in_order, cost): (f64, f64) = (number(answer.in_order?), number(answer.cost));
    let share = if in_order > 0.0 {
        1.0 - cost / in_order
    } else {
        0.0
    };
    (goal == Goal::Least).then_some(share)
}
