//! Opening and decompression of files and stdin.

use std::fs::File;
use std::io::{self, BufReader, Cursor, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, anyhow, bail};

use super::compression::{Compression, Frames, MAGIC_LEN, Members, unsupported};
use super::memory::{Memory, Metered, OutOfMemory};
use super::sniff;
use super::source::{Layout, Named, Source};
use crate::environment;

pub type Reader = Box<dyn Read + Send>;

pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
pub const CHUNK: u64 = 64 << 10;

#[derive(Clone)]
pub struct FileProgress {
    read: Arc<AtomicU64>,
    /// `None` for stdin and pipes.
    size_bytes: Option<u64>,
}

impl FileProgress {
    pub fn fraction(&self) -> Option<f64> {
        let size_bytes = self.size_bytes.filter(|&size| size > 0)?;
        Some((self.read.load(Ordering::Relaxed) as f64 / size_bytes as f64).min(1.0))
    }
}

struct Counting {
    reader: Reader,
    read: Arc<AtomicU64>,
}

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

pub struct OpenInput {
    pub name: String,
    pub progress: FileProgress,
    /// How to have the file taken as it is, for messages.
    pub as_it_is: &'static str,
    pub has_mark: bool,
    reader: Reader,
    compression: Option<Compression>,
    pub memory: Memory,
}

/// gzip and zstd are recognised by their first bytes, not by the file name.
pub fn open(source: &Source, memory: &Memory) -> anyhow::Result<OpenInput> {
    let mut size_bytes = None;
    let (name, raw): (String, Reader) = match source {
        Source::Literal(text) => (
            "text".into(),
            Box::new(Cursor::new(text.clone().into_encoded_bytes())),
        ),
        Source::Stdin => {
            environment::check_stdin().context("cannot read stdin")?;
            ("stdin".into(), Box::new(io::stdin()))
        }
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
            let metadata = file.metadata().ok().filter(|metadata| metadata.is_file());
            size_bytes = metadata.map(|metadata| metadata.len());
            (name, Box::new(file))
        }
    };
    let progress = FileProgress {
        read: Arc::default(),
        size_bytes,
    };
    let mut raw = Counting {
        reader: raw,
        read: progress.read.clone(),
    };

    let mut head = Vec::with_capacity(MAGIC_LEN);
    raw.by_ref()
        .take(MAGIC_LEN as u64)
        .read_to_end(&mut head)
        .map_err(|error| anyhow!("cannot read {name}: {error}"))?;
    if let Some((format, program)) = unsupported(&head) {
        bail!(
            "{name} is compressed with {format}, which swath does not read; pipe it: {program} {name} | swath ... with '-' in its place"
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
    Ok(OpenInput {
        name,
        progress,
        as_it_is: "use --input plain to take the file as it is",
        has_mark: false,
        reader,
        compression,
        memory: memory.clone(),
    })
}

/// For lists of strings: no argument holds the strings themselves.
pub fn open_strings(source: &Source, memory: &Memory) -> anyhow::Result<OpenInput> {
    if let Source::File(path) = source
        && !path.exists()
    {
        bail!("{}: no such file; check the path", path.display());
    }
    open(source, memory)
}

impl OpenInput {
    /// Error of a failed read, for which `bytes` were allocated.
    pub fn broken(&self, error: &io::Error, bytes: u64) -> anyhow::Error {
        let name = &self.name;
        match (self.memory.refusal(), self.compression) {
            (Some(refusal), _) => refusal.into(),
            (None, _) if error.kind() == ErrorKind::OutOfMemory => OutOfMemory::System {
                name: name.clone(),
                bytes,
            }
            .into(),
            (None, Some(format)) => {
                anyhow!(
                    "{name}: broken {} data ({error}); the file is damaged or cut short: fetch or compress it again",
                    format.name()
                )
            }
            (None, None) => anyhow!("cannot read {name}: {error}"),
        }
    }

    pub fn skip_mark(&mut self) -> anyhow::Result<()> {
        let mut head = Vec::new();
        self.fetch(&mut head, BYTE_ORDER_MARK.len() as u64)?;
        if head == BYTE_ORDER_MARK {
            self.has_mark = true
        } else {
            self.put_back(head)
        }
        Ok(())
    }

    pub fn sniff_layout(&mut self) -> anyhow::Result<Layout> {
        let mut head = Vec::new();
        // Doubling keeps the search for the end of a line linear.
        let mut more = CHUNK;
        let layout = loop {
            let is_whole = (self.fetch(&mut head, more)? as u64) < more;
            if let Some(layout) = sniff::layout(&head, is_whole) {
                break layout;
            }
            more *= 2;
        };
        self.put_back(head);
        Ok(layout)
    }

    pub fn read_all(mut self) -> anyhow::Result<Named> {
        let mut bytes = Vec::new();
        self.fetch(&mut bytes, u64::MAX)?;
        // The list has grown by doubling.
        bytes.shrink_to_fit();
        Ok(Named::new(self.name, bytes))
    }

    /// The reader for a parser; nothing is left to be read here.
    pub fn take_reader(&mut self) -> Reader {
        std::mem::replace(&mut self.reader, Box::new(io::empty()))
    }

    fn put_back(&mut self, head: Vec<u8>) {
        let rest = self.take_reader();
        self.reader = Box::new(Cursor::new(head).chain(rest));
    }

    pub fn fetch(&mut self, bytes: &mut Vec<u8>, limit: u64) -> anyhow::Result<usize> {
        let read = self.reader.by_ref().take(limit).read_to_end(bytes);
        read.map_err(|error| self.broken(&error, bytes.capacity() as u64))
    }
}
