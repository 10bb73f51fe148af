//! Shared by the commands that take lists of strings: inputs, rows and their output.

mod fingerprint;
mod journal;
mod label;
pub mod mtx;
pub mod npy;
mod output;
mod part_range;
mod sorted_part;
mod spool;

use std::ffi::OsString;
use std::io::Write;

use anyhow::bail;
use swath::Symbol;

use crate::args::{RowArgs, StringArgs, source};
use crate::call::Outcome;
use crate::input::{
    self, ListFigures, Memory, Reading, Source, StringList, StringSymbols, WordNumbers,
};
use crate::message::printable;
use crate::output::{self as files, OutputFile};
use crate::report::{self, Counted, Lines, Object};
use crate::{dna, message};
pub use fingerprint::{Fingerprint, call_entries, content, digits, hash_of, shown, value_name};
pub use label::{Label, json_line, keep_text};
pub use output::Output;
pub use part_range::PartRange;
pub use sorted_part::SortedPart;
pub use spool::Spool;

pub fn sources(a: &OsString, b: Option<&OsString>) -> Vec<Source> {
    [Some(a), b]
        .into_iter()
        .flatten()
        .map(|one| source(one))
        .collect()
}

/// `rows` names what is on stdout without a file.
pub fn destination<'a>(
    sources: impl Iterator<Item = &'a Source> + Clone,
    args: &RowArgs,
    rows: &str,
) -> anyhow::Result<Option<OutputFile>> {
    input::check_pipes(sources.clone())?;
    let file = OutputFile::optional(args.output.as_deref(), sources)?;
    if args.json && !args.dry_run && file.is_none() {
        bail!("--json and the {rows} would both print to stdout; name a file: --output FILE");
    }
    Ok(file)
}

pub fn read(
    sources: &[Source],
    args: &StringArgs,
    reading: &mut Reading,
) -> anyhow::Result<Vec<StringList<u8>>> {
    let read = |one| input::read_strings(one, args.symbols, args.ignore_case, reading);
    sources.iter().map(read).collect()
}

/// Brings a further list to the symbols of those of a call.
pub type Convert<'a, S> = dyn FnMut(StringList<u8>) -> anyhow::Result<StringList<S>> + 'a;

pub trait ListCall: Sized {
    /// Notes on letters that differ though they may mean the same.
    fn notes(&self, lists: &[StringList<u8>]) -> Vec<String> {
        dna::list_notes(lists, "swath edit ", ["A", "B"])
    }

    fn answer<S: Symbol>(
        self,
        lists: Vec<StringList<S>>,
        convert: &mut Convert<'_, S>,
    ) -> anyhow::Result<()>;
}

pub fn answer(
    call: impl ListCall,
    lists: Vec<StringList<u8>>,
    args: &StringArgs,
    memory: &Memory,
) -> anyhow::Result<()> {
    let ignore_case = args.ignore_case;
    let lists = lists.into_iter();
    match args.symbols {
        StringSymbols::Bytes | StringSymbols::Lines => {
            let lists: Vec<_> = lists.collect();
            call.notes(&lists).iter().for_each(|one| message::note(one));
            call.answer(lists, &mut Ok)
        }
        StringSymbols::Chars => {
            let mut characters = |list| input::characters(list, ignore_case, memory);
            let lists = lists.map(&mut characters).collect::<anyhow::Result<_>>()?;
            call.answer(lists, &mut characters)
        }
        StringSymbols::Tokens => {
            let mut words = WordNumbers::default();
            let lists = lists.map(|list| words.number(list, ignore_case, memory));
            let lists = lists.collect::<anyhow::Result<_>>()?;
            call.answer(lists, &mut |list| words.known(list, ignore_case, memory))
        }
    }
}

/// Report of a call on lists besides its rows.
pub struct Summary<'a> {
    pub problem: &'static str,
    pub lists: Vec<ListFigures<'a>>,
    pub in_json: bool,
    /// Set if the rows are in a file.
    pub has_file: bool,
}

impl Summary<'_> {
    /// A run is printed to stderr if the rows are on stdout. `lines` and `fields` have the figures
    /// of the problem.
    pub fn print<A>(
        &self,
        outcome: &Outcome<A>,
        mut lines: Lines,
        fields: impl FnOnce(&mut Object<'_>),
    ) -> anyhow::Result<()> {
        let named = || ["a", "b"].into_iter().zip(&self.lists);
        lines.extend(named().map(|(key, list)| {
            let ListFigures {
                name,
                strings,
                symbols,
            } = list;
            let name = printable(name);
            (key, format!("{strings} strings, {symbols} symbols, {name}"))
        }));
        let plan = match outcome {
            Outcome::Planned(plan) => {
                lines.extend(report::plan_lines(Counted::Cells, plan));
                "-plan"
            }
            Outcome::Solved(solved) => {
                lines.extend(report::run_lines(Counted::Cells, solved));
                ""
            }
        };
        let text = |out: &mut dyn Write| report::write_aligned(&lines, out);
        if plan.is_empty() && !self.has_file {
            return files::to_stderr(text);
        }
        if !self.in_json {
            return files::to_stdout(text);
        }
        files::to_stdout(|out| {
            let mut object = Object::new(&format!("{}{plan}/1", self.problem), out);
            fields(object.field("problem", self.problem));
            match outcome {
                Outcome::Planned(plan) => object.plan(Counted::Cells, plan),
                Outcome::Solved(solved) => object.run(Counted::Cells, solved),
            };
            for (key, list) in named() {
                object.object(key, |object| {
                    object
                        .field("name", list.name)
                        .field("strings", list.strings)
                        .field("symbols", list.symbols)
                });
            }
            object.end()
        })
    }
}
