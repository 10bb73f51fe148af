//! `swath neighbors`: all pairs of strings within an edit distance, and clusters.

mod abundance;
mod clusters;
mod rows;

use std::io::Write;
use std::ops::ControlFlow;

use anyhow::bail;
use swath::neighbors::{ClusterList, Neighbors, Work};
use swath::{Control, Engine, Options, Symbol, Task};

use crate::args::{ClusterMethod, NeighborsArgs, NeighborsFormat, source};
use crate::compare::{Caller, Outcome, Solved};
use crate::input::{self, Reading, Source, StringList};
use crate::interrupt::Interrupt;
use crate::lists::{self, ListCall, Output};
use crate::output::{self as files, OutputFile};
use crate::progress;
use crate::report::{self, Counted, Object};
use rows::Rows;

/// Expected pairs above which a note tells their number before the work.
const MANY_PAIRS: u64 = 1_000_000_000;

/// Reads, computes and prints.
pub fn run(args: &NeighborsArgs) -> anyhow::Result<()> {
    check(args)?;
    let sources = [Some(&args.a), args.b.as_ref()];
    let sources: Vec<Source> = sources
        .into_iter()
        .flatten()
        .map(|one| source(one))
        .collect();
    let file = lists::destination(sources.iter(), args.output.as_deref())?;
    if args.json && file.is_none() && !args.dry_run {
        bail!("--json and the rows would both print to stdout; name a file: --output FILE");
    }
    let mut reading = args.engine.reading();
    let read = |source| input::read_strings(source, args.symbols, args.ignore_case, &mut reading);
    let mut lists: Vec<_> = sources.iter().map(read).collect::<anyhow::Result<_>>()?;
    let counts = match (args.counts, lists.first_mut()) {
        (Some(place), Some(list)) => {
            // Columns leave other strings; a number for each takes as much as its offset.
            reading.memory.hold(&list.name, list.size_bytes())?;
            Some(abundance::take(place, list)?)
        }
        _ => None,
    };
    let call = Call {
        args,
        counts,
        file,
        reading,
    };
    let memory = &call.reading.memory;
    lists::answer(&call, lists, args.symbols, args.ignore_case, memory)
}

/// Rejects options that contradict each other.
fn check(args: &NeighborsArgs) -> anyhow::Result<()> {
    let is_matrix = args.format == NeighborsFormat::Mtx;
    if args.clusters.is_some() && is_matrix {
        bail!("--format mtx has pairs, not --clusters; take tsv, ndjson or npy");
    }
    if args.shard.is_some() && matches!(args.format, NeighborsFormat::Npy | NeighborsFormat::Mtx) {
        bail!(
            "--format npy and mtx are one array, of which --shard has no part; take tsv or ndjson"
        );
    }
    Ok(())
}

/// A call after its files are read.
struct Call<'a> {
    args: &'a NeighborsArgs,
    /// Abundance of each string of the first list.
    counts: Option<Vec<u64>>,
    file: Option<OutputFile>,
    reading: Reading,
}

impl ListCall for Call<'_> {
    fn answer<S: Symbol>(&self, lists: Vec<StringList<S>>) -> anyhow::Result<()> {
        let (args, reading) = (self.args, &self.reading);
        let lists: Vec<&StringList<S>> = lists.iter().collect();
        let Some(&a) = lists.first() else {
            return Ok(());
        };
        // The strings replace the file contents.
        reading.memory.release(u64::MAX);
        let counts = self
            .counts
            .as_ref()
            .map_or(0, |counts| size_of_val(&counts[..]) as u64);
        let bytes = lists.iter().map(|list| list.size_bytes()).sum::<u64>() + counts;
        reading.memory.hold("the inputs", bytes)?;
        files::notes(reading);
        let options: Options = args.engine.options_beside(reading);
        let engine = Engine::new(options)?;
        let neighbors = match lists.get(1) {
            Some(b) => Neighbors::between(&a.strings, &b.strings),
            None => Neighbors::of(&a.strings),
        };
        let (share, shares) = args.shard.unwrap_or((0, 1));
        let neighbors = neighbors.within(args.max_distance).shard(share, shares);
        if args.dry_run {
            return self.plan(&lists, &engine, neighbors);
        }
        match args.clusters {
            Some(method) => self.clusters(method, &lists, &engine, neighbors),
            None => self.pairs(&lists, &engine, neighbors),
        }
    }
}

impl Call<'_> {
    fn pairs<S: Symbol>(
        &self,
        lists: &[&StringList<S>],
        engine: &Engine,
        neighbors: Neighbors<'_, S>,
    ) -> anyhow::Result<()> {
        let (args, reading) = (self.args, &self.reading);
        let estimate = args.engine.explained(neighbors.estimate(engine), reading)?;
        if estimate.pairs > MANY_PAIRS {
            files::note(&format!(
                "about {} pairs are within {} edits; allow fewer (-k), take a part (--shard I/N), or clusters (--clusters)",
                estimate.pairs, args.max_distance
            ));
        }
        let interrupt = Interrupt::install()?;
        let progress = progress::Reporter::new(args.progress);
        let control = progress.control(&interrupt);
        let mut out = Output::new(self.file.as_ref(), &interrupt, &progress)?;
        let mut rows = Rows::new(args, lists)?;
        let mut failed = None;
        let task = neighbors.for_each(|block| match rows.write(block.neighbors, &mut out) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        });
        let outcome = self.run(engine, &control, &task);
        drop(task);
        if let Some(error) = failed {
            return Err(error);
        }
        let Some(solved) = outcome? else {
            return Ok(());
        };
        progress.enter(progress::WRITING);
        rows.end(&mut out)?;
        out.finish()?;
        progress.finish();
        let (pairs, work) = (solved.answer.pairs, solved.answer.work);
        interrupt.ending_at_once(|| self.summary(lists, &solved, ("pairs", pairs), work))
    }

    fn clusters<S: Symbol>(
        &self,
        method: ClusterMethod,
        lists: &[&StringList<S>],
        engine: &Engine,
        neighbors: Neighbors<'_, S>,
    ) -> anyhow::Result<()> {
        let args = self.args;
        let ones = || vec![1; lists.first().map_or(0, |list| list.strings.len())];
        let counts = || self.counts.clone().unwrap_or_else(ones);
        let task = neighbors.clusters().counts(counts());
        let task = match method {
            ClusterMethod::Components => task,
            ClusterMethod::Directional => task.directional(counts()),
        };
        let interrupt = Interrupt::install()?;
        let progress = progress::Reporter::new(args.progress);
        let control = progress.control(&interrupt);
        let mut out = Output::new(self.file.as_ref(), &interrupt, &progress)?;
        let Some(solved) = self.run(engine, &control, &task)? else {
            return Ok(());
        };
        progress.enter(progress::WRITING);
        let ClusterList {
            representatives,
            work,
            ..
        } = &solved.answer;
        if let Some(list) = lists.first() {
            clusters::write(args, list, &solved.answer, &mut out)?;
        }
        out.finish()?;
        progress.finish();
        let count = representatives.len() as u64;
        interrupt.ending_at_once(|| self.summary(lists, &solved, ("clusters", count), *work))
    }

    /// Runs a task; `None` if it was only planned.
    fn run<T: Task>(
        &self,
        engine: &Engine,
        control: &Control,
        task: &T,
    ) -> anyhow::Result<Option<Solved<T::Answer>>> {
        let caller = Caller {
            engine,
            control: Some(control),
        };
        let outcome = self
            .args
            .engine
            .explained(caller.call(task), &self.reading)?;
        Ok(match outcome {
            Outcome::Solved(solved) => Some(solved),
            Outcome::Planned(_) => None,
        })
    }

    fn plan<S: Symbol>(
        &self,
        lists: &[&StringList<S>],
        engine: &Engine,
        neighbors: Neighbors<'_, S>,
    ) -> anyhow::Result<()> {
        let args = self.args;
        let explained = |result| args.engine.explained(result, &self.reading);
        let estimate = explained(neighbors.estimate(engine))?;
        let plan = args
            .engine
            .explained(engine.plan(&neighbors), &self.reading)?;
        files::to_stdout(|out| {
            if !args.json {
                let mut lines = vec![
                    ("expected pairs", estimate.pairs.to_string()),
                    ("candidates", estimate.candidates.to_string()),
                ];
                lines.extend(lists::input_lines(lists));
                lines.extend(report::plan_lines(Counted::Cells, &plan));
                return report::write_aligned(&lines, out);
            }
            let object = Object::new("neighbors-plan/1", out)?
                .field("problem", "neighbors")?
                .field("max_distance", args.max_distance)?
                .field("expected_pairs", estimate.pairs)?
                .field("expected_candidates", estimate.candidates)?;
            let object = report::plan_fields(Counted::Cells, &plan, object)?;
            lists::input_fields(lists, object)?.end()
        })
    }

    /// Prints what ran: to stderr if the rows are on stdout.
    fn summary<S: Symbol, A>(
        &self,
        lists: &[&StringList<S>],
        solved: &Solved<A>,
        (counted, count): (&'static str, u64),
        work: Work,
    ) -> anyhow::Result<()> {
        let (
            args,
            Work {
                candidates,
                verified,
                ..
            },
        ) = (self.args, work);
        let text = |out: &mut dyn Write| {
            let mut lines = vec![
                (counted, count.to_string()),
                ("max distance", args.max_distance.to_string()),
                ("candidates", format!("{candidates}, {verified} compared")),
            ];
            lines.extend(lists::input_lines(lists));
            lines.extend(report::run_lines(Counted::Cells, solved));
            report::write_aligned(&lines, out)
        };
        match (&self.file, args.json) {
            (None, _) => files::to_stderr(text),
            (Some(_), false) => files::to_stdout(text),
            (Some(_), true) => files::to_stdout(|out| {
                let object = Object::new("neighbors/1", out)?
                    .field("problem", "neighbors")?
                    .field("max_distance", args.max_distance)?
                    .field(counted, count)?
                    .field("candidates", candidates)?
                    .field("verified", verified)?;
                let object = report::run_fields(Counted::Cells, solved, object)?;
                lists::input_fields(lists, object)?.end()
            }),
        }
    }
}
