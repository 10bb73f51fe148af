//! Opening and decompression of files and stdin.

use std::fs::File;
use std::io::{self, BufReader, Cursor, ErrorKind, Read};

use anyhow::{anyhow, bail};

use super::compression::{Compression, Frames, MAGIC_LEN, Members, unsupported};
use super::memory::{Memory, Metered, OutOfMemory};
use super::{Layout, Named, Source};

type Reader = Box<dyn Read + Send>;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const CHUNK: u64 = 64 << 10;

/// Open input: decompressed bytes and a name for messages.
pub struct Opened {
    pub name: String,
    reader: Reader,
    compression: Option<Compression>,
    pub memory: Memory,
}

/// Opens `source`. gzip and zstd are recognised by their first bytes, not by the file name. Bytes
/// read are added to `memory`.
pub fn open(source: &Source, memory: &Memory) -> anyhow::Result<Opened> {
    let (name, mut raw): (String, Reader) = match source {
        Source::Literal(text) => (
            "text".into(),
            Box::new(Cursor::new(text.clone().into_encoded_bytes())),
        ),
        Source::Stdin => ("stdin".into(), Box::new(io::stdin())),
        Source::File(path) => {
            let name = path.display().to_string();
            if path.is_dir() {
                bail!("{name} is a directory; name a file in it");
            }
            let file = File::open(path).map_err(|error| match error.kind() {
                ErrorKind::NotFound => {
                    anyhow!("{name}: no such file; check the path, or add --text to compare the arguments themselves")
                }
                ErrorKind::PermissionDenied => anyhow!("{name}: no permission to read it; ask its owner, or copy it"),
                _ => anyhow!("cannot open {name}: {error}"),
            })?;
            (name, Box::new(file))
        }
    };

    let mut head = Vec::with_capacity(MAGIC_LEN);
    raw.by_ref()
        .take(MAGIC_LEN as u64)
        .read_to_end(&mut head)
        .map_err(|error| anyhow!("cannot read {name}: {error}"))?;
    if let Some((format, program)) = unsupported(&head) {
        bail!(
            "{name} is compressed with {format}, which swath does not read; try: {program} {name} | swath lcs - ..."
        );
    }
    let compression = Compression::of(&head);
    let raw = BufReader::with_capacity(CHUNK as usize, Cursor::new(head).chain(raw));
    let reader: Reader = match compression {
        Some(Compression::Gzip) => Box::new(Members::new(raw)),
        Some(Compression::Zstd) => Box::new(Frames::new(raw, name.clone(), memory.clone())),
        None => Box::new(raw),
    };
    let reader = Box::new(Metered {
        reader,
        name: name.clone(),
        memory: memory.clone(),
    });
    Ok(Opened {
        name,
        reader,
        compression,
        memory: memory.clone(),
    })
}

/// Error of a failed read.
fn broken(
    name: &str,
    compression: Option<Compression>,
    memory: &Memory,
    reason: &str,
) -> anyhow::Error {
    match (memory.refusal(), compression) {
        (Some(refusal), _) => refusal.into(),
        (None, Some(format)) => {
            anyhow!(
                "{name}: broken {} data ({reason}); the file is damaged or cut short: fetch or compress it again",
                format.name()
            )
        }
        (None, None) => anyhow!("cannot read {name}: {reason}"),
    }
}

impl Opened {
    /// Detects the layout by the first lines. Then the reader is at the first record, after a byte
    /// order mark and empty lines.
    pub fn sniff_layout(&mut self) -> anyhow::Result<Layout> {
        let mut head = Vec::new();
        self.fetch(&mut head, CHUNK)?;
        let start = start_of_records(&head);
        let layout = match head.get(start) {
            Some(b'>') => Layout::Fasta,
            Some(b'@') => {
                // Doubling keeps the search for the third line linear.
                let mut more = CHUNK;
                while third_line(&head[start..]).is_none() && self.fetch(&mut head, more)? > 0 {
                    more *= 2;
                }
                if third_line(&head[start..]) == Some(b'+') {
                    Layout::Fastq
                } else {
                    Layout::Plain
                }
            }
            _ => Layout::Plain,
        };
        self.put_back(if layout == Layout::Plain {
            head
        } else {
            head.split_off(start)
        });
        Ok(layout)
    }

    /// Skips to the first record of a known layout.
    pub fn skip_to_records(&mut self) -> anyhow::Result<()> {
        let mut head = Vec::new();
        self.fetch(&mut head, CHUNK)?;
        let start = start_of_records(&head);
        self.put_back(head.split_off(start));
        Ok(())
    }

    /// Reads all bytes as one sequence.
    pub fn read_all(mut self) -> anyhow::Result<Named> {
        let mut bytes = Vec::new();
        self.fetch(&mut bytes, u64::MAX)?;
        // The list has grown by doubling.
        bytes.shrink_to_fit();
        Ok(Named {
            name: self.name,
            bytes,
        })
    }

    /// Reader for a parser, and a function that makes an error of a failed read.
    pub fn into_parts(self) -> (Reader, impl Fn(&str) -> anyhow::Error) {
        let Opened {
            name,
            reader,
            compression,
            memory,
        } = self;
        (reader, move |reason: &str| {
            broken(&name, compression, &memory, reason)
        })
    }

    fn put_back(&mut self, head: Vec<u8>) {
        let rest = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(head).chain(rest));
    }

    fn fetch(&mut self, bytes: &mut Vec<u8>, limit: u64) -> anyhow::Result<usize> {
        let read = self.reader.by_ref().take(limit).read_to_end(bytes);
        read.map_err(|error| match (self.memory.refusal(), error.kind()) {
            (None, ErrorKind::OutOfMemory) => OutOfMemory::System {
                name: self.name.clone(),
                bytes: bytes.capacity() as u64,
            }
            .into(),
            _ => broken(
                &self.name,
                self.compression,
                &self.memory,
                &error.to_string(),
            ),
        })
    }
}

/// Offset after a byte order mark and empty lines.
fn start_of_records(head: &[u8]) -> usize {
    let mark = if head.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    mark + head[mark..]
        .iter()
        .take_while(|byte| matches!(byte, b'\n' | b'\r'))
        .count()
}

/// First byte of the third line, if it has been read.
fn third_line(head: &[u8]) -> Option<u8> {
    let newlines = head.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    head.get(newlines.map(|(place, _)| place + 1).nth(1)?)
        .copied()
}
