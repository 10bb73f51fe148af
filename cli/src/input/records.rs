//! Records of a FASTA or FASTQ file.

use std::io::{self, BufReader};

use anyhow::{anyhow, bail};

use super::lines::{Lines, is_blank, is_space, words};
use super::open::{CHUNK, OpenInput, Reader};
use super::source::{Layout, Named};
use crate::message::printable;

const LISTED: usize = 8;

pub struct SelectedRecord {
    pub record: Named,
    pub has_more: bool,
}

pub fn read(
    file: OpenInput,
    layout: Layout,
    wanted: Option<&str>,
) -> anyhow::Result<SelectedRecord> {
    let (mut seen, mut count) = (Vec::new(), 0usize);
    let mut records = Records::new(file, layout)?;
    while let Some((header, record)) = records.next()? {
        if wanted.is_none_or(|wanted| wanted == record.name || wanted == header) {
            // `has_more` is needed only for the first record by default.
            let has_more = wanted.is_none() && records.has_more()?;
            return Ok(SelectedRecord { record, has_more });
        }
        count += 1;
        if seen.len() < LISTED {
            seen.push(printable(&record.name).into_owned());
        }
    }
    let more = if count > LISTED {
        format!(" and {} more", count - LISTED)
    } else {
        String::new()
    };
    bail!(
        "{} has no record '{}'; it has {}{more}",
        records.file.name,
        wanted.unwrap_or_default(),
        seen.join(", ")
    )
}

/// Bytes of a record besides its letters and name.
pub const RECORD_BYTES: u64 = 640;

pub fn read_all(file: OpenInput, layout: Layout) -> anyhow::Result<Vec<Named>> {
    let mut records = Records::new(file, layout)?;
    let mut all = Vec::new();
    while let Some((_, record)) = records.next()? {
        let bytes = RECORD_BYTES + record.name.len() as u64;
        let file = &records.file;
        file.memory.hold(&file.name, bytes)?;
        all.push(record);
    }
    Ok(all)
}

/// Sequences and qualities may have several lines without their white space. Blank lines, and in
/// FASTA lines that start with `;`, are skipped.
pub struct Records {
    file: OpenInput,
    is_fastq: bool,
    lines: Lines<BufReader<Reader>>,
}

pub struct Title {
    header: String,
    pub name: String,
}

/// True if white space may be in a line: a byte is at most a blank. Without an exit the loop runs in
/// SIMD registers.
fn has_low(line: &[u8]) -> bool {
    line.iter()
        .fold(false, |found, &byte| found | (byte <= b' '))
}

impl Records {
    /// Starts at the first record, after blank lines and comments.
    pub fn new(mut file: OpenInput, layout: Layout) -> anyhow::Result<Self> {
        file.skip_mark()?;
        let reader = BufReader::with_capacity(CHUNK as usize, file.take_reader());
        let mut records = Self {
            file,
            is_fastq: layout == Layout::Fastq,
            lines: Lines::new(reader),
        };
        match records.skip(b";#")? {
            Some(first) if first == records.mark() => Ok(records),
            _ => bail!(
                "{} has no {} record at line {}; {}",
                records.file.name,
                records.format(),
                records.lines.number,
                records.file.as_it_is
            ),
        }
    }

    fn format(&self) -> &'static str {
        if self.is_fastq { "FASTQ" } else { "FASTA" }
    }

    fn mark(&self) -> u8 {
        if self.is_fastq { b'@' } else { b'>' }
    }

    /// The next record is skipped: it may be where a damaged file breaks off.
    fn has_more(&mut self) -> anyhow::Result<bool> {
        let mark = self.mark();
        if self.skip(b"")?.is_none() {
            return Ok(false);
        }
        let mut line = Vec::new();
        loop {
            self.append(&mut line)?;
            line.clear();
            if self.first()?.is_none_or(|first| first == mark) {
                return Ok(true);
            }
        }
    }

    fn next(&mut self) -> anyhow::Result<Option<(String, Named)>> {
        let Some(Title { header, name }) = self.title()? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        self.letters(&name, &mut bytes, &mut Vec::new())?;
        bytes.shrink_to_fit();
        Ok(Some((header, Named::new(name, bytes))))
    }

    pub fn title(&mut self) -> anyhow::Result<Option<Title>> {
        match self.skip(b"")? {
            None => return Ok(None),
            Some(first) if first == self.mark() => {}
            Some(_) => {
                let mark = char::from(self.mark());
                return Err(self.malformed(&format!("a record begins with '{mark}'")));
            }
        }
        let mut header = Vec::new();
        self.append(&mut header)?;
        let header = String::from_utf8_lossy(&header[1..]).trim_end().to_string();
        let name = match header.split_whitespace().next() {
            Some(name) => name.to_string(),
            None => self.file.name.clone(),
        };
        Ok(Some(Title { header, name }))
    }

    pub fn is_end(&mut self) -> anyhow::Result<bool> {
        Ok(self.skip(b"")?.is_none())
    }

    pub fn letters(
        &mut self,
        name: &str,
        sequence: &mut Vec<u8>,
        quality: &mut Vec<u8>,
    ) -> anyhow::Result<()> {
        if self.is_fastq {
            self.fastq(name, sequence, quality)
        } else {
            self.fasta(sequence)
        }
    }

    fn fasta(&mut self, sequence: &mut Vec<u8>) -> anyhow::Result<()> {
        let are_letters = |line: &[u8]| {
            line.first().is_some_and(|first| !b">;".contains(first)) && !has_low(line)
        };
        while let Some(first) = self.first()?.filter(|&first| first != b'>') {
            match first {
                b';' => self.append(&mut Vec::new())?,
                _ => {
                    self.append_letters(sequence)?;
                    let lines = self.lines.append_some(sequence, are_letters);
                    lines.map_err(|error| self.broken(&error))?;
                }
            }
        }
        Ok(())
    }

    fn fastq(
        &mut self,
        name: &str,
        sequence: &mut Vec<u8>,
        quality: &mut Vec<u8>,
    ) -> anyhow::Result<()> {
        let starts = (sequence.len(), quality.len());
        let cut_short = |records: &Self| {
            anyhow!(
                "{}: FASTQ record '{}' is cut short at line {}; fetch the file again, or {}",
                records.file.name,
                printable(name),
                records.lines.number,
                records.file.as_it_is
            )
        };
        loop {
            match self.first()? {
                Some(b'+') => break,
                Some(b'@') => {
                    return Err(self.malformed(&format!("record '{name}' has no line with '+'")));
                }
                Some(_) => self.append_letters(sequence)?,
                None => return Err(cut_short(self)),
            }
        }
        self.append(&mut Vec::new())?;
        let symbols = sequence.len() - starts.0;
        while quality.len() - starts.1 < symbols {
            if self.first()?.is_none() {
                return Err(cut_short(self));
            }
            self.append_letters(quality)?;
        }
        let qualities = quality.len() - starts.1;
        if qualities > symbols {
            return Err(self.malformed(&format!(
                "record '{name}' has {symbols} symbols and {qualities} qualities before it"
            )));
        }
        Ok(())
    }

    /// Skips blank lines and lines that start with one of `comments`. Returns the first byte of the
    /// next line. A line that begins with a blank is no record, and is skipped after its byte.
    fn skip(&mut self, comments: &[u8]) -> anyhow::Result<Option<u8>> {
        let mut line = Vec::new();
        loop {
            match self.first()? {
                Some(first) if comments.contains(&first) => self.append(&mut line)?,
                Some(first) if is_space(first) => {
                    self.append(&mut line)?;
                    if !is_blank(&line) {
                        self.lines.number -= 1;
                        return Ok(Some(first));
                    }
                }
                first => return Ok(first),
            }
            line.clear();
        }
    }

    /// Appends a line without white space.
    ///
    /// # Errors
    /// If a number stands before or after letters, as in numbered lines.
    fn append_letters(&mut self, text: &mut Vec<u8>) -> anyhow::Result<()> {
        let start = text.len();
        self.append(text)?;
        let line = &text[start..];
        if !has_low(line) || !line.iter().any(|&byte| is_space(byte)) {
            return Ok(());
        }
        let is_number = |word: &[u8]| word.iter().all(u8::is_ascii_digit);
        let outer = [words(line).next(), words(line).last()];
        let has_number = outer.into_iter().flatten().any(is_number);
        if !self.is_fastq
            && has_number
            && words(line).any(|word| word.iter().all(u8::is_ascii_alphabetic))
        {
            self.lines.number -= 1;
            return Err(self.malformed("a number stands beside the sequence; remove it"));
        }
        let mut kept = start;
        for at in start..text.len() {
            if !is_space(text[at]) {
                text[kept] = text[at];
                kept += 1;
            }
        }
        text.truncate(kept);
        Ok(())
    }

    fn first(&mut self) -> anyhow::Result<Option<u8>> {
        let first = self.lines.first();
        first.map_err(|error| self.broken(&error))
    }

    fn append(&mut self, line: &mut Vec<u8>) -> anyhow::Result<()> {
        let appended = self.lines.append(line);
        appended.map_err(|error| self.broken(&error))
    }

    fn broken(&self, error: &io::Error) -> anyhow::Error {
        self.file.broken(error, self.file.memory.used())
    }

    fn malformed(&self, reason: &str) -> anyhow::Error {
        anyhow!(
            "{}: malformed {} at line {}: {}; {}",
            self.file.name,
            self.format(),
            self.lines.number,
            printable(reason),
            self.file.as_it_is
        )
    }
}
