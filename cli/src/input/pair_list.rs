//! Files that name pairs of strings.

use std::collections::HashMap;

use anyhow::{anyhow, bail};
use swath::Symbol;

use super::lines;
use super::memory::{Memory, OutOfMemory};
use super::open::open_strings;
use super::reading::Reading;
use super::source::Source;
use super::strings::{Names, StringList};
use crate::message::printable;

/// Maximum bytes of a name in the index.
const INDEXED_BYTES: u64 = 80;

/// Positions of strings by the words that stand for them.
struct Index<'a> {
    file: &'a str,
    count: usize,
    /// First and second position of each name; `None` for positions.
    names: Option<HashMap<&'a str, (u32, Option<u32>)>>,
}

impl<'a> Index<'a> {
    fn new<S: Symbol>(
        list: &'a StringList<S>,
        by_position: bool,
        memory: &Memory,
    ) -> Result<Self, OutOfMemory> {
        let records = list.records.as_ref().filter(|_| !by_position);
        let count = records.map_or(0, Names::len) as u64;
        memory.hold(&list.name, count * INDEXED_BYTES)?;
        let names = records.map(|records| {
            let mut names = HashMap::with_capacity(records.len());
            for (name, position) in records.iter().zip(0..) {
                names
                    .entry(name)
                    .and_modify(|(_, second): &mut (u32, Option<u32>)| {
                        second.get_or_insert(position);
                    })
                    .or_insert((position, None));
            }
            names
        });
        Ok(Self {
            file: &list.name,
            count: list.strings.len(),
            names,
        })
    }

    fn position(&self, word: &str) -> anyhow::Result<u32> {
        let (file, count) = (self.file, self.count);
        let Some(names) = &self.names else {
            let position = word.parse().ok();
            return position
                .filter(|&position| (position as usize) < count)
                .ok_or_else(|| {
                    anyhow!(
                        "{file} has no string '{word}'; its strings are named by their positions, less than {count}"
                    )
                });
        };
        match names.get(word) {
            Some(&(position, None)) => Ok(position),
            Some((first, Some(second))) => bail!(
                "{file} has two records '{word}', at the positions {first} and {second}; name all by position, with --positions"
            ),
            None => bail!("{file} has no record '{word}'; check the name, its first word counts"),
        }
    }
}

/// Reads the first two columns, between white space: names of a query and a target, or their
/// positions.
pub fn read_pairs<S: Symbol>(
    source: &Source,
    queries: &StringList<S>,
    targets: &StringList<S>,
    by_position: bool,
    reading: &Reading,
) -> anyhow::Result<Vec<(u32, u32)>> {
    let mut file = open_strings(source, &reading.memory)?;
    file.skip_mark()?;
    let text = file.read_all()?;
    let queries = Index::new(queries, by_position, &reading.memory)?;
    let targets = Index::new(targets, by_position, &reading.memory)?;
    let mut pairs = Vec::new();
    for (line, number) in lines::split(&text.bytes).zip(1..) {
        if lines::is_blank(line) {
            continue;
        }
        let at = |reason: &str| anyhow!("{}:{number}: {}", text.name, printable(reason));
        let mut words = lines::words(line).map(String::from_utf8_lossy);
        let (Some(query), Some(target)) = (words.next(), words.next()) else {
            return Err(at("one column; give a query and a target"));
        };
        let position = |index: &Index<'_>, word: &str| {
            index
                .position(word)
                .map_err(|reason| at(&reason.to_string()))
        };
        reading
            .memory
            .hold(&text.name, size_of::<(u32, u32)>() as u64)?;
        pairs.push((position(&queries, &query)?, position(&targets, &target)?));
    }
    Ok(pairs)
}
