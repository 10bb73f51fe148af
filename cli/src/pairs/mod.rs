//! `swath pairs`: lists against lists.

mod alignment;
mod best;
mod dense;
mod job;
pub mod join;
mod merge;
mod part;
mod rows;

use std::ops::{ControlFlow, Range};

use anyhow::bail;
use swath::edit_distance::Mode;
use swath::pairs::{Measure, PairsDone};
use swath::{Engine, Symbol, Task};

use crate::args::{PairsArgs, PairsFormat, Show, source};
use crate::call::{Caller, Outcome, TakeError};
use crate::input::{self, Reading, Source, StringList};
use crate::interrupt::Interrupt;
use crate::lists::{self, Convert, ListCall, Output, Summary};
use crate::message;
use crate::output::OutputFile;
use crate::progress;
use crate::report::Object;
use alignment::Aligner;
use dense::Dense;
use job::Job;
use rows::Rows;

pub fn run(args: &PairsArgs) -> anyhow::Result<()> {
    check(args)?;
    let sides = lists::sources(&args.queries, args.targets.as_ref());
    let list = args.list.as_ref().map(|file| source(file));
    let all = sides.iter().chain(&list);
    args.output.check()?;
    let file = lists::destination(all.clone(), &args.output.rows, "values")?;
    if let Some(file) = &file {
        file.check_beside(all)?;
    }
    let mut reading = args.engine.reading();
    let mut lists = lists::read(&sides, &args.strings, &mut reading)?;
    for list in &mut lists {
        lists::keep_text(list, args.labels.show(), &reading.memory)?;
    }
    let call = Call {
        args,
        list,
        file,
        reading,
    };
    let memory = call.reading.memory.clone();
    lists::answer(call, lists, &args.strings, &memory)
}

fn check(args: &PairsArgs) -> anyhow::Result<()> {
    let format = lists::value_name(args.format);
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
    if !args.measure.is_distance() && args.max_distance.is_some() {
        let values = match args.measure {
            Measure::Lcs => "lengths; take --measure indel, or --at-least S",
            _ => "similarities; take --at-least S",
        };
        let name = args.measure.name();
        bail!("--max-distance bounds distances, and --measure {name} has {values}");
    }
    if args.at_least > Some(args.measure.max_similarity()) {
        bail!(
            "--at-least: similarities of '{}' are from 0 to {}",
            args.measure.name(),
            args.measure.max_similarity()
        );
    }
    if is_paf && args.has_similarities() {
        bail!("--format paf has distances, not similarities; drop --normalized, or {rows}");
    }
    if args.format == PairsFormat::Phylip {
        if args.targets.is_some() || args.list.is_some() {
            bail!("--format phylip is a matrix of one file with itself; give Q alone");
        }
        if args.has_similarities() || !args.measure.is_distance() {
            bail!(
                "--format phylip has distances, not similarities; drop --normalized, take --measure edit, indel, hamming or osa"
            );
        }
    }
    Ok(())
}

struct Call<'a> {
    args: &'a PairsArgs,
    list: Option<Source>,
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
        let Some(queries) = lists.first() else {
            return Ok(());
        };
        let targets = lists.get(1).unwrap_or(queries);
        let by_position = args.labels.show() == Show::Positions;
        let list = self
            .list
            .as_ref()
            .map(|file| input::read_pairs(file, queries, targets, by_position, reading));
        let job = Job::new(args, queries, targets, list.transpose()?)?;
        // The strings replace the file contents.
        reading.memory.release(u64::MAX);
        reading.memory.hold("the inputs", job.size_bytes())?;
        let mut options = args.engine.options_beside(reading);
        if let Some(limit) = options.host_memory {
            job.check_longest(limit)?;
        }
        reading.print_notes();
        let summary = Summary {
            problem: "pairs",
            lists: job.lists().map(StringList::figures).collect(),
            in_json: args.output.rows.json,
            has_file: self.file.is_some(),
        };
        if args.output.rows.dry_run {
            let engine = &Engine::new(options)?;
            let pairs = job.pairs().range(job.positions.clone());
            let count = pairs.count()?;
            let caller = Caller {
                engine,
                control: None,
            };
            let outcome = self.call(&caller, pairs.for_each(|_| ControlFlow::Continue(())))?;
            let lines = vec![("pairs", count.to_string())];
            return summary.print(&outcome, lines, |object| {
                object.field("pairs", count);
            });
        }

        let interrupt = Interrupt::install()?;
        let aligner = Aligner::new(&mut options, &interrupt.handle, args)?;
        let engine = Engine::new(options)?;
        let progress = progress::Reporter::new(args.output.rows.progress.when);
        let control = progress.control(&interrupt);
        let call = || job.fingerprint();
        let file = self.file.as_ref();
        let mut out = Output::resumable(file, args.output.resume, call, &interrupt, &progress)?;
        let resumed = out.resumed();
        let Range { start, end } = job.positions;
        let first = resumed.map_or(start, |resumed| resumed.next);
        let caller = Caller {
            engine: &engine,
            control: Some(&control),
        };
        let (outcome, rows) = match self.write(&job, aligner, &caller, first, &mut out) {
            Ok(done) => done,
            Err(error) => {
                progress.wipe();
                if let Some((last, file)) = out.keep() {
                    let (pairs, all) = (last.next - start, end - start);
                    message::note(&format!(
                        "{pairs} of {all} pairs are in {file}; repeat the call with --resume to go on"
                    ));
                }
                return Err(error);
            }
        };
        progress.enter(progress::WRITING);
        out.finish()?;
        progress.finish();
        let resumed = (first > start).then_some(first - start);
        let pairs = resumed.unwrap_or(0) + outcome.answer().map_or(0, |done| done.pairs);
        let (measure, mode) = (args.measure.name(), args.mode.name());
        let mut lines = vec![("pairs", pairs.to_string())];
        lines.extend(resumed.map(|resumed| ("resumed", resumed.to_string())));
        lines.extend([
            ("rows", rows.to_string()),
            ("measure", measure.to_string()),
            ("mode", mode.to_string()),
        ]);
        let fields = |object: &mut Object<'_>| {
            object
                .field("measure", measure)
                .field("mode", mode)
                .field("pairs", pairs)
                .field_if("resumed", resumed)
                .field("rows", rows);
        };
        interrupt.ending_at_once(|| summary.print(&outcome, lines, fields))
    }
}

impl Call<'_> {
    /// Returns the number of rows, too.
    fn write<S: Symbol>(
        &self,
        job: &Job<'_, S>,
        aligner: Option<Aligner>,
        caller: &Caller<'_>,
        start: u64,
        out: &mut Output<'_>,
    ) -> anyhow::Result<(Outcome<PairsDone>, u64)> {
        let pairs = job.pairs().range(start..job.positions.end);
        let mut failed = TakeError::default();
        if self.args.format.is_dense() {
            let mut dense = Dense::new(job, out)?;
            let task = pairs.for_each(|block| failed.flow(dense.take(&block, out)));
            let outcome = self.call(caller, task);
            failed.result()?;
            return Ok((outcome?, dense.end(out)?));
        }
        let mut rows = Rows::new(job, aligner, out)?;
        let task = pairs.for_each_kept(|block| failed.flow(rows.take(&block, out)));
        let outcome = self.call(caller, task);
        failed.result()?;
        Ok((outcome?, rows.end(out)?))
    }

    fn call<T: Task<Answer = PairsDone>>(
        &self,
        caller: &Caller<'_>,
        task: T,
    ) -> anyhow::Result<Outcome<PairsDone>> {
        let outcome = caller.call(&task);
        self.args.engine.explained(outcome, &self.reading)
    }
}
