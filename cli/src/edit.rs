//! `swath edit`.

use anyhow::Context;
use swath::edit_distance::{Distance, EditDistance, Gaps, Mode};
use swath::{Control, Edit, Engine, PlanSummary, Report, Symbol};

use super::args::{EditArgs, Witness};
use super::interrupt::Interrupt;
use super::note::note;
use super::output::{self, Writing};
use super::progress;
use crate::input::{self, Pairs, Sequences};
use crate::report::{self, EditAnswer, EditFormat, Plan};

/// Reads, solves and prints: one pair, or where a piece is looked for every record of the query in every record of the target.
pub fn run(args: &EditArgs) -> anyhow::Result<()> {
    let request = args.request();
    args.check_format()?;
    let witness = args.output.witness(request.sources())?;
    let path = !matches!(witness, Witness::None);
    let asked = Asked {
        args,
        path,
        gaps: args.gaps(path)?,
    };
    let mut reading = args.engine.reading();
    let pairs = input::read_pairs(&request, args.mode != Mode::Global, &mut reading)?;
    output::notes(&reading);
    let engine = Engine::new(args.engine.options_beside(&reading))?;
    let several = pairs.len() > 1;

    if args.output.dry_run {
        for (place, inputs) in pairs.iter().enumerate() {
            let summary = args
                .engine
                .explained(plan(&engine, &inputs.sequences, asked), &reading)?;
            let plan = Plan {
                problem: "edit",
                method: summary.method,
                inputs: &inputs,
                summary: &summary,
            };
            output::to_stdout(|out| {
                report::between(place > 0 && !args.output.json, out)?;
                report::write_plan(args.output.json, &plan, out)
            })?;
        }
        return Ok(());
    }

    let interrupt = Interrupt::install()?;
    let progress = progress::Reporter::new(args.output.progress);
    let shares = Shares::of(&pairs);
    let mut printer = Printer {
        args,
        several,
        witness,
        interrupt: &interrupt,
        writing: None,
        printed: 0,
        beyond: 0,
    };
    for (place, inputs) in pairs.iter().enumerate() {
        let control = Control::new(
            interrupt.handle().clone(),
            progress.callback_for(shares.before(place)),
        );
        let edit = args
            .engine
            .explained(solve(&engine, &inputs.sequences, asked, &control), &reading);
        let edit = match several {
            true => edit.with_context(|| format!("{} in {}", inputs.a_name, inputs.b_name))?,
            false => edit?,
        };
        let answer = EditAnswer::new(&inputs, &edit, args.mode, several);
        printer.write(&answer, &progress)?;
        progress.aside(|| printer.print(&answer))?;
    }
    drop(progress);
    printer.finish()
}

/// What part of all cells the pairs before each have, and it itself.
struct Shares(Vec<f64>);

impl Shares {
    fn of(pairs: &Pairs) -> Self {
        let cells = pairs.iter().map(|inputs| {
            let (a, b) = inputs.sequences.lengths();
            (a as f64 + 1.0) * (b as f64 + 1.0)
        });
        let sums = cells.scan(0.0, |sum, cells| {
            *sum += cells;
            Some(*sum)
        });
        Self(std::iter::once(0.0).chain(sums).collect())
    }

    fn before(&self, place: usize) -> (f64, f64) {
        let all = self.0[self.0.len() - 1];
        (self.0[place] / all, self.0[place + 1] / all)
    }
}

/// Prints one answer after the other.
struct Printer<'a> {
    args: &'a EditArgs,
    several: bool,
    witness: Witness<EditFormat>,
    interrupt: &'a Interrupt,
    /// The file of the alignments, from the first of them on.
    writing: Option<Writing<'a>>,
    printed: usize,
    /// Pairs that are farther apart than was asked for, where alignments are asked for.
    beyond: usize,
}

impl Printer<'_> {
    /// Writes the alignment where a file is to have it.
    fn write(
        &mut self,
        answer: &EditAnswer<'_>,
        progress: &progress::Reporter,
    ) -> anyhow::Result<()> {
        if matches!(answer.edit.distance, Distance::MoreThan(_))
            && !matches!(self.witness, Witness::None)
        {
            self.beyond += 1;
        }
        // The file stays as it is where there is nothing to write.
        if let Witness::File(file, format) = &self.witness
            && answer.edit.alignment.is_some()
        {
            progress.enter(progress::WRITING);
            let writing = match &mut self.writing {
                Some(writing) => writing,
                none => none.insert(file.begin(self.interrupt)?),
            };
            writing.put(|out| report::write_edit(*format, answer, out))?;
        }
        Ok(())
    }

    fn print(&mut self, answer: &EditAnswer<'_>) -> anyhow::Result<()> {
        let json = self.args.output.json;
        let first = self.printed == 0;
        self.printed += 1;
        self.interrupt.ending_at_once(|| {
            if let Witness::Stdout(format) = self.witness {
                output::to_stdout(|out| report::write_edit(format, answer, out))?;
                // Beside many alignments nobody reads as many summaries.
                return if self.several {
                    Ok(())
                } else {
                    output::to_stderr(|out| report::edit_text(answer, out))
                };
            }
            output::to_stdout(
                |out| match json || matches!(self.witness, Witness::InJson) {
                    true => report::edit_json(answer, out),
                    false => {
                        report::between(!first, out)?;
                        report::edit_text(answer, out)
                    }
                },
            )
        })
    }

    fn finish(self) -> anyhow::Result<()> {
        let written = self.writing.is_some();
        self.writing.map_or(Ok(()), Writing::finish)?;
        if let (1.., Some(bound)) = (self.beyond, self.args.max_distance) {
            let stays = match &self.witness {
                Witness::File(file, _) if !written => format!(", and {file} stays as it is"),
                _ => String::new(),
            };
            let which = if self.several {
                format!("of {} of {} pairs ", self.beyond, self.printed)
            } else {
                String::new()
            };
            note(&format!(
                "the distance {which}is more than {bound}, so there is no alignment{stays}"
            ));
        }
        Ok(())
    }
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
        let task = Edit::of(a, b)
            .method(self.args.method)
            .mode(self.args.mode)
            .with_path(self.path);
        let task = if self.args.starts {
            task.starts()
        } else {
            task
        };
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
        Sequences::Lines { pair, .. } | Sequences::Tokens { pair, .. } => {
            engine.plan(&asked.task(pair.compared()))
        }
    }
}
