//! Lists of strings: the records of a file, or its lines.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};

use anyhow::{Context, anyhow};
use clap::ValueEnum;
use swath::Symbol;
use swath::pairs::Strings;

use super::lines;
use super::memory::{Memory, OutOfMemory};
use super::symbols::{folded_char, folded_word};
use crate::message::printable;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StringSymbols {
    /// Letters of FASTA and FASTQ records, recognised by the first bytes; bytes of each line of
    /// other files
    Bytes,
    /// Unicode characters of each line of UTF-8 text
    Chars,
    /// Bytes of each line, whatever the file looks like
    Lines,
    /// Words of each line, between white space
    Tokens,
}

/// Names of records, in one buffer.
#[derive(Default)]
pub struct Names {
    text: String,
    ends: Vec<usize>,
}

impl StringSymbols {
    pub fn are_bytes(self) -> bool {
        matches!(self, Self::Bytes | Self::Lines)
    }
}

impl Names {
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn size_bytes(&self) -> u64 {
        (self.text.len() + size_of_val(&self.ends[..])) as u64
    }

    pub fn get(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[index]]
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }
}

impl Hash for Names {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.len().hash(hasher);
        self.iter().for_each(|name| name.hash(hasher));
    }
}

pub struct StringList<S: Symbol> {
    pub name: String,
    /// Names of the records; `None` for lines.
    pub records: Option<Names>,
    pub text: Option<Names>,
    /// Position of the first string in the file.
    pub first: u64,
    pub strings: Strings<'static, S>,
    pub symbols: u64,
    /// Base qualities of the records, if they were asked for.
    pub qualities: Option<Strings<'static, u8>>,
}

/// Name and size of a list, for summaries.
#[derive(Clone, Copy)]
pub struct ListFigures<'a> {
    pub name: &'a str,
    pub strings: u64,
    pub symbols: u64,
}

impl<S: Symbol> StringList<S> {
    pub fn location(&self, index: usize) -> String {
        match &self.records {
            Some(records) => format!("{}, record '{}'", self.name, printable(records.get(index))),
            None => format!("{}:{}", self.name, self.first + index as u64 + 1),
        }
    }

    pub fn size_bytes(&self) -> u64 {
        let names = self.records.iter().chain(&self.text);
        let names: u64 = names.map(Names::size_bytes).sum();
        let qualities = self.qualities.as_ref().map_or(0, |_| self.symbols);
        self.strings_bytes() + names + qualities
    }

    pub fn figures(&self) -> ListFigures<'_> {
        ListFigures {
            name: &self.name,
            strings: self.strings.len() as u64,
            symbols: self.symbols,
        }
    }

    fn strings_bytes(&self) -> u64 {
        self.symbols * size_of::<S>() as u64 + self.strings.len() as u64 * OFFSET_BYTES
    }

    /// `count` is the number of symbols that a string becomes.
    fn converted<T: Symbol>(
        self,
        memory: &Memory,
        count: impl Fn(&[S]) -> usize,
        mut convert: impl FnMut(&[S], &mut Vec<T>) -> anyhow::Result<()>,
    ) -> anyhow::Result<StringList<T>> {
        let (mut symbols, mut offsets) = (Vec::new(), vec![0]);
        for (index, string) in self.strings.iter().enumerate() {
            let more = (count(string) * size_of::<T>()) as u64;
            memory.hold(&self.name, more + OFFSET_BYTES)?;
            let converted = convert(string, &mut symbols);
            converted.map_err(|error| match error.downcast_ref::<OutOfMemory>() {
                Some(_) => error,
                None => error.context(self.location(index)),
            })?;
            offsets.push(symbols.len() as u64);
        }
        memory.release(self.strings_bytes());
        Ok(StringList {
            symbols: symbols.len() as u64,
            name: self.name,
            records: self.records,
            text: self.text,
            first: self.first,
            strings: Strings::new(symbols, offsets)?,
            qualities: None,
        })
    }
}

/// Bytes of the offset of a string, and of the end of a name.
pub(super) const OFFSET_BYTES: u64 = size_of::<u64>() as u64;
/// Bytes of a word in the table of their numbers, besides its letters.
pub const WORD_BYTES: u64 = 128;

pub fn characters(
    list: StringList<u8>,
    ignore_case: bool,
    memory: &Memory,
) -> anyhow::Result<StringList<char>> {
    // Continuation bytes of UTF-8 begin with the bits 10.
    let count = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    list.converted(memory, count, |bytes, symbols| {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            anyhow!(
                "not UTF-8 at byte {} (from 0); convert it, or use --symbols bytes",
                error.valid_up_to()
            )
        })?;
        let fold = |one| if ignore_case { folded_char(one) } else { one };
        symbols.extend(text.chars().map(fold));
        Ok(())
    })
}

/// Numbers of words in order of appearance.
#[derive(Default)]
pub struct WordNumbers(HashMap<Vec<u8>, u32>);

impl WordNumbers {
    pub fn number(
        &mut self,
        list: StringList<u8>,
        ignore_case: bool,
        memory: &Memory,
    ) -> anyhow::Result<StringList<u32>> {
        let (name, numbers) = (list.name.clone(), &mut self.0);
        list.words(ignore_case, memory, |word| {
            let next = u32::try_from(numbers.len()).context("more than 2^32 different words")?;
            let bytes = WORD_BYTES + word.len() as u64;
            Ok(match numbers.entry(word) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    memory.hold(&name, bytes)?;
                    *new.insert(next)
                }
            })
        })
    }

    /// Words without a number have a common one.
    pub fn known(
        &self,
        list: StringList<u8>,
        ignore_case: bool,
        memory: &Memory,
    ) -> anyhow::Result<StringList<u32>> {
        list.words(ignore_case, memory, |word| {
            let number = self.0.get(&word);
            Ok(number.copied().unwrap_or(self.0.len() as u32))
        })
    }
}

impl StringList<u8> {
    /// Replaces each string by a part of it.
    pub fn cut(
        &mut self,
        mut part: impl for<'s> FnMut(&'s Self, usize, &'s [u8]) -> anyhow::Result<&'s [u8]>,
    ) -> anyhow::Result<()> {
        let (mut symbols, mut offsets) = (Vec::new(), vec![0]);
        for (index, string) in self.strings.iter().enumerate() {
            symbols.extend_from_slice(part(self, index, string)?);
            offsets.push(symbols.len() as u64);
        }
        self.symbols = symbols.len() as u64;
        self.strings = Strings::new(symbols, offsets)?;
        Ok(())
    }

    fn words(
        self,
        ignore_case: bool,
        memory: &Memory,
        mut number: impl FnMut(Vec<u8>) -> anyhow::Result<u32>,
    ) -> anyhow::Result<StringList<u32>> {
        let count = |bytes: &[u8]| lines::words(bytes).count();
        self.converted(memory, count, |bytes, symbols| {
            for word in lines::words(bytes) {
                symbols.push(number(if ignore_case {
                    folded_word(word)
                } else {
                    word.to_vec()
                })?);
            }
            Ok(())
        })
    }
}
