//! `swath pairs`: lists against lists.

mod alignment;
mod best;
mod dense;
mod job;
mod rows;
mod scale;

use std::io::Write;
use std::ops::ControlFlow;

use anyhow::bail;
use swath::pairs::{Measure, PairBlock, Pairs, PairsDone};
use swath::{Control, Engine, Symbol};

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

/// Writes blocks of values in a format.
trait Form {
    fn block(&mut self, block: &PairBlock<'_>, out: &mut Output<'_>) -> anyhow::Result<()>;

    /// Writes what follows the last block. Returns the number of rows.
    fn end(&mut self, out: &mut Output<'_>) -> anyhow::Result<u64>;
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
    let sources = sides.iter().chain(&list);
    let file = lists::destination(sources, args.output.as_deref())?;
    if args.json && file.is_none() && !args.dry_run {
        bail!("--json and the values would both print to stdout; name a file: --output FILE");
    }
    let reading = args.engine.reading();
    let read = |side| input::read_strings(side, args.symbols, args.ignore_case, &reading);
    let lists: Vec<_> = sides.iter().map(read).collect::<anyhow::Result<_>>()?;
    let call = Call {
        args,
        list,
        file,
        reading,
    };
    lists::answer(&call, lists, args.symbols, args.ignore_case)
}

/// Rejects options that contradict each other.
fn check(args: &PairsArgs) -> anyhow::Result<()> {
    let format = args.format.name();
    let rows = "take tsv or ndjson";
    let columns = [("--counts", args.counts), ("--path", args.path)];
    let filters = [
        ("--top", args.top.is_some()),
        ("--at-least", args.at_least.is_some()),
    ];
    let by_rows = matches!(args.format, PairsFormat::Tsv | PairsFormat::Ndjson);
    for (option, is_given) in columns {
        if is_given && !by_rows {
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
    if args.shard.is_some() && !by_rows {
        bail!("--format {format} is one matrix, of which --shard has no part; {rows}");
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
        let options = args.engine.options_beside(reading);
        let engine = Engine::new(options.clone())?;
        let pairs = job.pairs();
        if args.dry_run {
            return self.plan(&job, &engine, pairs);
        }

        let interrupt = Interrupt::install()?;
        let progress = progress::Reporter::new(args.progress);
        let control = Control::new(interrupt.handle().clone(), progress.callback());
        let mut out = Output::new(self.file.as_ref(), &interrupt, &progress)?;
        let shown = Shown {
            counts: args.counts,
            path: args.path,
        };
        let aligner = Aligner::new(options, interrupt.handle(), args.mode, shown)?;
        let mut form: Box<dyn Form + Send + '_> = match args.format {
            PairsFormat::Tsv => Box::new(Rows::new(&job, aligner, RowFormat::Tsv)),
            PairsFormat::Ndjson => Box::new(Rows::new(&job, aligner, RowFormat::Ndjson)),
            PairsFormat::Mtx => Box::new(Rows::new(&job, aligner, RowFormat::mtx()?)),
            PairsFormat::Npy => Box::new(Npy::new(&job, job.shape())),
            PairsFormat::Phylip => Box::new(Phylip::new(&job, &mut out)?),
        };
        let mut failed = None;
        let task = pairs.for_each(|block| match form.block(&block, &mut out) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        });
        let caller = Caller {
            engine: &engine,
            control: Some(&control),
        };
        let outcome = args.engine.explained(caller.call(&task), reading);
        drop(task);
        if let Some(error) = failed {
            return Err(error);
        }
        let Outcome::Solved(solved) = outcome? else {
            return Ok(());
        };
        progress.enter(progress::WRITING);
        let rows = form.end(&mut out)?;
        drop(form);
        out.finish()?;
        progress.finish();
        interrupt.ending_at_once(|| self.summary(&job, &solved, rows))
    }
}

impl Call<'_> {
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
        rows: u64,
    ) -> anyhow::Result<()> {
        let (args, pairs) = (self.args, solved.answer.pairs);
        let text = |out: &mut dyn Write| {
            let mut lines = vec![
                ("pairs", pairs.to_string()),
                ("rows", rows.to_string()),
                ("measure", args.measure.name().to_string()),
                ("mode", args.mode.name().to_string()),
            ];
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
                    .field("rows", rows)?;
                let object = report::run_fields(Counted::Cells, solved, object)?;
                lists::input_fields(&job.lists(), object)?.end()
            }),
        }
    }
}
