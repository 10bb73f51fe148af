//! Lists of strings: the records of a file, or its lines.

use std::collections::HashMap;

use anyhow::{anyhow, bail};
use clap::ValueEnum;
use swath::Symbol;
use swath::pairs::Strings;

use super::open::{self, OpenInput};
use super::symbols::{folded_char, folded_word, line_end};
use super::{Layout, Memory, Reading, Source, lines, printable, records};

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

/// Strings of one file.
pub struct StringList<S: Symbol> {
    /// Name of the file in messages.
    pub name: String,
    /// Names of the records; `None` for lines.
    pub records: Option<Vec<String>>,
    pub strings: Strings<'static, S>,
    /// Number of symbols.
    pub symbols: u64,
}

impl<S: Symbol> StringList<S> {
    /// Name of a string for people.
    pub fn place(&self, index: usize) -> String {
        match &self.records {
            Some(records) => format!("{}, record '{}'", self.name, printable(&records[index])),
            None => format!("{}:{}", self.name, index + 1),
        }
    }

    pub fn size_bytes(&self) -> u64 {
        let names = self.records.iter().flatten();
        let names: usize = names.map(|name| name.len() + size_of::<String>()).sum();
        let offsets = self.strings.len() * size_of::<u64>();
        self.symbols * size_of::<S>() as u64 + (names + offsets) as u64
    }

    /// The strings with other symbols.
    fn converted<T: Symbol>(
        self,
        mut convert: impl FnMut(&[S], &mut Vec<T>) -> Result<(), String>,
    ) -> anyhow::Result<StringList<T>> {
        let (mut symbols, mut offsets) = (Vec::new(), vec![0]);
        for (index, string) in self.strings.iter().enumerate() {
            convert(string, &mut symbols)
                .map_err(|reason| anyhow!("{}: {reason}", self.place(index)))?;
            offsets.push(symbols.len() as u64);
        }
        Ok(StringList {
            symbols: symbols.len() as u64,
            name: self.name,
            records: self.records,
            strings: Strings::new(symbols, offsets)?,
        })
    }
}

/// Reads all records of a FASTA or FASTQ file, or all lines of another one.
///
/// # Errors
/// One line with the file, the position and a remedy.
pub fn read_strings(
    source: &Source,
    kind: StringSymbols,
    ignore_case: bool,
    reading: &mut Reading,
) -> anyhow::Result<StringList<u8>> {
    let mut file = open_file(source, &reading.memory)?;
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
            let names = names.insert(Vec::new());
            records::for_each(file, layout, |record| {
                bytes.extend_from_slice(&record.bytes);
                offsets.push(bytes.len() as u64);
                names.push(record.name);
            })?;
        }
        Layout::Auto | Layout::Plain => {
            let text = file.read_all()?.bytes;
            bytes.reserve_exact(text.len());
            for line in lines_of(&text) {
                bytes.extend_from_slice(line);
                offsets.push(bytes.len() as u64);
            }
            if kind == StringSymbols::Bytes {
                reading.note_text(&name, &text, &bytes, "--symbols lines");
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
    Ok(StringList {
        name,
        records: names,
        symbols: bytes.len() as u64,
        strings: Strings::new(bytes, offsets)?,
    })
}

/// Opens a file or stdin.
pub(super) fn open_file(source: &Source, memory: &Memory) -> anyhow::Result<OpenInput> {
    if let Source::File(path) = source
        && !path.exists()
    {
        bail!("{}: no such file; check the path", path.display());
    }
    open::open(source, memory)
}

/// Lines without LF or CR LF, or without CR if there is no LF. A final end begins no line.
fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = line_end(text);
    let lines = text.split_inclusive(move |&byte| byte == end);
    lines.map(move |line| {
        let line = line.strip_suffix(&[end]).unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    })
}

/// Unicode characters of the strings.
pub fn characters(list: StringList<u8>, ignore_case: bool) -> anyhow::Result<StringList<char>> {
    list.converted(|bytes, symbols| {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            format!(
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
) -> anyhow::Result<Vec<StringList<u32>>> {
    let mut numbers: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut converted = |list: StringList<u8>| {
        list.converted(|bytes, symbols| {
            for word in lines::words(bytes) {
                let word = match ignore_case {
                    true => folded_word(word),
                    false => word.to_vec(),
                };
                let next = u32::try_from(numbers.len())
                    .map_err(|_| "more than 2^32 different words".to_string())?;
                symbols.push(*numbers.entry(word).or_insert(next));
            }
            Ok(())
        })
    };
    lists.into_iter().map(&mut converted).collect()
}
