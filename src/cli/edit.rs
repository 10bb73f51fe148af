//! `swath edit`.

use anyhow::Context;
use swath::edit_distance::{Distance, EditDistance, EditOptions, Mode, PlanSummary};
use swath::{Control, Engine};

use super::args::{EditArgs, Witness};
use super::interrupt::Interrupt;
use super::output::{self, Writing};
use super::progress;
use crate::input::{self, Inputs, Pairs, Sequences};
use crate::report::{self, EditAnswer, EditFormat, Plan};

/// Reads, solves and prints: one pair, or where a piece is looked for every record of the query in every record of the target.
pub fn run(args: &EditArgs) -> anyhow::Result<()> {
    let request = args.request();
    args.check_format()?;
    let witness = args.output.witness(request.sources())?;
    let mut options = EditOptions::default();
    options.path = !matches!(witness, Witness::None);
    options.gaps = args.gaps(options.path)?;
    (options.method, options.mode) = (args.method, args.mode);
    options.starts = args.starts;
    let mut reading = args.engine.reading();
    let pairs = input::read_pairs(&request, args.mode != Mode::Global, &mut reading)?;
    output::notes(&reading);
    let engine = Engine::new(args.engine.options_beside(&reading))?;
    let several = pairs.len() > 1;

    if args.output.dry_run {
        for (place, inputs) in pairs.iter().enumerate() {
            options.max_distance = bound(args.max_distance, &inputs, several);
            let summary = args.engine.explained(plan(&engine, &inputs.sequences, &options), &reading)?;
            let plan = Plan { problem: "edit", method: summary.method.name(), inputs: &inputs, summary: &summary };
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
    let mut printer = Printer { args, several, witness, interrupt: &interrupt, writing: None, printed: 0, beyond: 0 };
    for (place, inputs) in pairs.iter().enumerate() {
        options.max_distance = bound(args.max_distance, &inputs, several);
        options.control = Control::new(interrupt.handle().clone(), progress.callback_for(shares.before(place)));
        let edit = args.engine.explained(solve(&engine, &inputs.sequences, &options), &reading);
        let edit = match several {
            true => edit.with_context(|| format!("{} in {}", inputs.a_name, inputs.b_name))?,
            false => edit?,
        };
        progress.aside(|| printer.print(&EditAnswer { inputs: &inputs, edit: &edit, mode: args.mode, several }))?;
    }
    drop(progress);
    printer.finish()
}

/// The bound for one pair. Of several, it may be more than any distance of some.
fn bound(asked: Option<u64>, inputs: &Inputs, several: bool) -> Option<u64> {
    let (a, b) = inputs.sequences.lengths();
    asked.map(|bound| if several { bound.min(a.max(b) as u64) } else { bound })
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
    fn print(&mut self, answer: &EditAnswer<'_>) -> anyhow::Result<()> {
        let (json, aligned) = (self.args.output.json, answer.edit.alignment.is_some());
        if matches!(answer.edit.distance, Distance::MoreThan(_)) && !matches!(self.witness, Witness::None) {
            self.beyond += 1;
        }
        // The file stays as it is where there is nothing to write.
        if let Witness::File(file, format) = &self.witness
            && aligned
        {
            let writing = match &mut self.writing {
                Some(writing) => writing,
                none => none.insert(file.begin(self.interrupt)?),
            };
            writing.put(|out| report::write_edit(*format, answer, out))?;
        }
        let first = self.printed == 0;
        self.printed += 1;
        self.interrupt.ending_at_once(|| {
            if let Witness::Stdout(format) = self.witness {
                output::to_stdout(|out| report::write_edit(format, answer, out))?;
                // Beside many alignments nobody reads as many summaries.
                return if self.several { Ok(()) } else { output::to_stderr(|out| report::edit_text(answer, out)) };
            }
            output::to_stdout(|out| match json || matches!(self.witness, Witness::InJson) {
                true => report::edit_json(answer, out),
                false => {
                    report::between(!first, out)?;
                    report::edit_text(answer, out)
                }
            })
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
            let which =
                if self.several { format!("of {} of {} pairs ", self.beyond, self.printed) } else { String::new() };
            output::note(&format!("the distance {which}is more than {bound}, so there is no alignment{stays}"));
        }
        Ok(())
    }
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
