//! The commands that search for an optimal tree: `swath chain`, `polygon`, `bst` and `fold`.

use std::io::{self, Write};

use anyhow::{Context, bail};
use serde_json::Number;
use swath::parenthesization::{
    Goal, MatrixChain, Parenthesization, PointPolygon, Precision, Problem, RnaFold, SearchTree,
    Value, WeightedPolygon,
};
use swath::{Control, Engine, Parenthesize, PlanSummary};

use crate::args::{BstArgs, ChainArgs, FoldArgs, PolygonArgs, TreeCallArgs, TreeFormat, source};
use crate::call::{Caller, Outcome, Solved};
use crate::input::{self, Numbers, Reading, Source, Weights};
use crate::interrupt::Interrupt;
use crate::message::printable;
use crate::output::{self, DASH, OutputFile};
use crate::progress;
use crate::report::tree::{Shown, nodes, text, write_tree};
use crate::report::{self, Counted, Object};

/// Maximum number of leaves for which the summary shows the tree.
const SHOWN_LEAVES: usize = 40;

pub fn chain(args: &ChainArgs) -> anyhow::Result<()> {
    // Any argument may be the file of the numbers.
    let sources: Vec<_> = args.numbers.iter().map(|one| source(one)).collect();
    let call = TreeCall::begin("chain", &args.call, &sources)?;
    let numbers = Numbers::from_arguments(&args.numbers, &call.reading.memory)?;
    let (dimensions, names) = numbers.chain()?;
    let question = Question {
        name: &numbers.name,
        size: format!("{} matrices", names.len()),
        shown: Shown::Products(&names),
        precision: Precision::Exact,
    };
    call.answer(&question, &MatrixChain::new(dimensions))
}

pub fn polygon(args: &PolygonArgs) -> anyhow::Result<()> {
    let from = source(&args.file);
    let call = TreeCall::begin("polygon", &args.call, [&from])?;
    let numbers = Numbers::read(&from, &call.reading.memory)?;
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
    let question = Question {
        name: &numbers.name,
        size: format!("{vertices} sides"),
        shown: Shown::Triangles,
        precision: args.precision.precision,
    };
    match (points, weights) {
        (Some(points), _) => call.answer(&question, &PointPolygon::new(points)?),
        (None, Weights::Whole(weights)) => call.answer(&question, &WeightedPolygon::new(weights)?),
        (None, Weights::Real(weights)) => call.answer(&question, &WeightedPolygon::new(weights)?),
    }
}

pub fn bst(args: &BstArgs) -> anyhow::Result<()> {
    let keys = source(&args.file);
    let gaps = args.gaps.as_ref().map(|file| source(file));
    let inputs = || std::iter::once(&keys).chain(&gaps);
    let call = TreeCall::begin("bst", &args.call, inputs())?;
    input::check_pipes(inputs())?;
    let memory = &call.reading.memory;
    let numbers = Numbers::read(&keys, memory)?;
    let gaps = match &gaps {
        Some(file) => Numbers::read(file, memory)?.weights()?,
        None => Weights::Whole(Vec::new()),
    };
    let keys = numbers.weights()?;
    if keys.len() == 0 {
        bail!("{}: there is no key; give one weight or more", numbers.name);
    }
    // The gaps if none are given, and sums up to every key and gap.
    memory.hold(&numbers.name, 3 * 8 * keys.len() as u64)?;
    let question = Question {
        name: &numbers.name,
        size: match (keys.len(), gaps.len()) {
            (keys, 0) => format!("{keys} keys"),
            (keys, gaps) => format!("{keys} keys, {gaps} gaps"),
        },
        shown: Shown::Keys,
        precision: args.precision.precision,
    };
    match (keys, gaps) {
        (Weights::Whole(keys), Weights::Whole(gaps)) => {
            call.answer(&question, &SearchTree::new(keys, gaps)?)
        }
        (keys, gaps) => call.answer(&question, &SearchTree::new(keys.real(), gaps.real())?),
    }
}

pub fn fold(args: &FoldArgs) -> anyhow::Result<()> {
    let from = if args.text && args.file != DASH {
        Source::Literal(args.file.clone())
    } else {
        source(&args.file)
    };
    let mut call = TreeCall::begin("fold", &args.call, [&from])?;
    let sequence = input::read_letters(&from, args.record.as_deref(), &mut call.reading)?;
    call.reading.print_notes();
    let (name, bases) = (&sequence.name, &sequence.bytes);
    if bases.is_empty() {
        bail!("{name}: the sequence is empty; give one base or more");
    }
    // A number for each base.
    call.reading.memory.hold(name, 8 * bases.len() as u64)?;
    let fold = RnaFold::new(bases, args.least_loop);
    let fold = fold.with_context(|| input::location(&from.name(), name))?;
    let question = Question {
        name,
        size: format!("{} bases", bases.len()),
        shown: Shown::Brackets,
        precision: Precision::Exact,
    };
    call.answer(&question, &fold)
}

struct Question<'a> {
    name: &'a str,
    /// For example `5 sides`.
    size: String,
    shown: Shown<'a>,
    precision: Precision,
}

impl Question<'_> {
    fn input(&self) -> String {
        format!("{}, {}", self.size, printable(self.name))
    }

    fn tree_text<V>(&self, answer: &Parenthesization<V>) -> io::Result<String> {
        let mut shown = Vec::new();
        text(self.shown, &answer.tree, &mut shown)?;
        Ok(String::from_utf8_lossy(&shown).trim_end().to_string())
    }
}

struct TreeCall<'a> {
    problem: &'static str,
    args: &'a TreeCallArgs,
    file: Option<OutputFile>,
    reading: Reading,
}

impl<'a> TreeCall<'a> {
    /// Checks early that the output can be written.
    fn begin<'s>(
        problem: &'static str,
        args: &'a TreeCallArgs,
        inputs: impl IntoIterator<Item = &'s Source>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            problem,
            args,
            file: OutputFile::optional(args.output.as_deref(), inputs)?,
            reading: args.engine.reading(),
        })
    }

    fn answer<P: Problem>(&self, question: &Question<'_>, problem: &P) -> anyhow::Result<()> {
        let (args, shown) = (self.args, question.shown);
        let engine = Engine::new(args.engine.options_beside(&self.reading))?;
        let task = Parenthesize::of(problem);
        let task = task.method(args.method).precision(question.precision);
        let call = |control: Option<&Control>| {
            let caller = Caller {
                engine: &engine,
                control,
            };
            args.engine.explained(caller.call(&task), &self.reading)
        };
        if args.dry_run {
            return match call(None)? {
                Outcome::Planned(plan) => {
                    output::to_stdout(|out| self.write_plan(question, problem.leaves(), &plan, out))
                }
                Outcome::Solved(_) => Ok(()),
            };
        }
        let interrupt = Interrupt::install()?;
        let progress = progress::Reporter::new(args.progress.when);
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
        let summary = |out: &mut dyn Write| self.summary(question, P::GOAL, &solved, out);
        let on_stdout = tree.filter(|_| self.file.is_none());
        interrupt.ending_at_once(|| match (args.json, on_stdout) {
            (true, _) => {
                output::to_stdout(|out| self.json(question, P::GOAL, &solved, tree.is_some(), out))
            }
            (false, None) => output::to_stdout(summary),
            (false, Some(format)) => {
                output::to_stdout(|out| write_tree(format, shown, found, out))?;
                output::to_stderr(summary)
            }
        })?;
        written
    }

    fn write_plan(
        &self,
        question: &Question<'_>,
        leaves: usize,
        plan: &PlanSummary,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let in_json = self.args.tree == Some(TreeFormat::Json) && self.file.is_none();
        if !self.args.json && !in_json {
            let mut lines = vec![("input", question.input())];
            lines.extend(report::plan_lines(Counted::Splits, plan));
            return report::write_aligned(&lines, out);
        }
        Object::new("parenthesization-plan/1", out)
            .field("problem", self.problem)
            .field("name", question.name)
            .field("leaves", leaves)
            .plan(Counted::Splits, plan)
            .end()
    }

    fn summary<V: Value>(
        &self,
        question: &Question<'_>,
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
                    let max = answer.arithmetic.greatest();
                    format!("from left to right the cost passes {max}")
                }
            };
            lines.push(("saving", saved));
        }
        let is_small = answer.tree.leaves() <= SHOWN_LEAVES;
        if is_small && !matches!(question.shown, Shown::Triangles) {
            lines.push(("tree", question.tree_text(answer)?));
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
        lines.push(("input", question.input()));
        lines.extend(run);
        report::write_aligned(&lines, out)
    }

    /// `text` and `tree` are written only if the tree is requested.
    fn json<V: Value>(
        &self,
        question: &Question<'_>,
        goal: Goal,
        solved: &Solved<Parenthesization<V>>,
        with_tree: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let answer = &solved.answer;
        let exact = |value: V| value.to_string().parse::<Number>().ok();
        let text = with_tree.then(|| question.tree_text(answer)).transpose()?;
        Object::new("parenthesization/1", out)
            .field("problem", self.problem)
            .field("cost", exact(answer.cost))
            .field("in_order", answer.in_order.and_then(exact))
            .field("saving", saving(goal, answer))
            .field("leaves", answer.tree.leaves())
            .field("name", question.name)
            .field("arithmetic", answer.arithmetic.name())
            .field("approximate", answer.arithmetic.is_approximate())
            .run(Counted::Splits, solved)
            .field_if("text", text)
            .field_if("tree", with_tree.then(|| nodes(&answer.tree)))
            .end()
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
