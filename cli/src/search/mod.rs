//! `swath search`: all places of patterns in texts.

mod rows;
mod sam;
mod texts;

use std::ops::Range;
use std::time::Duration;

use anyhow::bail;
use swath::search::{Exact, PlaceBlock};
use swath::{Engine, Search, Symbol};

use crate::args::{SearchArgs, SearchFormat};
use crate::call::{Caller, Outcome, TakeError};
use crate::input::{
    Hashes, ListFigures, Memory, ReadSoFar, Reading, Shard, StringList, StringReader,
};
use crate::interrupt::Interrupt;
use crate::lists::{self, Convert, Fingerprint, ListCall, Output, Summary};
use crate::output;
use crate::progress::{Reporter, WRITING};
use crate::report::Object;
use crate::runs::Runs;
use crate::{dna, message};
use rows::Rows;
use texts::{AHEAD_SHARE, BATCH_BYTES, Batch, Texts, batch_bytes};

pub fn run(args: &SearchArgs) -> anyhow::Result<()> {
    check(args)?;
    let sources = lists::sources(&args.patterns, Some(&args.texts));
    let output = &args.output.rows;
    args.output.check()?;
    let file = lists::destination(sources.iter(), output, "rows")?;
    if file.is_none() && args.format == SearchFormat::Bam && !output.dry_run {
        output::check_bam_on_stdout()?;
    }
    if let Some(file) = &file {
        file.check_beside(sources.iter())?;
    }
    let mut reading = args.engine.reading();
    let memory = reading.memory.clone();
    let ahead = memory.ahead();
    let (kind, ignore_case) = (args.strings.symbols, args.strings.ignore_case);
    let open = |source, memory: &Memory| StringReader::open(source, kind, ignore_case, memory);
    let mut patterns = open(&sources[0], &memory)?;
    patterns.keeps_qualities = args.format.is_sam();
    let mut patterns = patterns.next(u64::MAX, &mut reading)?;
    lists::keep_text(&mut patterns, args.labels.show(), &memory)?;
    let shard = match args.shard {
        None => None,
        Some(_) if sources[1].is_read_once() => bail!(
            "--shard reads the texts twice, and {} can be read once; write it into a file",
            sources[1].name()
        ),
        Some((share, shares)) => Some(Shard {
            share,
            shares,
            total: open(&sources[1], &ahead)?.count_symbols()?,
        }),
    };
    let mut texts = open(&sources[1], &ahead)?;
    texts.shard = shard;
    let interrupt = Interrupt::install()?;
    let progress = Reporter::new(output.progress.when);
    let mut out = match (&file, output.dry_run) {
        (_, true) => None,
        (file, _) if args.keeps_rows() => Some(Output::new(file.as_ref(), &interrupt, &progress)?),
        (file, _) => {
            let call = || fingerprint(args, &patterns, shard);
            let file = file.as_ref();
            Some(Output::resumable(
                file,
                args.output.resume,
                call,
                &interrupt,
                &progress,
            )?)
        }
    };
    let is_resumable = out.as_ref().is_some_and(Output::is_resumable);
    texts.hashes = is_resumable.then(Hashes::default);
    let rest = args.engine.rest(&reading);
    let batch_bytes = batch_bytes(rest, args.engine.allowed.threads() as u64);
    let call = Call {
        args,
        has_file: file.is_some(),
        texts: Texts {
            reader: texts,
            memory: ahead,
            batch_bytes,
            max_ahead: (batch_bytes == BATCH_BYTES).then_some(rest / AHEAD_SHARE),
        },
        work: Work {
            args,
            reading,
            read: ReadSoFar::default(),
            engine: None,
            is_ahead: batch_bytes == BATCH_BYTES,
            out: &mut out,
            interrupt: &interrupt,
            progress: &progress,
        },
    };
    let answered = call.begin(patterns);
    if answered.is_err() {
        progress.wipe();
        if let Some((last, file)) = out.and_then(Output::keep) {
            message::note(&format!(
                "the rows of {} texts are in {file}; repeat the call with --resume to go on",
                last.next
            ));
        }
    }
    answered
}

fn check(args: &SearchArgs) -> anyhow::Result<()> {
    let are_bytes = args.strings.symbols.are_bytes();
    for (option, is_given) in [
        (
            "--strand reverse and both",
            args.strand != Default::default(),
        ),
        ("--pam", args.pam.is_some()),
        ("--ambiguous and --equal", args.matching.is_given()),
    ] {
        if is_given && !are_bytes {
            bail!("{option}: only for bytes; drop it, or take --symbols bytes");
        }
    }
    args.matching.matching(args.strings.ignore_case)?;
    if args.count && (args.format != SearchFormat::Tsv || args.path) {
        bail!("--count prints a number for each pattern; drop --format and --path");
    }
    if args.format.is_sam() {
        if !are_bytes {
            bail!("--format sam and bam are for sequences of bytes; take paf, tsv or ndjson");
        }
        if args.shard.is_some() {
            bail!(
                "--format sam and bam mark the best place of a pattern in all texts, of which --shard has a part; take paf, tsv or ndjson"
            );
        }
    }
    if args.output.resume && args.keeps_rows() {
        bail!(
            "--resume: nothing of --count and --format sam and bam is written before the last text; drop it, or take paf, tsv or ndjson"
        );
    }
    if args.path && args.format == SearchFormat::Bed {
        bail!("--format bed has no column for --path; take tsv, paf or ndjson");
    }
    Ok(())
}

/// Inputs and options that all bytes of the output follow from, besides the texts.
fn fingerprint(args: &SearchArgs, patterns: &StringList<u8>, shard: Option<Shard>) -> Fingerprint {
    let part = shard.map(|one| format!("{}/{} of {} symbols", one.share, one.shares, one.total));
    lists::call_entries([
        ("the command", &"search"),
        ("the version", &env!("CARGO_PKG_VERSION")),
        ("--format", &lists::value_name(args.format)),
        ("--symbols", &lists::value_name(args.strings.symbols)),
        ("--ignore-case", &args.strings.ignore_case),
        ("-k", &args.max_distance),
        ("--strand", &args.strand.name()),
        ("--all", &args.all.name()),
        ("--max-substitutions", &lists::shown(args.max_substitutions)),
        ("--hamming and --max-gaps", &lists::shown(args.max_gaps())),
        ("--overhang", &lists::shown(args.overhang)),
        ("--exact-tail", &lists::shown(args.exact_tail)),
        ("--exact-head", &lists::shown(args.exact_head)),
        ("--pam", &lists::shown(args.pam.as_ref())),
        ("--ambiguous and --equal", &args.matching.shown()),
        ("--path", &args.path),
        ("--show", &lists::value_name(args.labels.show())),
        ("the patterns", &lists::content(patterns)),
        ("--shard", &lists::shown(part)),
    ])
}

struct Call<'a, 'o> {
    args: &'a SearchArgs,
    has_file: bool,
    texts: Texts,
    work: Work<'a, 'o>,
}

/// The search of the texts at hand, and the rows of it.
struct Work<'a, 'o> {
    args: &'a SearchArgs,
    reading: Reading,
    /// Where the file of the texts is after those at hand.
    read: ReadSoFar,
    /// The engine, and its host memory.
    engine: Option<(u64, Engine)>,
    /// True if the next texts may be read meanwhile.
    is_ahead: bool,
    /// `None` for a dry run, and once it is complete.
    out: &'a mut Option<Output<'o>>,
    interrupt: &'a Interrupt,
    progress: &'a Reporter,
}

impl ListCall for Call<'_, '_> {
    fn notes(&self, lists: &[StringList<u8>]) -> Vec<String> {
        if self.args.matching.is_given() {
            Vec::new()
        } else {
            let texts = if self.work.read.is_done {
                "the texts"
            } else {
                "the first texts"
            };
            dna::list_notes(lists, "", ["the patterns", texts])
        }
    }

    fn answer<S: Symbol>(
        mut self,
        lists: Vec<StringList<S>>,
        convert: &mut Convert<'_, S>,
    ) -> anyhow::Result<()> {
        let Ok([patterns, mut texts]) = <[_; 2]>::try_from(lists) else {
            return Ok(());
        };
        let shortest = self.check_patterns(&patterns)?;
        let resumed = self.work.out.as_ref().and_then(Output::resumed);
        let memory = self.work.reading.memory.clone();
        let mut rows = Rows::new(self.args, &patterns, &memory)?;
        rows.count = resumed.map_or(0, |last| last.rows);
        let (mut runs, mut elapsed) = (Runs::default(), Duration::ZERO);
        let (mut longest, mut strings, mut symbols) = (0, 0, 0);
        let (mut is_first, mut done) = (true, 0.0);
        loop {
            // The strings replace the file contents.
            memory.release(u64::MAX);
            let size_bytes = texts.size_bytes();
            let held = patterns.size_bytes() + size_bytes + rows.size_bytes();
            memory.hold("the inputs", held)?;
            rows.begin(&texts)?;
            if is_first {
                self.work.reading.print_notes();
                is_first = false;
            }
            strings += texts.strings.len() as u64;
            symbols += texts.symbols;
            longest = longest.max(texts.strings.iter().map(<[S]>::len).max().unwrap_or(0));
            let is_last = self.work.read.is_done;
            if is_last {
                self.note_length(longest as u64, shortest);
            }
            let end = self.work.read.fraction.unwrap_or(done);
            let Self {
                texts: reader,
                work,
                ..
            } = &mut self;
            let is_planned = work.out.is_none();
            let call = || {
                let call = work.call(&patterns, &texts, &mut rows, done..end);
                // Then the next texts may take their place.
                drop(texts);
                memory.release(size_bytes);
                call
            };
            let (call, following) = reader.next_beside(is_last || is_planned, call);
            done = end;
            match call? {
                Outcome::Planned(plan) => runs.plan(plan),
                Outcome::Solved(solved) => {
                    elapsed += solved.run.elapsed;
                    runs.solve(solved);
                }
            }
            if is_last {
                break;
            }
            let (following, read) = match following {
                Some(following) => following?,
                None => self.next()?,
            };
            texts = convert(self.taken(following, read)?)?;
        }
        let max_distance = self.args.max_distance;
        let list = ListFigures {
            name: &self.texts.reader.name,
            strings,
            symbols,
        };
        let summary = Summary {
            problem: "search",
            lists: vec![patterns.figures(), list],
            in_json: self.args.output.rows.json,
            has_file: self.has_file,
        };
        if let Some(plan) = runs.planned {
            return summary.print(&Outcome::<()>::Planned(plan), Vec::new(), |object| {
                object.field("max_distance", max_distance);
            });
        }
        let (places, resumed) = (rows.count, resumed.map(|last| last.next));
        let Work {
            out,
            progress,
            interrupt,
            ..
        } = self.work;
        progress.enter(WRITING);
        if let Some(out) = out {
            rows.end(out)?;
        }
        if let Some(out) = out.take() {
            out.finish()?;
        }
        progress.finish();
        let Some(mut solved) = runs.solved else {
            return Ok(());
        };
        solved.run.elapsed = elapsed;
        let mut lines = vec![("places", places.to_string())];
        lines.extend(resumed.map(|texts| ("resumed", format!("after {texts} texts"))));
        lines.push(("max distance", max_distance.to_string()));
        let fields = |object: &mut Object<'_>| {
            object
                .field("max_distance", max_distance)
                .field_if("resumed", resumed)
                .field("places", places);
        };
        let outcome = Outcome::Solved(solved);
        interrupt.ending_at_once(|| summary.print(&outcome, lines, fields))
    }
}

impl Call<'_, '_> {
    fn begin(mut self, patterns: StringList<u8>) -> anyhow::Result<()> {
        let args = self.args;
        let resumed = self.work.out.as_ref().and_then(Output::resumed);
        if let Some(last) = resumed {
            self.texts.reader.first = last.next;
        }
        let (texts, read) = self.next()?;
        let texts = self.taken(texts, read)?;
        let hashes = self.work.read.hashes.as_ref();
        if let Some(last) = resumed
            && hashes.and_then(|all| all.before(last.next)) != last.content
        {
            bail!(
                "--resume: the first {} texts of {} are not those of the run that stopped; repeat its call, or drop --resume",
                last.next,
                self.texts.reader.name
            );
        }
        let memory = self.work.reading.memory.clone();
        lists::answer(self, vec![patterns, texts], &args.strings, &memory)
    }

    fn next(&mut self) -> anyhow::Result<Batch> {
        let Work {
            reading, interrupt, ..
        } = &mut self.work;
        self.texts.next(reading, interrupt)
    }

    /// The texts of a batch move to the account of the call.
    fn taken(
        &mut self,
        mut texts: StringList<u8>,
        read: ReadSoFar,
    ) -> anyhow::Result<StringList<u8>> {
        self.work.read = read;
        self.texts.memory.release(texts.size_bytes());
        let memory = &self.work.reading.memory;
        memory.hold(&self.texts.reader.name, texts.size_bytes())?;
        lists::keep_text(&mut texts, self.args.labels.show(), memory)?;
        Ok(texts)
    }

    /// Refuses patterns that match everywhere. Returns the shortest length.
    fn check_patterns<S: Symbol>(&self, patterns: &StringList<S>) -> anyhow::Result<u64> {
        let args = self.args;
        let edits = args.max_distance;
        let exact = u64::from(args.exact_head.or(args.exact_tail).unwrap_or(0));
        let mut shortest = u64::MAX;
        for (index, pattern) in patterns.strings.iter().enumerate() {
            let (len, place) = (pattern.len() as u64, || patterns.location(index));
            if len == 0 {
                bail!(
                    "{}: the pattern is empty, and occurs everywhere; leave it out",
                    place()
                );
            }
            if len <= exact {
                bail!(
                    "{}: the pattern has {len} symbols, and {exact} of them have to be exact; lower --exact-head or --exact-tail",
                    place()
                );
            }
            if len - exact <= edits {
                bail!(
                    "{}: the pattern has {} symbols that may have edits, so that every text has it within {edits}; allow fewer (-k), or leave it out",
                    place(),
                    len - exact
                );
            }
            let cost = args.overhang.unwrap_or(1000);
            if u128::from(len - exact) * u128::from(cost) / 1000 <= u128::from(edits) {
                bail!(
                    "{}: all {} symbols of the pattern that may have edits may stick out of a text within {edits}, so that every text has it; raise --overhang, allow fewer edits (-k), or leave it out",
                    place(),
                    len - exact
                );
            }
            shortest = shortest.min(len);
        }
        Ok(shortest)
    }

    fn note_length(&self, longest: u64, shortest: u64) {
        let edits = self.args.max_distance;
        let least = shortest.saturating_sub(edits);
        if self.args.overhang.is_none() && longest < least && shortest < u64::MAX {
            message::note(&format!(
                "no text is long enough for a place: the longest has {longest} symbols, and the shortest pattern within {edits} edits takes {least}"
            ));
        }
    }
}

impl Work<'_, '_> {
    /// The engine keeps its devices from batch to batch.
    fn engine(&mut self) -> anyhow::Result<Engine> {
        let rest = self.args.engine.rest(&self.reading);
        if let Some((held, engine)) = &self.engine
            && (held == &rest || self.is_ahead && *held <= rest)
        {
            return Ok(engine.clone());
        }
        let mut options = self.args.engine.options_beside(&self.reading);
        if self.is_ahead {
            options.host_memory = Some(rest - rest / AHEAD_SHARE);
        }
        let host_memory = options.host_memory.unwrap_or(rest);
        let engine = Engine::new(options)?;
        self.engine = Some((host_memory, engine.clone()));
        Ok(engine)
    }

    fn search<'a, S: Symbol>(
        &self,
        patterns: &'a StringList<S>,
        texts: &'a StringList<S>,
    ) -> anyhow::Result<Search<'a, S>> {
        let args = self.args;
        let mut search = Search::of(&patterns.strings, &texts.strings)
            .within(args.max_distance)
            .strands(args.strand)
            .choice(args.all)
            .motif(args.pam.as_deref().unwrap_or_default());
        if let Some(len) = args.exact_tail {
            search = search.exact(Exact::Tail(len as usize));
        }
        if let Some(len) = args.exact_head {
            search = search.exact(Exact::Head(len as usize));
        }
        if let Some(matching) = args.matching.matching(args.strings.ignore_case)? {
            search = search.matching(matching);
        }
        if let Some(max) = args.max_substitutions {
            search = search.max_substitutions(max);
        }
        if let Some(max) = args.max_gaps() {
            search = search.max_gaps(max);
        }
        if let Some(cost) = args.overhang {
            search = search.overhang(cost);
        }
        if args.path || args.format == SearchFormat::Paf || args.format.is_sam() {
            search = search.alignments();
        }
        Ok(search)
    }

    fn call<S: Symbol>(
        &mut self,
        patterns: &StringList<S>,
        texts: &StringList<S>,
        rows: &mut Rows<'_, S>,
        part: Range<f64>,
    ) -> anyhow::Result<Outcome<()>> {
        let search = self.search(patterns, texts)?;
        let engine = self.engine()?;
        let Some(out) = &mut *self.out else {
            let plan = self
                .args
                .engine
                .explained(engine.plan(&search), &self.reading)?;
            return Ok(Outcome::Planned(plan));
        };
        let control = self.progress.control_within(self.interrupt, part);
        let caller = Caller {
            engine: &engine,
            control: Some(&control),
        };
        let mut failed = TakeError::default();
        let hashes = self.read.hashes.as_ref();
        let task =
            search.for_each(|block| failed.flow(write_block(texts, &block, hashes, rows, out)));
        let outcome = caller.call(&task);
        drop(task);
        failed.result()?;
        let outcome = self.args.engine.explained(outcome, &self.reading)?;
        if !self.read.is_done {
            // The next texts may be long in coming.
            out.flush()?;
            let next = self.read.count;
            out.checkpoint(next, rows.count, hashes.and_then(|all| all.before(next)))?;
            out.record()?;
        }
        Ok(outcome.map(|_| ()))
    }
}

/// Writes a checkpoint that is due before the last text of the block. Without `hashes` the file cannot
/// be resumed.
fn write_block<S: Symbol>(
    texts: &StringList<S>,
    block: &PlaceBlock<'_>,
    hashes: Option<&Hashes>,
    rows: &mut Rows<'_, S>,
    out: &mut Output<'_>,
) -> anyhow::Result<()> {
    let (places, alignments) = (block.places, block.alignments);
    let Some(last) = places.last().map(|place| place.text) else {
        return Ok(());
    };
    let Some(hashes) = hashes.filter(|_| out.is_due()) else {
        return rows.write(texts, places, alignments, out);
    };
    let before = places.partition_point(|place| place.text < last);
    let (first, second) = places.split_at(before);
    let (of_first, of_second) = alignments.map(|all| all.split_at(before)).unzip();
    rows.write(texts, first, of_first, out)?;
    if before > 0 {
        let next = texts.first + u64::from(last);
        out.checkpoint(next, rows.count, hashes.before(next))?;
    }
    rows.write(texts, second, of_second, out)
}
