//! Shared by the commands that take lists of strings: inputs, rows and their output.

mod journal;
mod label;
pub mod npy;
mod output;
mod place;
mod spool;

use std::path::Path;

use swath::Symbol;

use crate::compare::dna;
use crate::input::{self, Memory, Source, StringList, StringSymbols, printable};
use crate::output::{self as files, OutputFile};
use crate::report::{Lines, Object};
pub use journal::Fingerprint;
pub use label::Label;
pub use output::Output;
pub use place::Place;
pub use spool::Spool;

/// Checks the inputs and the output, `None` for stdout, before anything is read.
pub fn destination<'a>(
    sources: impl Iterator<Item = &'a Source> + Clone,
    output: Option<&Path>,
) -> anyhow::Result<Option<OutputFile>> {
    input::check_pipes(sources.clone())?;
    let file = output.filter(|file| !files::is_stdout(file));
    file.map(|file| OutputFile::check("--output", file, sources))
        .transpose()
}

/// A call on lists of strings of any symbols.
pub trait ListCall {
    fn answer<S: Symbol>(&self, lists: Vec<StringList<S>>) -> anyhow::Result<()>;
}

/// Makes the call on the symbols of the lists.
pub fn answer(
    call: &impl ListCall,
    lists: Vec<StringList<u8>>,
    symbols: StringSymbols,
    ignore_case: bool,
    memory: &Memory,
) -> anyhow::Result<()> {
    match symbols {
        StringSymbols::Bytes | StringSymbols::Lines => {
            dna::list_notes(&lists)
                .iter()
                .for_each(|one| files::note(one));
            call.answer(lists)
        }
        StringSymbols::Chars => {
            let characters = |list| input::characters(list, ignore_case, memory);
            let lists = lists.into_iter().map(characters);
            call.answer(lists.collect::<anyhow::Result<_>>()?)
        }
        StringSymbols::Tokens => call.answer(input::tokens(lists, ignore_case, memory)?),
    }
}

/// Names of the lists in summaries.
const KEYS: [&str; 2] = ["a", "b"];

/// Summary lines of the lists.
pub fn input_lines<S: Symbol>(lists: &[&StringList<S>]) -> Lines {
    let line = |list: &StringList<S>| {
        let (count, symbols) = (list.strings.len(), list.symbols);
        let name = printable(&list.name);
        format!("{count} strings, {symbols} symbols, {name}")
    };
    let named = KEYS.into_iter().zip(lists);
    named.map(|(key, list)| (key, line(list))).collect()
}

#[derive(serde::Serialize)]
struct Named<'a> {
    name: &'a str,
    strings: usize,
    symbols: u64,
}

/// JSON fields of the lists.
pub fn input_fields<'a, S: Symbol>(
    lists: &[&StringList<S>],
    object: Object<'a>,
) -> std::io::Result<Object<'a>> {
    KEYS.into_iter()
        .zip(lists)
        .try_fold(object, |object, (key, list)| {
            let named = Named {
                name: &list.name,
                strings: list.strings.len(),
                symbols: list.symbols,
            };
            object.field(key, named)
        })
}
