//! `swath pairs`: lists against lists.

mod alignment;
mod best;
mod dense;
mod job;
pub mod join;
mod mtx;
mod rows;
mod scale;

use std::io::Write;
use std::ops::ControlFlow;

use anyhow::bail;
use swath::edit_distance::Mode;
use swath::pairs::{Measure, Pairs, PairsDone};
use swath::{Engine, Symbol, Task};

use crate::args::{PairsArgs, PairsFormat, source};
use crate::compare::{Caller, Outcome, Solved};
use crate::input::{self, Reading, Source, StringList};
use crate::interrupt::Interrupt;
use crate::lists::{self, ListCall, Output};
use crate::output::{self as files, OutputFile};
use crate::progress;
use crate::report::{self, Counted, Object};
use alignment::{Aligner, Shown};
use dense::{Npy, Phylip};
use job::Job;
use rows::{RowFormat, Rows};

/// Pairs before a position, and their rows.
struct Written {
    next: u64,
    rows: u64,
}

/// Writes blocks of pairs in a format.
trait Form {
    /// All values of consecutive pairs, or those within the bound.
    type Block<'b>;

    /// Returns what is written once the buffer is.
    fn block(&mut self, block: &Self::Block<'_>, out: &mut Output<'_>) -> anyhow::Result<Written>;

    /// Writes what follows the last block. Returns the number of rows.
    fn end(&mut self, out: &mut Output<'_>) -> anyhow::Result<u64>;
}

/// Writes the blocks of a call until one fails.
struct Sink<'a, 'o> {
    out: &'a mut Output<'o>,
    /// Position after the last pair of the call.
    end: u64,
    failed: Option<anyhow::Error>,
}

impl<'a, 'o> Sink<'a, 'o> {
    fn new(out: &'a mut Output<'o>, end: u64) -> Self {
        Self {
            out,
            end,
            failed: None,
        }
    }

    fn take<F: Form>(&mut self, form: &mut F, block: &F::Block<'_>) -> ControlFlow<()> {
        let written = form.block(block, self.out);
        let kept = written.and_then(|Written { next, rows }| {
            if next < self.end {
                self.out.checkpoint(next, rows)
            } else {
                // The end needs no checkpoint: the file is complete soon.
                Ok(())
            }
        });
        match kept {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Writes what follows the last block. Returns the number of rows; `None` for a plan.
    fn end<F: Form>(
        self,
        form: &mut F,
        outcome: anyhow::Result<Outcome<PairsDone>>,
    ) -> anyhow::Result<Option<(Solved<PairsDone>, u64)>> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let Outcome::Solved(solved) = outcome? else {
            return Ok(None);
        };
        let rows = form.end(self.out)?;
        Ok(Some((solved, rows)))
    }
}

/// Reads, computes and prints.
pub fn run(args: &PairsArgs) -> anyhow::Result<()> {
    check(args)?;
    let sides = [Some(&args.queries), args.targets.as_ref()];
    let sides: Vec<Source> = sides
        .into_iter()
        .flatten()
        .map(|side| source(side))
        .collect();
    let list = args.list.as_ref().map(|file| source(file));
    let all = sides.iter().chain(&list);
    let file = lists::destination(all.clone(), args.output.as_deref())?;
    match &file {
        Some(file) => file.check_beside(all)?,
        None if args.resume => bail!("--resume goes on with a file; name it: --output FILE"),
        None => {}
    }
    if args.json && file.is_none() && !args.dry_run {
        bail!("--json and the values would both print to stdout; name a file: --output FILE");
    }
    let mut reading = args.engine.reading();
    let read = |side| input::read_strings(side, args.symbols, args.ignore_case, &mut reading);
    let lists: Vec<_> = sides.iter().map(read).collect::<anyhow::Result<_>>()?;
    let call = Call {
        args,
        list,
        file,
        reading,
    };
    let memory = &call.reading.memory;
    lists::answer(&call, lists, args.symbols, args.ignore_case, memory)
}

/// Rejects options that contradict each other.
fn check(args: &PairsArgs) -> anyhow::Result<()> {
    let format = args.format.name();
    let rows = "take tsv or ndjson";
    let by_rows = matches!(args.format, PairsFormat::Tsv | PairsFormat::Ndjson);
    let is_paf = args.format == PairsFormat::Paf;
    let columns = [
        ("--counts", args.counts, by_rows),
        ("--path", args.path, by_rows || is_paf),
        ("--format paf", is_paf, true),
    ];
    let filters = [
        ("--top", args.top.is_some()),
        ("--at-least", args.at_least.is_some()),
    ];
    for (option, is_given, has_columns) in columns {
        if is_given && !has_columns {
            bail!("--format {format} has no columns for {option}; {rows}");
        }
        if is_given && args.measure != Measure::Edit {
            bail!(
                "{option} is for --measure edit; '{}' has no alignment",
                args.measure.name()
            );
        }
    }
    for (option, is_given) in filters {
        if is_given && args.format.is_dense() {
            bail!("--format {format} has a value for every pair; drop {option}, or {rows} or mtx");
        }
    }
    if args.measure != Measure::Edit && args.mode != Mode::Global {
        bail!(
            "--mode {} is for --measure edit; drop it, or take that measure",
            args.mode.name()
        );
    }
    if args.measure == Measure::Lcs && args.max_distance.is_some() {
        bail!(
            "--max-distance bounds distances, and --measure lcs has lengths; take --measure indel, or --at-least S"
        );
    }
    if is_paf && args.normalized {
        bail!("--format paf has distances, not similarities; drop --normalized, or {rows}");
    }
    if args.format == PairsFormat::Phylip {
        if args.targets.is_some() || args.list.is_some() {
            bail!("--format phylip is a matrix of one file with itself; give Q alone");
        }
        if args.normalized || args.measure == Measure::Lcs {
            bail!(
                "--format phylip has distances, not similarities; drop --normalized, take --measure edit or indel"
            );
        }
    }
    Ok(())
}

/// A call after its files are read.
struct Call<'a> {
    args: &'a PairsArgs,
    list: Option<Source>,
    file: Option<OutputFile>,
    reading: Reading,
}

impl ListCall for Call<'_> {
    fn answer<S: Symbol>(&self, lists: Vec<StringList<S>>) -> anyhow::Result<()> {
        let (args, reading) = (self.args, &self.reading);
        let Some(queries) = lists.first() else {
            return Ok(());
        };
        let targets = lists.get(1).unwrap_or(queries);
        let list = self
            .list
            .as_ref()
            .map(|file| input::read_pairs(file, (queries, targets), args.positions, reading));
        let job = Job::new(args, (queries, targets), list.transpose()?)?;
        // The strings replace the file contents.
        reading.memory.release(u64::MAX);
        reading.memory.hold("the inputs", job.size_bytes())?;
        let mut options = args.engine.options_beside(reading);
        if let Some(limit) = options.host_memory {
            job.check_longest(limit)?;
        }
        files::notes(reading);
        if args.dry_run {
            let pairs = job.pairs().range(job.positions.clone());
            return self.plan(&job, &Engine::new(options)?, pairs);
        }

        let interrupt = Interrupt::install()?;
        let aligner = Aligner::new(&mut options, interrupt.handle(), Shown::of(args))?;
        let engine = Engine::new(options)?;
        let progress = progress::Reporter::new(args.progress);
        let control = progress.control(&interrupt);
        let call = || job.fingerprint();
        let file = self.file.as_ref();
        let mut out = Output::resumable(file, args.resume, call, &interrupt, &progress)?;
        let resumed = out.resumed();
        let start = resumed.map_or(job.positions.start, |resumed| resumed.next);
        let caller = Caller {
            engine: &engine,
            control: Some(&control),
        };
        let (solved, rows) = match self.write(&job, aligner, &caller, start, &mut out) {
            Ok(Some(done)) => done,
            Ok(None) => return Ok(()),
            Err(error) => {
                progress.wipe();
                if let Some((last, file)) = out.keep() {
                    let pairs = last.next - job.positions.start;
                    let all = job.positions.end - job.positions.start;
                    files::note(&format!(
                        "{pairs} of {all} pairs are in {file}; repeat the call with --resume to go on"
                    ));
                }
                return Err(error);
            }
        };
        progress.enter(progress::WRITING);
        out.finish()?;
        progress.finish();
        let resumed = start - job.positions.start;
        interrupt.ending_at_once(|| self.summary(&job, &solved, (resumed, rows)))
    }
}

impl Call<'_> {
    /// Computes and writes the pairs from `start` on. Returns the number of rows; `None` for a plan.
    fn write<S: Symbol>(
        &self,
        job: &Job<'_, S>,
        aligner: Option<Aligner>,
        caller: &Caller<'_>,
        start: u64,
        out: &mut Output<'_>,
    ) -> anyhow::Result<Option<(Solved<PairsDone>, u64)>> {
        let args = self.args;
        let format = match args.format {
            PairsFormat::Ndjson => RowFormat::Ndjson,
            PairsFormat::Paf => RowFormat::Paf,
            PairsFormat::Mtx => RowFormat::Mtx(job.mtx_head()),
            _ => RowFormat::Tsv,
        };
        let pairs = job.pairs().range(start..job.positions.end);
        match args.format {
            PairsFormat::Npy => {
                let mut form = Npy::new(job, out);
                let mut sink = Sink::new(out, job.positions.end);
                let outcome =
                    self.call(caller, pairs.for_each(|block| sink.take(&mut form, &block)));
                sink.end(&mut form, outcome)
            }
            PairsFormat::Phylip => {
                let mut form = Phylip::new(job, out)?;
                let mut sink = Sink::new(out, job.positions.end);
                let outcome =
                    self.call(caller, pairs.for_each(|block| sink.take(&mut form, &block)));
                sink.end(&mut form, outcome)
            }
            _ => {
                let mut form = Rows::new(job, aligner, format, out)?;
                let mut sink = Sink::new(out, job.positions.end);
                let outcome = self.call(
                    caller,
                    pairs.for_each_kept(|block| sink.take(&mut form, &block)),
                );
                sink.end(&mut form, outcome)
            }
        }
    }

    fn call<T: Task<Answer = PairsDone>>(
        &self,
        caller: &Caller<'_>,
        task: T,
    ) -> anyhow::Result<Outcome<PairsDone>> {
        let outcome = caller.call(&task);
        self.args.engine.explained(outcome, &self.reading)
    }

    fn plan<S: Symbol>(
        &self,
        job: &Job<'_, S>,
        engine: &Engine,
        pairs: Pairs<'_, S>,
    ) -> anyhow::Result<()> {
        let caller = Caller {
            engine,
            control: None,
        };
        let count = pairs.count()?;
        let task = pairs.for_each(|_| ControlFlow::Continue(()));
        let outcome = self
            .args
            .engine
            .explained(caller.call(&task), &self.reading)?;
        let Outcome::Planned(plan) = outcome else {
            return Ok(());
        };
        files::to_stdout(|out| {
            if !self.args.json {
                let mut lines = vec![("pairs", count.to_string())];
                lines.extend(lists::input_lines(&job.lists()));
                lines.extend(report::plan_lines(Counted::Cells, &plan));
                return report::write_aligned(&lines, out);
            }
            let object = Object::new("pairs-plan/1", out)?
                .field("problem", "pairs")?
                .field("pairs", count)?;
            let object = report::plan_fields(Counted::Cells, &plan, object)?;
            lists::input_fields(&job.lists(), object)?.end()
        })
    }

    /// Prints what ran: to stderr if the values are on stdout.
    fn summary<S: Symbol>(
        &self,
        job: &Job<'_, S>,
        solved: &Solved<PairsDone>,
        (resumed, rows): (u64, u64),
    ) -> anyhow::Result<()> {
        let (args, pairs) = (self.args, resumed + solved.answer.pairs);
        let text = |out: &mut dyn Write| {
            let mut lines = vec![("pairs", pairs.to_string())];
            if resumed > 0 {
                lines.push(("resumed", resumed.to_string()));
            }
            lines.extend([
                ("rows", rows.to_string()),
                ("measure", args.measure.name().to_string()),
                ("mode", args.mode.name().to_string()),
            ]);
            lines.extend(lists::input_lines(&job.lists()));
            lines.extend(report::run_lines(Counted::Cells, solved));
            report::write_aligned(&lines, out)
        };
        match (&self.file, args.json) {
            (None, _) => files::to_stderr(text),
            (Some(_), false) => files::to_stdout(text),
            (Some(_), true) => files::to_stdout(|out| {
                let object = Object::new("pairs/1", out)?
                    .field("problem", "pairs")?
                    .field("measure", args.measure.name())?
                    .field("mode", args.mode.name())?
                    .field("pairs", pairs)?
                    .field_if("resumed", (resumed > 0).then_some(resumed))?
                    .field("rows", rows)?;
                let object = report::run_fields(Counted::Cells, solved, object)?;
                lists::input_fields(&job.lists(), object)?.end()
            }),
        }
    }
}
