//! The commands that compare sequences: they read, solve and print.

pub mod assemblies;
pub mod dna;
pub mod edit;
mod edit_batch;
pub mod lcs;
mod runs;
pub mod scs;
mod side_by_side;
mod sink;
pub mod substring;
pub mod turn;

use std::borrow::Cow;
use std::convert::Infallible;
use std::io::{self, IsTerminal, Write};
use std::sync::LazyLock;
use std::time::Instant;

use anyhow::{Context, anyhow};
use swath::{
    CancelHandle, Control, DeviceChoice, Engine, Error, Interface, Options, PlanSummary, Report,
    Run, Task,
};

use crate::args::{EngineArgs, OutputArgs, Witness, WitnessFormat};
use crate::exit::Differs;
use crate::input::{self, Inputs, Lists, Printed, Request};
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress;
use crate::report::{self, Counted, Names};
use runs::Runs;
use sink::Sink;
use turn::Turning;

/// Plans or runs a task.
pub struct Caller<'a> {
    pub engine: &'a Engine,
    /// `None` for a dry run.
    pub control: Option<&'a Control>,
}

/// Result of a call.
pub enum Outcome<A> {
    Planned(PlanSummary),
    Solved(Solved<A>),
}

/// An answer, and how it was computed.
pub struct Solved<A> {
    pub answer: A,
    pub run: Run,
    pub interface: Option<Interface>,
}

impl Caller<'_> {
    pub fn call<T: Task>(&self, task: &T) -> swath::Result<Outcome<T::Answer>> {
        let Some(control) = self.control else {
            return self.engine.plan(task).map(Outcome::Planned);
        };
        let Report {
            answer,
            run,
            interface,
            ..
        } = self.engine.run_with(task, control)?;
        Ok(Outcome::Solved(Solved {
            answer,
            run,
            interface,
        }))
    }
}

impl<A> Outcome<A> {
    fn map<B>(self, make: impl FnOnce(A) -> B) -> Outcome<B> {
        match self {
            Outcome::Planned(plan) => Outcome::Planned(plan),
            Outcome::Solved(solved) => Outcome::Solved(solved.map(make)),
        }
    }
}

impl<A> Solved<A> {
    fn map<B>(self, make: impl FnOnce(A) -> B) -> Solved<B> {
        Solved {
            answer: make(self.answer),
            run: self.run,
            interface: self.interface,
        }
    }
}

/// A call for many pairs, and where its witnesses go.
pub struct Together<'a> {
    pub engine: &'a Engine,
    /// Options of another engine that works between the blocks of a call.
    pub options: Options,
    pub cancel: &'a CancelHandle,
    /// Control of the next call.
    pub control: &'a (dyn Fn() -> Control + Sync),
    /// Writes witnesses.
    pub print: &'a mut (dyn FnMut(&[u8]) -> anyhow::Result<()> + Send),
    /// Adds what an error of a call is due to.
    pub explain: &'a (dyn Fn(swath::Error) -> anyhow::Error + Sync),
}

/// The answers of all pairs.
#[derive(Default)]
pub struct Whole {
    pub runs: Runs,
    /// Pairs with a witness.
    pub found: usize,
    /// Set if any pair [is found](Comparison::is_found).
    pub is_found: bool,
}

/// An answer and its inputs.
pub struct ReportContext<'a, A> {
    pub inputs: &'a Inputs,
    pub solved: &'a Solved<A>,
    /// Set for one of several pairs, which need names to distinguish them.
    pub is_one_of_several: bool,
    /// Set for the best pair of a record of the first input, if the format
    /// [ranks pairs](Comparison::ranks_pairs).
    pub is_best_of_record: bool,
}

/// A command that compares sequences.
pub trait Comparison: Sync {
    type Format: WitnessFormat;
    type Answer: Send;
    const PROBLEM: &'static str;
    const COUNTED: Counted = Counted::Cells;
    /// Form of the inputs' names in reports.
    const NAMES: Names;
    /// Set if each record of the first input is compared with each of the second.
    const BY_PAIRS: bool = false;

    fn output(&self) -> &OutputArgs<Self::Format>;
    fn engine(&self) -> &EngineArgs;

    /// Sources and records to read.
    ///
    /// # Errors
    /// If options contradict each other.
    fn request(&self) -> anyhow::Result<Request>;

    /// Checks the number of inputs.
    fn check_inputs(&self, _: &Inputs, _: &Witness<Self::Format>) -> anyhow::Result<()> {
        Ok(())
    }

    /// Builds the task and plans or runs it.
    fn call<S: Printed>(
        &self,
        inputs: &Inputs,
        sequences: Vec<&[S]>,
        path: bool,
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<Self::Answer>>;

    /// Like [`call`](Self::call) for bytes, which have more options.
    fn call_bytes(
        &self,
        inputs: &Inputs,
        sequences: Vec<&[u8]>,
        path: bool,
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<Self::Answer>> {
        self.call(inputs, sequences, path, caller)
    }

    /// How the first input is turned before the call.
    fn turning(&self) -> Option<Turning> {
        None
    }

    /// Returns `true` if an answer, for another strand or target, is better than the one before it.
    fn is_better(&self, _: &Self::Answer, _than: &Self::Answer) -> bool {
        false
    }

    /// Writes the summary as text.
    fn text(
        &self,
        found: &ReportContext<'_, Self::Answer>,
        on_terminal: bool,
        out: &mut dyn Write,
    ) -> io::Result<()>;

    /// Writes one JSON object.
    fn json(
        &self,
        found: &ReportContext<'_, Self::Answer>,
        with_witness: bool,
        out: &mut dyn Write,
    ) -> io::Result<()>;

    /// Writes the witness in a format other than the JSON object.
    fn witness(
        &self,
        format: Self::Format,
        found: &ReportContext<'_, Self::Answer>,
        out: &mut dyn Write,
    ) -> io::Result<()>;

    /// Writes the witnesses of all pairs by few calls, if single calls would write the same. `None`
    /// if single calls are needed.
    fn write_together(
        &self,
        _: &Inputs,
        _: Self::Format,
        _: &mut Together<'_>,
    ) -> anyhow::Result<Option<Whole>> {
        Ok(None)
    }

    /// Returns `true` if the method is chosen by name.
    fn names_method(&self) -> bool {
        false
    }

    /// Notes on inputs that are compared as they are.
    fn input_notes(&self, _: &Inputs) -> Vec<String> {
        Vec::new()
    }

    /// Returns `true` if a format marks the best pair of each record of the first input.
    fn ranks_pairs(&self, _: Self::Format) -> bool {
        false
    }

    /// Note on an answer.
    fn answer_note(&self, _: &ReportContext<'_, Self::Answer>) -> Option<String> {
        None
    }

    /// Returns `true` if the exit code tells of [`is_found`](Self::is_found).
    fn sets_exit_code(&self) -> bool {
        false
    }

    /// Returns `true` if nothing differs, or if what was looked for is there.
    fn is_found(&self, _: &ReportContext<'_, Self::Answer>) -> bool {
        true
    }

    /// Writes what precedes the witnesses of all pairs in this format.
    fn preamble(&self, _: Self::Format, _: &Inputs, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Returns `true` if the answer has a witness.
    fn has_witness(&self, _: &Self::Answer) -> bool {
        true
    }

    /// Returns `true` if a witness in this format ends without a newline.
    fn is_unended(&self, _: Self::Format, _: &Inputs) -> bool {
        false
    }

    /// Returns `true` if a summary accompanies the witness on stdout.
    fn has_summary(&self, found: &ReportContext<'_, Self::Answer>) -> bool {
        !found.is_one_of_several
    }

    /// Note on `missing` of `of` answers without a witness.
    fn missing(&self, _missing: usize, _of: usize) -> Option<String> {
        None
    }
}

/// Share of a pair's time in which its strand and origin are found.
const TURNING_SHARE: f64 = 0.1;
/// Share of the progress for writing a path: a quarter of the time after a sweep of 20 M letters on
/// a GPU, little on a CPU (benches/record/nvidia-h200/2026-11-28-progress.txt).
const WRITING_SHARE: f64 = 0.1;

/// Reads, solves and prints.
pub fn run<C: Comparison>(command: &C) -> anyhow::Result<()> {
    let (args, limits) = (command.output(), command.engine());
    let request = command.request()?;
    let witness = args.witness(request.sides.iter().map(|side| &side.source))?;
    let path = !matches!(witness, Witness::None);
    let mut reading = limits.reading();
    let inputs = input::read(&request, &mut reading)?;
    command.check_inputs(&inputs, &witness)?;
    output::notes(&reading);
    command
        .input_notes(&inputs)
        .iter()
        .for_each(|note| output::note(note));
    let options = limits.options_beside(&reading);
    let engine = Engine::new(options.clone())?;

    let pairs = LazyLock::new(|| {
        if C::BY_PAIRS {
            inputs.pairs()
        } else {
            Vec::new()
        }
    });
    let count = if C::BY_PAIRS { inputs.pair_count() } else { 1 };
    // Short pairs are compared side by side, on the CPU unless the method is named.
    let is_short = count > 1 && EngineArgs::are_short(inputs.lists.lengths().into_iter());
    let is_on_cpu = matches!(limits.device(), DeviceChoice::Auto | DeviceChoice::Cpu);
    let (of_pairs, threads) = match is_short {
        true if is_on_cpu => (None, limits.threads_side_by_side()),
        true if !command.names_method() => {
            let options = options.clone().device(DeviceChoice::Cpu);
            (Some(Engine::new(options)?), limits.threads_side_by_side())
        }
        _ => (None, 1),
    };
    let of_pairs = of_pairs.as_ref().unwrap_or(&engine);
    let part = |place: usize| match pairs.get(place) {
        Some(pair) => Cow::Owned(inputs.select(pair)),
        None => Cow::Borrowed(&inputs),
    };
    let versions = |part: Cow<'_, Inputs>, control: &Control| match command.turning() {
        None => Ok(vec![part.into_owned()]),
        Some(turning) => limits
            .explained(turning.versions(&part, &engine, control), &reading)
            .map_err(|error| with_symbol(error, &part)),
    };
    let call = |part: &Inputs, control: Option<&Control>| {
        let caller = Caller {
            engine: of_pairs,
            control,
        };
        let outcome = match &part.lists {
            Lists::Bytes(list) => command.call_bytes(part, list.compared(), path, &caller),
            Lists::Chars(list) => command.call(part, list.compared(), path, &caller),
            Lists::Words(list, _) => command.call(part, list.compared(), path, &caller),
        };
        let outcome = limits.explained(outcome, &reading);
        let outcome = outcome.map_err(|error| with_symbol(error, part));
        match (&control, &part.groups[..]) {
            (Some(_), [a, b]) if count > 1 => {
                outcome.with_context(|| format!("{} in {}", a.name, b.name))
            }
            _ => outcome,
        }
    };

    if args.dry_run {
        let in_json = args.json || args.prints_json(&witness);
        for place in 0..count {
            let part = &versions(part(place), &Control::default())?[0];
            if let Outcome::Planned(plan) = call(part, None)? {
                output::to_stdout(|out| {
                    report::between(place > 0 && !in_json, out)?;
                    let names = (C::PROBLEM, C::COUNTED, C::NAMES);
                    report::plan(in_json, names, part, &plan, out)
                })?;
            }
        }
        return Ok(());
    }

    let interrupt = Interrupt::install()?;
    let progress = progress::Reporter::new(args.progress);
    let started = Instant::now();
    let file = match &witness {
        Witness::File(file, _) => Some(file),
        _ => None,
    };
    let mut sink = None;
    if let Some(format) = witness.format() {
        let mut preamble = Vec::new();
        command.preamble(format, &inputs, &mut preamble)?;
        let sink = sink.insert(Sink::new(file, preamble, format.is_bam(), &interrupt)?);
        progress.aside(|| sink.begin())?;
    }
    // Several pairs in a file have one summary.
    let is_summed_up = count > 1 && file.is_some() && !args.json;
    let mut together = None;
    if let (Some(sink), Some(format)) = (&mut sink, witness.format())
        && count > 1
        && !args.json
    {
        let mut call = Together {
            engine: &engine,
            options,
            cancel: interrupt.handle(),
            control: &|| progress.control(&interrupt),
            print: &mut |bytes| progress.aside(|| sink.put(|out| out.write_all(bytes))),
            explain: &|error| match limits.explained::<Infallible>(Err(error), &reading) {
                Ok(never) => match never {},
                Err(error) => error,
            },
        };
        together = command.write_together(&inputs, format, &mut call)?;
    }
    let (left, shares) = match together {
        Some(_) => (0, Vec::new()),
        None => (count, shares(&inputs, &pairs)),
    };
    let mut whole = together.unwrap_or_default();
    let ranks_pairs = count > 1
        && witness
            .format()
            .is_some_and(|format| command.ranks_pairs(format));
    // Answers for the current record of the first input, if its best one is marked.
    let mut held: Vec<(usize, Inputs, Solved<C::Answer>)> = Vec::new();
    // The answers are printed even if the file cannot be written.
    let mut failed = None;
    let solving = if path { 1.0 - WRITING_SHARE } else { 1.0 };
    let solve = |place: usize| -> anyhow::Result<Option<(Inputs, Solved<C::Answer>)>> {
        let [start, end] = [shares[place], shares[place + 1]];
        let control = |from: f64, to: f64| {
            let [from, to] = [from, to].map(|part| solving * (start + (end - start) * part));
            progress.control(&interrupt).part(from, to)
        };
        let turned = if command.turning().is_some() {
            TURNING_SHARE
        } else {
            0.0
        };
        let mut best: Option<(Inputs, Solved<C::Answer>)> = None;
        let versions = versions(part(place), &control(0.0, turned))?;
        let share = (1.0 - turned) / versions.len() as f64;
        for (index, version) in versions.into_iter().enumerate() {
            let from = turned + share * index as f64;
            let control = control(from, from + share);
            let Outcome::Solved(solved) = call(&version, Some(&control))? else {
                continue;
            };
            let is_worse = |(_, best): &(Inputs, Solved<C::Answer>)| {
                !command.is_better(&solved.answer, &best.answer)
            };
            if !best.as_ref().is_some_and(is_worse) {
                best = Some((version, solved));
            }
        }
        Ok(best)
    };
    for (place, best) in side_by_side::in_order(left, threads, &solve).enumerate() {
        let Some((part, solved)) = best? else {
            continue;
        };
        let has_witness = command.has_witness(&solved.answer);
        whole.found += usize::from(has_witness);
        // A pair without output is not kept.
        if has_witness || !ranks_pairs || file.is_some() {
            held.push((place, part, solved));
        }
        if place + 1 == count {
            progress.wipe();
        }
        let is_last_of_record = place + 1 == count || pairs[place][0] != pairs[place + 1][0];
        if ranks_pairs && !is_last_of_record {
            continue;
        }
        let best = (1..held.len()).fold(0, |best, at| {
            let [one, than] = [at, best].map(|at| &held[at].2.answer);
            if command.is_better(one, than) {
                at
            } else {
                best
            }
        });
        for (at, (place, part, solved)) in held.drain(..).enumerate() {
            let found = ReportContext {
                inputs: &part,
                solved: &solved,
                is_one_of_several: count > 1,
                is_best_of_record: at == best,
            };
            whole.is_found |= command.is_found(&found);
            if let (Some(sink), Some(format)) = (&mut sink, witness.format())
                && command.has_witness(&solved.answer)
                && failed.is_none()
            {
                if file.is_some() {
                    progress.enter(progress::WRITING);
                }
                let write = |out: &mut dyn Write| write_witness(command, format, &found, out);
                let written = progress.aside(|| sink.put(write));
                match file {
                    Some(_) => failed = written.err(),
                    None => written?,
                }
            }
            if place + 1 == count
                && failed.is_none()
                && let Some(sink) = &mut sink
            {
                failed = progress.aside(|| sink.finish()).err();
            }
            if is_summed_up {
                whole.runs.solve(solved.map(|_| ()));
                continue;
            }
            let print = || print(command, &witness, &found, place > 0);
            progress.aside(|| interrupt.ending_at_once(print))?;
            if count == 1
                && let Some(note) = command.answer_note(&found)
            {
                progress.aside(|| output::note(&note));
            }
        }
    }
    if failed.is_none()
        && let Some(sink) = &mut sink
    {
        failed = progress.aside(|| sink.finish()).err();
    }
    if is_summed_up && let Some(mut solved) = whole.runs.solved {
        solved.run.elapsed = started.elapsed();
        let mut lines = vec![("pairs", format!("{count}, {} aligned", whole.found))];
        lines.extend(report::input_lines(C::NAMES, &inputs));
        lines.extend(report::run_lines(C::COUNTED, &solved));
        let print = || output::to_stdout(|out| report::write_aligned(&lines, out));
        progress.aside(|| interrupt.ending_at_once(print))?;
    }
    progress.finish();
    let missing = if path { count - whole.found } else { 0 };
    if missing > 0
        && let Some(note) = command.missing(missing, count)
    {
        let stays = match file {
            Some(file) if missing == count => format!(", and {file} stays as it is"),
            _ => String::new(),
        };
        output::note(&format!("{note}{stays}"));
    }
    match failed {
        Some(error) => Err(error),
        None if command.sets_exit_code() && !whole.is_found => Err(Differs.into()),
        None => Ok(()),
    }
}

/// Names the record of a symbol that is no DNA, and shows the symbol as read.
fn with_symbol(error: anyhow::Error, inputs: &Inputs) -> anyhow::Error {
    let (
        Some(&Error::NotDna {
            input: side,
            record,
            position,
            ..
        }),
        Lists::Bytes(list),
    ) = (error.downcast_ref(), &inputs.lists)
    else {
        return error;
    };
    let (before, group) = (&inputs.groups[..side - 1], &inputs.groups[side - 1]);
    let before: usize = before.iter().map(|group| group.records.len()).sum();
    let symbol = list.printed()[before + record - 1][position].escape_ascii();
    anyhow!(
        "{}: '{symbol}' at position {position} (from 0) is no letter of DNA, so there is \
         no reverse strand; give DNA, or --strand forward",
        input::place(&group.source, &group.records[record - 1])
    )
}

/// Cumulative bounds of the pairs as fractions of all cells.
fn shares(inputs: &Inputs, pairs: &[[usize; 2]]) -> Vec<f64> {
    let lengths = inputs.lists.lengths();
    let cells = |&[a, b]: &[usize; 2]| (lengths[a] as f64 + 1.0) * (lengths[b] as f64 + 1.0);
    let all: f64 = pairs.iter().map(cells).sum();
    let mut shares = vec![0.0];
    for pair in pairs {
        shares.push(shares[shares.len() - 1] + cells(pair) / all);
    }
    if pairs.is_empty() {
        shares.push(1.0);
    }
    shares
}

/// Prints the summary of an answer, to stderr if its witness is on stdout.
fn print<C: Comparison>(
    command: &C,
    witness: &Witness<C::Format>,
    found: &ReportContext<'_, C::Answer>,
    is_later: bool,
) -> anyhow::Result<()> {
    if let Witness::Stdout(format) = *witness {
        output::end_line(command.is_unended(format, found.inputs))?;
        return if command.has_summary(found) {
            output::to_stderr(|out| command.text(found, io::stderr().is_terminal(), out))
        } else {
            Ok(())
        };
    }
    let in_json = matches!(witness, Witness::InJson);
    output::to_stdout(|out| {
        if command.output().json || in_json {
            return command.json(found, in_json, out);
        }
        report::between(is_later, out)?;
        command.text(found, io::stdout().is_terminal(), out)
    })
}

fn write_witness<C: Comparison>(
    command: &C,
    format: C::Format,
    found: &ReportContext<'_, C::Answer>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if format == C::Format::JSON {
        command.json(found, true, out)
    } else {
        command.witness(format, found, out)
    }
}
