//! `swath neighbors`: all pairs of strings within a distance, and clusters.

mod abundance;
mod clusters;
mod columns;
mod rows;

use anyhow::bail;
use swath::neighbors::{Neighbors, Work};
use swath::{Engine, Error, Symbol};

use crate::args::{ClusterMethod, NeighborsArgs, NeighborsFormat, Strand};
use crate::call::{Caller, Outcome, TakeError};
use crate::input::{Reading, StringList};
use crate::interrupt::Interrupt;
use crate::lists::{
    self, Convert, ListCall, Output, SortedPart, Summary, call_entries, content, hash_of, shown,
    value_name,
};
use crate::output::OutputFile;
use crate::progress::{Reporter, WRITING};
use crate::report::Object;
use crate::{dna, message};
use rows::Rows;

/// Above this number a note tells the expected pairs.
const MANY_PAIRS: u64 = 1_000_000_000;

pub fn run(args: &NeighborsArgs) -> anyhow::Result<()> {
    check(args)?;
    let sources = lists::sources(&args.a, args.b.as_ref());
    let file = lists::destination(sources.iter(), &args.rows, "rows")?;
    let mut reading = args.engine.reading();
    let mut lists = lists::read(&sources, &args.strings, &mut reading)?;
    let counts = match (args.counts, lists.first_mut()) {
        (Some(abundance), Some(list)) => {
            // Columns leave other strings; a number for each takes as much as its offset.
            reading.memory.hold(&list.name, list.size_bytes())?;
            Some(abundance::take(abundance, list)?)
        }
        _ => None,
    };
    let groups = columns::take(args, &mut lists, &reading.memory)?;
    for list in &mut lists {
        lists::keep_text(list, args.labels.show(), &reading.memory)?;
    }
    let call = Call {
        args,
        counts,
        groups,
        file,
        reading,
    };
    let memory = call.reading.memory.clone();
    lists::answer(call, lists, &args.strings, &memory)
}

fn check(args: &NeighborsArgs) -> anyhow::Result<()> {
    let is_matrix = args.format == NeighborsFormat::Mtx;
    if args.clusters.is_some() && is_matrix {
        bail!("--format mtx has pairs, not --clusters; take tsv, ndjson or npy");
    }
    if args.members && args.format == NeighborsFormat::Npy {
        bail!("--format npy has numbers, not --members; take tsv or ndjson");
    }
    args.strand.check(args.strings.symbols.are_bytes())?;
    if args.shard.is_some() && matches!(args.format, NeighborsFormat::Npy | NeighborsFormat::Mtx) {
        bail!(
            "--format npy and mtx are one array, of which --shard has no part; take tsv or ndjson"
        );
    }
    Ok(())
}

struct Call<'a> {
    args: &'a NeighborsArgs,
    /// Abundance of each string of the first list.
    counts: Option<Vec<u64>>,
    /// Group of each string of each list; empty without groups.
    groups: Vec<Vec<u32>>,
    file: Option<OutputFile>,
    reading: Reading,
}

impl ListCall for Call<'_> {
    fn answer<S: Symbol>(
        self,
        lists: Vec<StringList<S>>,
        _: &mut Convert<'_, S>,
    ) -> anyhow::Result<()> {
        let (args, reading) = (self.args, &self.reading);
        let Some(a) = lists.first() else {
            return Ok(());
        };
        // The strings replace the file contents.
        reading.memory.release(u64::MAX);
        let counts = self.counts.as_deref().map_or(0, size_of_val);
        let groups: usize = self
            .groups
            .iter()
            .map(|groups| size_of_val(&groups[..]))
            .sum();
        let bytes: u64 = lists.iter().map(StringList::size_bytes).sum();
        reading
            .memory
            .hold("the inputs", bytes + (counts + groups) as u64)?;
        reading.print_notes();
        let engine = Engine::new(args.engine.options_beside(reading))?;
        let mut neighbors = match lists.get(1) {
            Some(b) => Neighbors::between(&a.strings, &b.strings),
            None => Neighbors::of(&a.strings),
        };
        if let Some(groups) = self.groups.first() {
            neighbors = neighbors.by(&groups[..]);
        }
        if let Some(groups) = self.groups.get(1) {
            neighbors = neighbors.columns_by(&groups[..]);
        }
        if args.strand == Strand::Both {
            neighbors = neighbors.both_strands();
        }
        let (share, shares) = args.shard.unwrap_or((0, 1));
        let neighbors = neighbors
            .measure(args.measure)
            .within(args.max_distance)
            .shard(share, shares);
        let summary = Summary {
            problem: "neighbors",
            lists: lists.iter().map(StringList::figures).collect(),
            in_json: args.rows.json,
            has_file: self.file.is_some(),
        };
        let answered = match args.clusters {
            _ if args.rows.dry_run => self.plan(&summary, &engine, &neighbors),
            Some(method) => self.clusters(method, a, &summary, &engine, neighbors),
            None => self.pairs(&lists, &summary, &engine, neighbors),
        };
        answered.map_err(|error| match error.downcast_ref() {
            Some(Error::NotDna {
                symbol,
                input,
                record,
                position,
            }) => dna::no_reverse(&lists[input - 1].location(record - 1), symbol, *position),
            _ => error,
        })
    }
}

impl Call<'_> {
    fn pairs<S: Symbol>(
        &self,
        lists: &[StringList<S>],
        summary: &Summary<'_>,
        engine: &Engine,
        neighbors: Neighbors<'_, S>,
    ) -> anyhow::Result<()> {
        let estimate = self.explained(neighbors.estimate(engine))?;
        if estimate.pairs > MANY_PAIRS {
            message::note(&format!(
                "about {} pairs are within {}; allow fewer (-k), take a part (--shard I/N), or clusters (--clusters)",
                estimate.pairs, self.args.max_distance
            ));
        }
        self.run(summary, engine, |caller, progress, out| {
            let mut rows = Rows::new(self.args, lists)?;
            if let Some((share, shares)) = self.args.shard {
                let part = SortedPart {
                    share,
                    shares,
                    call: self.hash(lists),
                };
                out.buffer.extend(part.to_string().into_bytes());
            }
            let mut failed = TakeError::default();
            let task = neighbors.for_each(|block| failed.flow(rows.write(block.neighbors, out)));
            let outcome = self.explained(caller.call(&task));
            drop(task);
            failed.result()?;
            let outcome = outcome?;
            progress.enter(WRITING);
            rows.end(out)?;
            Ok(outcome.map(|answer| Found {
                what: "pairs",
                count: answer.pairs,
                work: answer.work,
            }))
        })
    }

    /// Hash of the inputs and options, which are equal in all parts of a call.
    fn hash<S: Symbol>(&self, lists: &[StringList<S>]) -> u64 {
        let args = self.args;
        let call = call_entries([
            ("the version", &env!("CARGO_PKG_VERSION")),
            ("--format", &value_name(args.format)),
            ("--symbols", &value_name(args.strings.symbols)),
            ("--ignore-case", &args.strings.ignore_case),
            ("--measure", &args.measure.name()),
            ("-k", &args.max_distance),
            ("--strand", &value_name(args.strand)),
            ("--show", &value_name(args.labels.show())),
            ("A", &shown(lists.first().map(content))),
            ("B", &shown(lists.get(1).map(content))),
        ]);
        hash_of(&(call, &self.groups))
    }

    fn clusters<S: Symbol>(
        &self,
        method: ClusterMethod,
        list: &StringList<S>,
        summary: &Summary<'_>,
        engine: &Engine,
        neighbors: Neighbors<'_, S>,
    ) -> anyhow::Result<()> {
        let ones = || vec![1; list.strings.len()];
        let counts = || self.counts.clone().unwrap_or_else(ones);
        let task = neighbors.clusters().counts(counts());
        let task = match method {
            ClusterMethod::Components => task,
            ClusterMethod::Directional => task.directional(counts()),
        };
        self.run(summary, engine, |caller, progress, out| {
            let outcome = self.explained(caller.call(&task))?;
            progress.enter(WRITING);
            if let Some(answer) = outcome.answer() {
                clusters::write(self.args, list, answer, out)?;
            }
            Ok(outcome.map(|answer| Found {
                what: "clusters",
                count: answer.representatives.len() as u64,
                work: answer.work,
            }))
        })
    }

    fn run(
        &self,
        summary: &Summary<'_>,
        engine: &Engine,
        work: impl FnOnce(&Caller<'_>, &Reporter, &mut Output<'_>) -> anyhow::Result<Outcome<Found>>,
    ) -> anyhow::Result<()> {
        let interrupt = Interrupt::install()?;
        let progress = Reporter::new(self.args.rows.progress.when);
        let control = progress.control(&interrupt);
        let mut out = Output::new(self.file.as_ref(), &interrupt, &progress)?;
        let caller = Caller {
            engine,
            control: Some(&control),
        };
        let outcome = work(&caller, &progress, &mut out)?;
        out.finish()?;
        progress.finish();
        let Some(&Found { what, count, work }) = outcome.answer() else {
            return Ok(());
        };
        let (max_distance, candidates, verified) =
            (self.args.max_distance, work.candidates, work.verified);
        let lines = vec![
            (what, count.to_string()),
            ("measure", self.args.measure.name().to_string()),
            ("max distance", max_distance.to_string()),
            ("candidates", format!("{candidates}, {verified} compared")),
        ];
        let fields = |object: &mut Object<'_>| {
            object
                .field("measure", self.args.measure.name())
                .field("max_distance", max_distance)
                .field(what, count)
                .field("candidates", candidates)
                .field("verified", verified);
        };
        interrupt.ending_at_once(|| summary.print(&outcome, lines, fields))
    }

    fn plan<S: Symbol>(
        &self,
        summary: &Summary<'_>,
        engine: &Engine,
        neighbors: &Neighbors<'_, S>,
    ) -> anyhow::Result<()> {
        let estimate = self.explained(neighbors.estimate(engine))?;
        let plan = Outcome::<()>::Planned(self.explained(engine.plan(neighbors))?);
        let lines = vec![
            ("expected pairs", estimate.pairs.to_string()),
            ("candidates", estimate.candidates.to_string()),
        ];
        summary.print(&plan, lines, |object| {
            object
                .field("measure", self.args.measure.name())
                .field("max_distance", self.args.max_distance)
                .field("expected_pairs", estimate.pairs)
                .field("expected_candidates", estimate.candidates);
        })
    }

    fn explained<T>(&self, result: swath::Result<T>) -> anyhow::Result<T> {
        self.args.engine.explained(result, &self.reading)
    }
}

#[derive(Clone, Copy)]
struct Found {
    what: &'static str,
    count: u64,
    work: Work,
}
