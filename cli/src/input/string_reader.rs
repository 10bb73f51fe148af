//! Lists of strings from a file, at once or in batches.

use std::hash::{Hash, Hasher};

use memchr::{memchr, memchr_iter, memrchr};
use swath::pairs::Strings;
use twox_hash::XxHash3_64;

use super::memory::{Memory, OutOfMemory};
use super::open::{CHUNK, FileProgress, OpenInput, open_strings};
use super::reading::Reading;
use super::records::Records;
use super::source::{Layout, Source};
use super::strings::{Names, OFFSET_BYTES, StringList, StringSymbols};
use crate::message::printable;

/// First bytes of a file, by which other formats are told.
const HEAD_BYTES: usize = 64;

/// The strings replace the contents of the file in the account.
pub fn read_strings(
    source: &Source,
    kind: StringSymbols,
    ignore_case: bool,
    reading: &mut Reading,
) -> anyhow::Result<StringList<u8>> {
    StringReader::open(source, kind, ignore_case, &reading.memory)?.next(u64::MAX, reading)
}

/// Part of the strings of a file: a string is in the part in which it begins.
#[derive(Clone, Copy, Debug)]
pub struct Shard {
    pub share: u64,
    pub shares: u64,
    pub total: u64,
}

impl Shard {
    /// Part of a string with this many symbols before it.
    fn of(self, symbols_before: u64) -> u64 {
        let part =
            u128::from(symbols_before) * u128::from(self.shares) / u128::from(self.total.max(1));
        (part as u64).min(self.shares - 1)
    }
}

/// Hashes of the strings before others.
#[derive(Default)]
pub struct Hashes {
    /// Of all strings so far.
    all: u64,
    /// Number of all strings so far.
    count: u64,
    /// Of the strings before each one of the last batch.
    of_batch: Vec<u64>,
}

impl Hashes {
    fn push(&mut self, name: &str, bytes: &[u8], is_in_batch: bool) {
        if is_in_batch {
            self.of_batch.push(self.all);
        }
        let mut hasher = XxHash3_64::with_seed(self.all);
        (name, bytes).hash(&mut hasher);
        self.all = hasher.finish();
        self.count += 1;
    }

    /// Hash of the strings before a position in the last batch, or after it.
    pub fn before(&self, position: u64) -> Option<u64> {
        match self.count.checked_sub(position)? as usize {
            0 => Some(self.all),
            from_end => {
                let index = self.of_batch.len().checked_sub(from_end)?;
                Some(self.of_batch[index])
            }
        }
    }
}

#[derive(Default)]
pub struct ReadSoFar {
    /// Number of strings, with those that were skipped.
    pub count: u64,
    /// True after the last batch.
    pub is_done: bool,
    /// Share of the file; `None` if its size is not known.
    pub fraction: Option<f64>,
    /// `None` if the strings are not hashed.
    pub hashes: Option<Hashes>,
}

enum Form {
    Records(Box<Records>),
    Lines {
        file: Box<OpenInput>,
        /// Last byte of the end of a line, once it is known.
        end: Option<u8>,
        /// Read bytes after the last whole line of a batch.
        rest: Vec<u8>,
    },
}

pub struct StringReader {
    pub name: String,
    kind: StringSymbols,
    ignore_case: bool,
    memory: Memory,
    form: Form,
    progress: FileProgress,
    /// Set to keep the base qualities of FASTQ.
    pub keeps_qualities: bool,
    /// Positions below are skipped.
    pub first: u64,
    /// Strings of other parts are skipped.
    pub shard: Option<Shard>,
    /// Position of the next string, and the symbols before it.
    next: u64,
    symbols: u64,
    /// `None` if the strings, also those that are skipped, are not hashed.
    pub hashes: Option<Hashes>,
    is_done: bool,
}

impl StringReader {
    pub fn open(
        source: &Source,
        kind: StringSymbols,
        ignore_case: bool,
        memory: &Memory,
    ) -> anyhow::Result<Self> {
        let mut file = open_strings(source, memory)?;
        file.as_it_is = "use --symbols lines to take its lines";
        let (name, progress) = (file.name.clone(), file.progress.clone());
        file.skip_mark()?;
        let layout = match kind {
            StringSymbols::Bytes => file.sniff_layout()?,
            _ => Layout::Plain,
        };
        let form = match layout {
            Layout::Fasta | Layout::Fastq => Form::Records(Box::new(Records::new(file, layout)?)),
            Layout::Auto | Layout::Plain => Form::Lines {
                file: Box::new(file),
                end: None,
                rest: Vec::new(),
            },
        };
        Ok(Self {
            name,
            kind,
            ignore_case,
            memory: memory.clone(),
            form,
            progress,
            keeps_qualities: false,
            first: 0,
            shard: None,
            next: 0,
            symbols: 0,
            hashes: None,
            is_done: false,
        })
    }

    /// Share of the file that was read; `None` if its size is not known.
    pub fn fraction(&self) -> Option<f64> {
        if self.is_done {
            return Some(1.0);
        }
        self.progress.fraction()
    }

    fn rest_bytes(&self) -> u64 {
        match &self.form {
            Form::Lines { rest, .. } => rest.len() as u64,
            Form::Records(_) => 0,
        }
    }

    pub fn count_symbols(mut self) -> anyhow::Result<u64> {
        let mut unused = Reading::within(u64::MAX);
        self.first = u64::MAX;
        while !self.is_done {
            self.next(CHUNK, &mut unused)?;
        }
        Ok(self.symbols)
    }

    /// Returns where the file is after the batch, too.
    pub fn next_batch(
        &mut self,
        min_bytes: u64,
        reading: &mut Reading,
    ) -> anyhow::Result<(StringList<u8>, ReadSoFar)> {
        let list = self.next(min_bytes, reading)?;
        let read = ReadSoFar {
            count: self.next,
            is_done: self.is_done,
            fraction: self.fraction(),
            hashes: self.hashes.as_mut().map(|hashes| Hashes {
                of_batch: std::mem::take(&mut hashes.of_batch),
                ..*hashes
            }),
        };
        Ok((list, read))
    }

    /// Reads strings until they have `min_bytes`. They replace what was read in the account.
    pub fn next(
        &mut self,
        min_bytes: u64,
        reading: &mut Reading,
    ) -> anyhow::Result<StringList<u8>> {
        let memory = self.memory.clone();
        let before = memory.used().saturating_sub(self.rest_bytes());
        if let Some(hashes) = &mut self.hashes {
            hashes.of_batch.clear();
        }
        let is_first = self.next == 0;
        let mut batch = Batch::default();
        batch.offsets.push(0);
        if let Form::Records(_) = self.form {
            reading.has_records = true;
            self.records(min_bytes, &mut batch)?;
        } else {
            self.lines(min_bytes, &mut batch, is_first, reading)?;
        }
        let Batch {
            mut bytes,
            qualities,
            offsets,
            names,
        } = batch;
        bytes.shrink_to_fit();
        let count = offsets.len() - 1;
        if is_first && self.is_done && self.kind == StringSymbols::Bytes && self.symbols == 0 {
            reading.notes.push(format!(
                "{} has {count} strings without a symbol; check that it is the right file",
                self.name
            ));
        }
        if self.ignore_case && self.kind.are_bytes() {
            bytes.make_ascii_lowercase();
        }
        let has_qualities = self.keeps_qualities && qualities.len() == bytes.len();
        let qualities = has_qualities.then(|| Strings::new(qualities, offsets.clone()));
        let list = StringList {
            name: self.name.clone(),
            records: names,
            text: None,
            first: self.next - count as u64,
            symbols: bytes.len() as u64,
            strings: Strings::new(bytes, offsets)?,
            qualities: qualities.transpose()?,
        };
        memory.release(memory.used().saturating_sub(before));
        memory.hold(&list.name, list.size_bytes() + self.rest_bytes())?;
        Ok(list)
    }

    /// `None` after the last string of the part.
    fn takes_next(&self) -> Option<bool> {
        let part = self.shard.map_or(std::cmp::Ordering::Equal, |shard| {
            shard.of(self.symbols).cmp(&shard.share)
        });
        let is_skipped = part.is_lt() || self.next < self.first;
        part.is_le().then_some(!is_skipped)
    }

    fn pass(&mut self, name: &str, bytes: &[u8], taken: bool) {
        if let Some(hashes) = &mut self.hashes {
            hashes.push(name, bytes, taken);
        }
        self.next += 1;
        self.symbols += bytes.len() as u64;
    }

    fn records(&mut self, min_bytes: u64, batch: &mut Batch) -> anyhow::Result<()> {
        let memory = self.memory.clone();
        batch.names = Some(Names::default());
        loop {
            let takes_next = self.takes_next();
            let Form::Records(records) = &mut self.form else {
                return Ok(());
            };
            if records.is_end()? {
                self.is_done = true;
                return Ok(());
            }
            let Batch {
                bytes, qualities, ..
            } = batch;
            if bytes.len() as u64 >= min_bytes {
                return Ok(());
            }
            let Some(taken) = takes_next else {
                self.is_done = true;
                return Ok(());
            };
            let before = (memory.used(), bytes.len(), qualities.len());
            let Some(title) = records.title()? else {
                return Ok(());
            };
            let name = &title.name;
            let location = || format!("{}, record '{}'", self.name, printable(name));
            let read = memory
                .hold(&self.name, 2 * OFFSET_BYTES)
                .map_err(Into::into);
            read.and_then(|()| records.letters(name, bytes, qualities))
                .map_err(|error| located(error, location))?;
            self.pass(name, &batch.bytes[before.1..], taken);
            if taken {
                batch.offsets.push(batch.bytes.len() as u64);
                batch.names.get_or_insert_default().push(name);
            } else {
                batch.bytes.truncate(before.1);
                memory.release(memory.used().saturating_sub(before.0));
            }
            if !(taken && self.keeps_qualities) {
                batch.qualities.truncate(before.2);
            }
        }
    }

    fn lines(
        &mut self,
        min_bytes: u64,
        batch: &mut Batch,
        is_first: bool,
        reading: &mut Reading,
    ) -> anyhow::Result<()> {
        let Some((end, mut bytes)) = self.whole_lines(min_bytes)? else {
            return Ok(());
        };
        let head = bytes[..bytes.len().min(HEAD_BYTES)].to_vec();
        let count = memchr_iter(end, &bytes).count() + 1;
        self.memory.hold(&self.name, count as u64 * OFFSET_BYTES)?;
        batch.offsets.reserve_exact(count);
        let (mut start, mut len) = (0, 0);
        while start < bytes.len() {
            let next = memchr(end, &bytes[start..]).map_or(bytes.len(), |at| start + at + 1);
            let Some(taken) = self.takes_next() else {
                self.is_done = true;
                break;
            };
            let line = line_len(&bytes[start..next], end);
            self.pass("", &bytes[start..start + line], taken);
            if taken {
                bytes.copy_within(start..start + line, len);
                len += line;
                batch.offsets.push(len as u64);
            }
            start = next;
        }
        bytes.truncate(len);
        if is_first && self.kind == StringSymbols::Bytes {
            reading.note_text(&self.name, &head, &bytes, "--symbols lines");
        }
        batch.bytes = bytes;
        Ok(())
    }

    /// Reads `min_bytes` or more, and the last byte of the end of a line.
    fn whole_lines(&mut self, min_bytes: u64) -> anyhow::Result<Option<(u8, Vec<u8>)>> {
        let line = self.next + 1;
        let location = || format!("{}:{line}", self.name);
        let Form::Lines { file, end, rest } = &mut self.form else {
            return Ok(None);
        };
        let mut bytes = std::mem::take(rest);
        loop {
            let more = min_bytes
                .saturating_sub(bytes.len() as u64)
                .max(CHUNK.max(bytes.len() as u64).min(min_bytes));
            let read = file.fetch(&mut bytes, more);
            let read = read.map_err(|error| located(error, location))? as u64;
            self.is_done = read < more;
            *end = end.or_else(|| end_of_lines(&bytes, self.is_done));
            if self.is_done {
                return Ok(Some((end.unwrap_or(b'\n'), bytes)));
            }
            if let Some(end) = *end
                && let Some(last) = memrchr(end, &bytes)
            {
                *rest = bytes.split_off(last + 1);
                return Ok(Some((end, bytes)));
            }
        }
    }
}

#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    qualities: Vec<u8>,
    offsets: Vec<u64>,
    names: Option<Names>,
}

fn located(error: anyhow::Error, location: impl Fn() -> String) -> anyhow::Error {
    match error.downcast_ref() {
        Some(&OutOfMemory::Limit { limit, .. }) => OutOfMemory::Limit {
            name: location(),
            limit,
        }
        .into(),
        _ => error,
    }
}

/// CR if the text, as far as it is read first, has no LF, as on old Macs. `None` if that is not
/// clear yet.
fn end_of_lines(text: &[u8], is_whole: bool) -> Option<u8> {
    if memchr(b'\n', text).is_some() {
        return Some(b'\n');
    }
    match memchr(b'\r', text) {
        Some(first) if is_whole || first + 1 < text.len() => Some(b'\r'),
        _ => is_whole.then_some(b'\n'),
    }
}

fn line_len(line: &[u8], end: u8) -> usize {
    let line = line.strip_suffix(&[end]).unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line).len()
}
