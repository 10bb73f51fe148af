//! Opens a file or stdin and decompresses it.

use std::fs::File;
use std::io::{self, BufReader, Cursor, ErrorKind, Read};

use anyhow::{anyhow, bail};
use niffler::send::compression::Format;

use super::{Layout, Named, Source};

type Reader = Box<dyn Read + Send>;

/// niffler tells formats apart by this many bytes and refuses shorter files.
const MAGIC_LEN: usize = 5;
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
const BZIP2_MAGIC: &[u8] = b"BZh";
const XZ_MAGIC: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z'];
const CHUNK: u64 = 64 << 10;

/// An open input: its decompressed bytes, and what errors call it.
pub struct Opened {
    pub name: String,
    reader: Reader,
    compression: Option<&'static str>,
}

/// Opens what `source` names; gzip and zstd are recognised by their first bytes, not by the file's name.
pub fn open(source: &Source) -> anyhow::Result<Opened> {
    let (name, mut raw): (String, Reader) = match source {
        Source::Literal(text) => ("text".into(), Box::new(Cursor::new(text.clone().into_encoded_bytes()))),
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
            (name, Box::new(BufReader::with_capacity(CHUNK as usize, file)))
        }
    };

    let mut head = Vec::with_capacity(MAGIC_LEN);
    raw.by_ref()
        .take(MAGIC_LEN as u64)
        .read_to_end(&mut head)
        .map_err(|error| anyhow!("cannot read {name}: {error}"))?;
    if head.len() < MAGIC_LEN && !head.starts_with(GZIP_MAGIC) {
        return Ok(Opened { name, reader: Box::new(Cursor::new(head)), compression: None });
    }
    for (magic, program) in [(BZIP2_MAGIC, "bzip2"), (XZ_MAGIC, "xz")] {
        if head.starts_with(magic) {
            bail!(
                "{name} is compressed with {program}, which swath does not read; try: {program} -dc {name} | swath lcs - ..."
            );
        }
    }
    let compression = if head.len() < MAGIC_LEN { Format::Gzip } else { sniff(&head) };
    let reader: Reader = Box::new(Cursor::new(head).chain(raw));
    let compression = match compression {
        Format::Gzip => Some("gzip"),
        Format::Zstd => Some("zstd"),
        _ => return Ok(Opened { name, reader, compression: None }),
    };
    let decoded = niffler::send::get_reader(reader).map(|(reader, _)| reader);
    match decoded {
        Ok(reader) => Ok(Opened { name, reader, compression }),
        Err(error) => Err(broken(&name, compression, &error.to_string())),
    }
}

fn sniff(head: &[u8]) -> Format {
    niffler::send::sniff(Box::new(head)).map_or(Format::No, |(_, format)| format)
}

/// What a failed read says.
fn broken(name: &str, compression: Option<&'static str>, reason: &str) -> anyhow::Error {
    match compression {
        Some(format) => {
            anyhow!(
                "{name}: broken {format} data ({reason}); the file is damaged or cut short: fetch or compress it again"
            )
        }
        None => anyhow!("cannot read {name}: {reason}"),
    }
}

impl Opened {
    /// The layout that the first lines show; what was read for it is put back.
    pub fn sniff_layout(&mut self) -> anyhow::Result<Layout> {
        let mut head = Vec::new();
        self.fetch(&mut head, CHUNK)?;
        let layout = match head.first() {
            Some(b'>') => Layout::Fasta,
            Some(b'@') => {
                // Doubling keeps the search for the third line linear.
                let mut more = CHUNK;
                while third_line(&head).is_none() && self.fetch(&mut head, more)? > 0 {
                    more *= 2;
                }
                if third_line(&head) == Some(b'+') { Layout::Fastq } else { Layout::Plain }
            }
            _ => Layout::Plain,
        };
        let rest = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(head).chain(rest));
        Ok(layout)
    }

    /// All of it as one sequence.
    pub fn read_all(mut self) -> anyhow::Result<Named> {
        let mut bytes = Vec::new();
        self.fetch(&mut bytes, u64::MAX)?;
        Ok(Named { name: self.name, bytes })
    }

    /// The reader for a parser, and the message for a read that fails in it.
    pub fn into_parts(self) -> (Reader, impl Fn(&str) -> anyhow::Error) {
        let Opened { name, reader, compression } = self;
        (reader, move |reason: &str| broken(&name, compression, reason))
    }

    fn fetch(&mut self, bytes: &mut Vec<u8>, limit: u64) -> anyhow::Result<usize> {
        self.reader
            .by_ref()
            .take(limit)
            .read_to_end(bytes)
            .map_err(|error| broken(&self.name, self.compression, &error.to_string()))
    }
}

/// The first byte of the third line, where it is there yet.
fn third_line(head: &[u8]) -> Option<u8> {
    let newlines = head.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    head.get(newlines.map(|(place, _)| place + 1).nth(1)?).copied()
}
