//! Lists of strings: the records of a file, or its lines.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};

use anyhow::{Context, anyhow, bail};
use clap::ValueEnum;
use memchr::{memchr, memchr_iter};
use swath::Symbol;
use swath::pairs::Strings;

use super::memory::{Memory, OutOfMemory};
use super::open::{self, OpenInput};
use super::reading::Reading;
use super::source::{Layout, Source};
use super::symbols::{folded_char, folded_word, line_end};
use super::{lines, records};
use crate::message::printable;

/// Kind of the symbols of strings.
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

impl Names {
    fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    pub fn len(&self) -> usize {
        self.ends.len()
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
    pub strings: Strings<'static, S>,
    pub symbols: u64,
}

impl<S: Symbol> StringList<S> {
    /// File and record or line of a string, for messages.
    pub fn location(&self, index: usize) -> String {
        match &self.records {
            Some(records) => format!("{}, record '{}'", self.name, printable(records.get(index))),
            None => format!("{}:{}", self.name, index + 1),
        }
    }

    pub fn size_bytes(&self) -> u64 {
        let names = self.records.as_ref();
        let names = names.map_or(0, |names| names.text.len() + size_of_val(&names.ends[..]));
        self.strings_bytes() + names as u64
    }

    fn strings_bytes(&self) -> u64 {
        self.symbols * size_of::<S>() as u64 + self.strings.len() as u64 * OFFSET_BYTES
    }

    /// The strings with other symbols, which replace these in the account. `count` is the number
    /// of symbols that a string becomes.
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
            strings: Strings::new(symbols, offsets)?,
        })
    }
}

/// Bytes of the offset of a string, and of the end of a name.
const OFFSET_BYTES: u64 = size_of::<u64>() as u64;
/// First bytes of a file, by which other formats are told.
const HEAD_BYTES: usize = 64;
/// Bytes of a word in the table of their numbers, besides its letters.
const WORD_BYTES: u64 = 128;

/// Reads all records of a FASTA or FASTQ file, or all lines of another one, which replace the
/// contents of the file in the account.
pub fn read_strings(
    source: &Source,
    kind: StringSymbols,
    ignore_case: bool,
    reading: &mut Reading,
) -> anyhow::Result<StringList<u8>> {
    let memory = &reading.memory.clone();
    let before = memory.used();
    let mut file = open_file(source, memory)?;
    file.as_it_is = "use --symbols lines to take its lines";
    let name = file.name.clone();
    file.skip_mark()?;
    let layout = match kind {
        StringSymbols::Bytes => file.sniff_layout()?,
        _ => Layout::Plain,
    };
    let (mut bytes, mut offsets, mut names) = (Vec::new(), vec![0], None);
    match layout {
        Layout::Fasta | Layout::Fastq => {
            reading.has_records = true;
            let names = names.insert(Names::default());
            records::for_each(file, layout, |record| {
                memory.hold(&name, 2 * OFFSET_BYTES)?;
                bytes.extend_from_slice(&record.bytes);
                offsets.push(bytes.len() as u64);
                names.push(&record.name);
                Ok(())
            })?;
        }
        Layout::Auto | Layout::Plain => {
            bytes = file.read_all()?.bytes;
            let head = bytes[..bytes.len().min(HEAD_BYTES)].to_vec();
            let end = line_end(&bytes);
            let count = memchr_iter(end, &bytes).count() + 1;
            memory.hold(&name, count as u64 * OFFSET_BYTES)?;
            offsets.reserve_exact(count);
            let (mut start, mut len) = (0, 0);
            while start < bytes.len() {
                let next = memchr(end, &bytes[start..]).map_or(bytes.len(), |at| start + at + 1);
                let line = line_len(&bytes[start..next], end);
                bytes.copy_within(start..start + line, len);
                len += line;
                offsets.push(len as u64);
                start = next;
            }
            bytes.truncate(len);
            if kind == StringSymbols::Bytes {
                reading.note_text(&name, &head, &bytes, "--symbols lines");
            }
        }
    }
    if kind == StringSymbols::Bytes && bytes.is_empty() {
        let count = offsets.len() - 1;
        reading.notes.push(format!(
            "{name} has {count} strings without a symbol; check that it is the right file"
        ));
    }
    let folds_bytes = matches!(kind, StringSymbols::Bytes | StringSymbols::Lines);
    if ignore_case && folds_bytes {
        bytes.make_ascii_lowercase();
    }
    let list = StringList {
        name,
        records: names,
        symbols: bytes.len() as u64,
        strings: Strings::new(bytes, offsets)?,
    };
    memory.release(memory.used().saturating_sub(before));
    memory.hold(&list.name, list.size_bytes())?;
    Ok(list)
}

pub(super) fn open_file(source: &Source, memory: &Memory) -> anyhow::Result<OpenInput> {
    if let Source::File(path) = source
        && !path.exists()
    {
        bail!("{}: no such file; check the path", path.display());
    }
    open::open(source, memory)
}

/// Length of a line without LF or CR LF, or without CR if that is the end.
fn line_len(line: &[u8], end: u8) -> usize {
    let line = line.strip_suffix(&[end]).unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line).len()
}

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

/// Words of the strings, numbered jointly in order of appearance.
pub fn tokens(
    lists: Vec<StringList<u8>>,
    ignore_case: bool,
    memory: &Memory,
) -> anyhow::Result<Vec<StringList<u32>>> {
    let mut numbers: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut converted = |list: StringList<u8>| {
        let name = list.name.clone();
        let count = |bytes: &[u8]| lines::words(bytes).count();
        list.converted(memory, count, |bytes, symbols| {
            for word in lines::words(bytes) {
                let word = if ignore_case {
                    folded_word(word)
                } else {
                    word.to_vec()
                };
                let next =
                    u32::try_from(numbers.len()).context("more than 2^32 different words")?;
                let bytes = WORD_BYTES + word.len() as u64;
                symbols.push(match numbers.entry(word) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => {
                        memory.hold(&name, bytes)?;
                        *new.insert(next)
                    }
                });
            }
            Ok(())
        })
    };
    lists.into_iter().map(&mut converted).collect()
}
