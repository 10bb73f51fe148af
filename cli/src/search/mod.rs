//! `swath search`: all places of patterns in texts.

mod rows;

use anyhow::bail;
use swath::search::{Exact, SearchDone};
use swath::{Engine, Search, Symbol};

use crate::args::{SearchArgs, SearchFormat};
use crate::call::{Caller, Outcome, TakeError};
use crate::input::{Reading, StringList, StringSymbols};
use crate::interrupt::Interrupt;
use crate::lists::{self, ListCall, Output, Summary};
use crate::output::{self, OutputFile};
use crate::progress::{Reporter, WRITING};
use crate::report::Object;
use crate::{dna, message};
use rows::Rows;

pub fn run(args: &SearchArgs) -> anyhow::Result<()> {
    check(args)?;
    let sources = lists::sources(&args.patterns, Some(&args.texts));
    let prints_json = args.json && !args.dry_run;
    let file = lists::destination(sources.iter(), args.output.as_deref(), prints_json, "rows")?;
    let mut reading = args.engine.reading();
    let lists = lists::read(&sources, &args.strings, &mut reading)?;
    let call = Call {
        args,
        file,
        reading,
    };
    let memory = &call.reading.memory;
    lists::answer(&call, lists, &args.strings, memory)
}

fn check(args: &SearchArgs) -> anyhow::Result<()> {
    let are_bytes = matches!(
        args.strings.symbols,
        StringSymbols::Bytes | StringSymbols::Lines
    );
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
    if args.path && args.format == SearchFormat::Bed {
        bail!("--format bed has no column for --path; take tsv, paf or ndjson");
    }
    Ok(())
}

/// A call after its files are read.
struct Call<'a> {
    args: &'a SearchArgs,
    file: Option<OutputFile>,
    reading: Reading,
}

impl ListCall for Call<'_> {
    fn notes(&self, lists: &[StringList<u8>]) -> Vec<String> {
        if self.args.matching.is_given() {
            Vec::new()
        } else {
            dna::list_notes(lists, "", ["the patterns", "the texts"])
        }
    }

    fn answer<S: Symbol>(&self, lists: Vec<StringList<S>>) -> anyhow::Result<()> {
        let (args, reading) = (self.args, &self.reading);
        let [patterns, texts] = &lists[..] else {
            return Ok(());
        };
        // The strings replace the file contents.
        reading.memory.release(u64::MAX);
        reading
            .memory
            .hold("the inputs", patterns.size_bytes() + texts.size_bytes())?;
        output::notes(reading);
        self.check_lengths(patterns, texts)?;
        let engine = Engine::new(args.engine.options_beside(reading))?;
        let search = self.search(patterns, texts)?;
        let summary = Summary {
            problem: "search",
            lists: vec![patterns, texts],
            in_json: args.json,
            has_file: self.file.is_some(),
        };
        if args.dry_run {
            let plan = Outcome::<()>::Planned(self.explained(engine.plan(&search))?);
            return summary.print(&plan, Vec::new(), |object| {
                object.field("max_distance", args.max_distance);
            });
        }
        self.places(&summary, &engine, search)
    }
}

impl Call<'_> {
    /// Refuses patterns that match everywhere, and tells if none can match.
    fn check_lengths<S: Symbol>(
        &self,
        patterns: &StringList<S>,
        texts: &StringList<S>,
    ) -> anyhow::Result<()> {
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
            shortest = shortest.min(len);
        }
        let longest = texts.strings.iter().map(<[S]>::len).max().unwrap_or(0) as u64;
        let least = shortest.saturating_sub(edits);
        if longest < least && shortest < u64::MAX {
            message::note(&format!(
                "no text is long enough for a place: the longest has {longest} symbols, and the shortest pattern within {edits} edits takes {least}"
            ));
        }
        Ok(())
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
        if args.hamming {
            search = search.no_gaps();
        }
        if args.path || args.format == SearchFormat::Paf {
            search = search.alignments();
        }
        Ok(search)
    }

    /// Searches, writes the rows and prints the summary.
    fn places<S: Symbol>(
        &self,
        summary: &Summary<'_, S>,
        engine: &Engine,
        search: Search<'_, S>,
    ) -> anyhow::Result<()> {
        let interrupt = Interrupt::install()?;
        let progress = Reporter::new(self.args.progress.when);
        let control = progress.control(&interrupt);
        let mut out = Output::new(self.file.as_ref(), &interrupt, &progress)?;
        let caller = Caller {
            engine,
            control: Some(&control),
        };
        let mut rows = Rows::new(self.args, summary.lists[0], summary.lists[1]);
        let mut failed = TakeError::default();
        let task = search.for_each(|block| failed.flow(rows.write(&block, &mut out)));
        let outcome = self.explained(caller.call(&task));
        drop(task);
        failed.result()?;
        let outcome = outcome?;
        progress.enter(WRITING);
        rows.end(&mut out)?;
        out.finish()?;
        progress.finish();
        let Some(&SearchDone { places, .. }) = outcome.answer() else {
            return Ok(());
        };
        let max_distance = self.args.max_distance;
        let lines = vec![
            ("places", places.to_string()),
            ("max distance", max_distance.to_string()),
        ];
        let fields = |object: &mut Object<'_>| {
            object
                .field("max_distance", max_distance)
                .field("places", places);
        };
        interrupt.ending_at_once(|| summary.print(&outcome, lines, fields))
    }

    fn explained<T>(&self, result: swath::Result<T>) -> anyhow::Result<T> {
        self.args.engine.explained(result, &self.reading)
    }
}
