//! `swath join`: one file of the parts that `swath pairs --shard` has written.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use anyhow::{Context, bail};

use super::mtx;
use crate::args::JoinArgs;
use crate::input::{Source, printable};
use crate::interrupt::Interrupt;
use crate::lists::{Place, npy};
use crate::output::{self as files, OutputFile};

/// Bytes that are read at once.
const BUFFER: usize = 1 << 16;

/// Opened part.
struct Part {
    name: String,
    file: BufReader<File>,
    head: Head,
}

enum Head {
    Npy(npy::Head),
    Mtx { head: mtx::Head, entries: u64 },
    Rows,
}

impl Part {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let name = printable(&path.display().to_string()).to_string();
        if !path.exists() {
            bail!("{name}: no such file; check the path");
        }
        let unread = || format!("cannot read {name}");
        let mut file = BufReader::with_capacity(BUFFER, File::open(path).with_context(unread)?);
        let start = file.fill_buf().with_context(unread)?;
        let head = if start.starts_with(npy::MAGIC) {
            let read = npy::Head::read(&mut file).with_context(unread)?;
            let Some(head) = read else {
                bail!("{name}: not an array that swath pairs writes");
            };
            let data = file.get_ref().metadata().with_context(unread)?.len();
            let (data, needed) = (data.saturating_sub(head.size_bytes), head.data_bytes());
            if data != needed {
                bail!("{name}: {data} bytes of values instead of {needed}; write this part again");
            }
            Head::Npy(head)
        } else if start.starts_with(mtx::BANNER.as_bytes()) {
            match mtx::Head::read(&mut file).with_context(unread)? {
                Some((head, entries)) => Head::Mtx { head, entries },
                None => bail!("{name}: not a matrix that swath pairs writes"),
            }
        } else {
            Head::Rows
        };
        Ok(Self { name, file, head })
    }

    fn kind(&self) -> &'static str {
        match self.head {
            Head::Npy(_) => "a NumPy array",
            Head::Mtx { .. } => "a Matrix Market file",
            Head::Rows => "a file of rows",
        }
    }

    fn place(&self) -> anyhow::Result<Place> {
        let place = match &self.head {
            Head::Npy(head) => head.place,
            Head::Mtx { head, .. } => head.place,
            Head::Rows => None,
        };
        place.with_context(|| format!("{} is no part: it was written without --shard", self.name))
    }

    fn read_error(&self, error: &io::Error) -> io::Error {
        io::Error::other(format!("cannot read {}: {error}", self.name))
    }
}

/// Checks the parts, and writes them one after the other.
pub fn run(args: &JoinArgs) -> anyhow::Result<()> {
    let inputs: Vec<_> = args.parts.iter().cloned().map(Source::File).collect();
    let file = args.output.as_deref();
    let file = file.filter(|file| !files::is_stdout(file));
    let file = file.map(|file| OutputFile::check("--output", file, &inputs));
    let file = file.transpose()?;
    let parts = args.parts.iter().map(|path| Part::open(path));
    let mut parts: Vec<Part> = parts.collect::<anyhow::Result<_>>()?;
    let first = &parts[0];
    if let Some(other) = parts.iter().find(|part| part.kind() != first.kind()) {
        let (name, kind) = (&first.name, first.kind());
        bail!("{} is {}, but {name} is {kind}", other.name, other.kind());
    }
    let head = match first.head {
        Head::Rows => Vec::new(),
        _ => joined_head(&mut parts)?,
    };
    let interrupt = Interrupt::install()?;
    let kind = parts.iter().filter_map(|part| match &part.head {
        Head::Npy(head) => Some(head.kind),
        _ => None,
    });
    let kind = kind.max();
    let write = |out: &mut dyn Write| {
        out.write_all(&head)?;
        parts.iter_mut().try_for_each(|part| copy(part, kind, out))
    };
    match file {
        Some(file) => file.write(&interrupt, write),
        None => interrupt.ending_at_once(|| files::to_stdout(write)),
    }
}

/// Sorts the parts of a matrix, and returns the head of all of it.
fn joined_head(parts: &mut [Part]) -> anyhow::Result<Vec<u8>> {
    let mut places = parts
        .iter()
        .map(Part::place)
        .collect::<anyhow::Result<Vec<_>>>()?;
    parts.sort_by_key(|part| {
        part.place()
            .map_or((0, 0), |place| (place.start, place.end))
    });
    places.sort_by_key(|place| (place.start, place.end));
    let (first, count) = (&parts[0], places[0].count);
    let (mut next, mut before) = (0, &parts[0]);
    for (part, place) in parts.iter().zip(&places) {
        if place.count != count {
            bail!(
                "{} is a part of {} pairs, but {} of {count}: they are not of one call",
                part.name,
                place.count,
                first.name
            );
        }
        if !first.head.fits(&part.head) {
            bail!("{} and {} are not of one call", first.name, part.name);
        }
        if place.start < next {
            let end = place.end.min(next);
            bail!(
                "the pairs {}..{end} are in {} and {}",
                place.start,
                before.name,
                part.name
            );
        }
        if place.start > next {
            bail!("the pairs {next}..{} are in no part", place.start);
        }
        (next, before) = (place.end, part);
    }
    if next < count {
        bail!("the pairs {next}..{count} are in no part");
    }
    Ok(match &first.head {
        Head::Npy(head) => {
            let (mut kind, mut rows) = (head.kind, 0);
            for part in &*parts {
                if let Head::Npy(head) = &part.head {
                    kind = kind.max(head.kind);
                    rows += head.shape[0];
                }
            }
            let mut shape = head.shape.clone();
            if count > 0 {
                shape[0] = rows;
            }
            npy::header(kind.name(), &shape, None)
        }
        Head::Mtx { head, .. } => {
            let entries = parts.iter().map(|part| match part.head {
                Head::Mtx { entries, .. } => entries,
                _ => 0,
            });
            let whole = mtx::Head {
                place: None,
                ..*head
            };
            whole.text(entries.sum()).into_bytes()
        }
        Head::Rows => Vec::new(),
    })
}

impl Head {
    /// Returns `true` for parts of one matrix.
    fn fits(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Npy(one), Self::Npy(other)) => {
                let is_real = |head: &npy::Head| head.kind == npy::Kind::F32;
                one.shape[1..] == other.shape[1..] && is_real(one) == is_real(other)
            }
            (Self::Mtx { head: one, .. }, Self::Mtx { head: other, .. }) => {
                let anywhere = |head: &mtx::Head| mtx::Head {
                    place: None,
                    ..*head
                };
                anywhere(one) == anywhere(other)
            }
            _ => true,
        }
    }
}

/// Writes the values or rows of a part; numbers become wider if another part has wider ones.
fn copy(part: &mut Part, kind: Option<npy::Kind>, out: &mut dyn Write) -> io::Result<()> {
    let (narrow, wide, expected) = match &part.head {
        Head::Npy(head) => (head.kind.bytes(), kind.unwrap_or(head.kind).bytes(), None),
        Head::Mtx { entries, .. } => (1, 1, Some(*entries)),
        Head::Rows => (1, 1, None),
    };
    // Values are little-endian, and chunks hold whole ones.
    let mut chunk = vec![0; BUFFER];
    let mut lines = 0;
    loop {
        let len = full(&mut part.file, &mut chunk).map_err(|error| part.read_error(&error))?;
        if len == 0 {
            break;
        }
        lines += memchr::memchr_iter(b'\n', &chunk[..len]).count() as u64;
        if narrow == wide {
            out.write_all(&chunk[..len])?;
            continue;
        }
        for value in chunk[..len].chunks(narrow) {
            out.write_all(value)?;
            out.write_all(&[0; 4][..wide - narrow])?;
        }
    }
    match expected {
        Some(entries) if entries != lines => {
            let name = &part.name;
            Err(io::Error::other(format!(
                "{name}: {lines} entries instead of {entries}; write this part again"
            )))
        }
        _ => Ok(()),
    }
}

/// Reads until the chunk is full or the file ends.
fn full(file: &mut impl Read, chunk: &mut [u8]) -> io::Result<usize> {
    let mut len = 0;
    while len < chunk.len() {
        match file.read(&mut chunk[len..]) {
            Ok(0) => break,
            Ok(more) => len += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(len)
}
