//! `swath join`: one file of the parts that `swath pairs`, `search` and `neighbors` write with
//! `--shard`.

use std::io::{self, Read, Write};

use anyhow::bail;

use super::merge;
use super::part::{BUFFER, CUT, Head, Layout, Part};
use crate::args::JoinArgs;
use crate::input::Source;
use crate::interrupt::Interrupt;
use crate::lists::{PartRange, npy};
use crate::output::{self as files, OutputFile};

pub fn run(args: &JoinArgs) -> anyhow::Result<()> {
    let inputs: Vec<_> = args.parts.iter().cloned().map(Source::File).collect();
    let file = OutputFile::optional(args.output.as_deref(), &inputs)?;
    let parts = args.parts.iter().map(|path| Part::open(path));
    let mut parts: Vec<Part> = parts.collect::<anyhow::Result<_>>()?;
    let first = parts
        .iter()
        .find(|part| !part.is_empty())
        .unwrap_or(&parts[0]);
    let is_rows = matches!(first.head, Head::Rows(_));
    let is_other =
        |part: &&Part| part.head.kind() != first.head.kind() && !(is_rows && part.is_empty());
    if let Some(other) = parts.iter().find(is_other) {
        let [kind, of_first] = [other, first].map(|part| part.head.kind());
        bail!(
            "{} is {kind}, but {} is {of_first}: they are not of one call",
            other.name,
            first.name
        );
    }
    let mut matrix = match first.head {
        Head::Rows(Layout::Phylip) => Some(Phylip::default()),
        _ => None,
    };
    let kinds = parts.iter().filter_map(|part| match &part.head {
        Head::Npy(head) => Some(head.kind),
        _ => None,
    });
    let kind = kinds.max();
    let is_sorted = matches!(first.head, Head::Sorted(_));
    let head = if is_rows {
        Vec::new()
    } else if is_sorted {
        merge::check(&parts)?;
        Vec::new()
    } else {
        joined_head(&mut parts, kind)?
    };
    let interrupt = Interrupt::install()?;
    let write = |out: &mut dyn Write| {
        if is_sorted {
            return merge::write(&mut parts, out);
        }
        out.write_all(&head)?;
        for part in &mut parts {
            copy(part, kind, &mut matrix, out)?;
        }
        matrix.as_ref().map_or(Ok(()), Phylip::end)
    };
    match file {
        Some(file) => file.write(&interrupt, write),
        None => interrupt.ending_at_once(|| files::to_stdout(write)),
    }
}

/// Sorts the parts of a matrix. Returns the head of all of it.
fn joined_head(parts: &mut [Part], kind: Option<npy::Kind>) -> anyhow::Result<Vec<u8>> {
    let ranges: anyhow::Result<Vec<_>> = parts.iter().map(Part::range).collect();
    let mut ranges = ranges?;
    let bounds = |range: &PartRange| (range.start, range.end);
    ranges.sort_by_key(bounds);
    parts.sort_by_key(|part| part.head.range().as_ref().map(bounds));
    let (first, count) = (&parts[0], ranges[0].count);
    let is_known = |part: &&Part| part.head.range().is_some_and(|range| range.call.is_some());
    let known = parts.iter().find(is_known).unwrap_or(first);
    let (mut next, mut before) = (0, &parts[0]);
    for (part, range) in parts.iter().zip(&ranges) {
        if range.count != count {
            bail!(
                "{} is a part of {} pairs, but {} of {count}: they are not of one call",
                part.name,
                range.count,
                first.name
            );
        }
        if !known.head.fits(&part.head) {
            bail!(
                "{} and {} are not of one call: their inputs or options differ; write one of them again",
                known.name,
                part.name
            );
        }
        if range.start < next {
            let end = range.end.min(next);
            bail!(
                "the pairs {}..{end} are in {} and {}",
                range.start,
                before.name,
                part.name
            );
        }
        if range.start > next {
            bail!("the pairs {next}..{} are in no part", range.start);
        }
        (next, before) = (range.end, part);
    }
    if next < count {
        bail!("the pairs {next}..{count} are in no part");
    }
    // Rows of arrays, or entries.
    let size = parts.iter().map(|part| match &part.head {
        Head::Npy(head) => head.shape[0],
        Head::Mtx { entries, .. } => *entries,
        Head::Rows(_) | Head::Sorted(_) => 0,
    });
    let size = size.sum();
    Ok(match &first.head {
        Head::Npy(head) => {
            let mut shape = head.shape.clone();
            if count > 0 {
                shape[0] = size;
            }
            npy::header(kind.unwrap_or(head.kind).name(), &shape, None)
        }
        Head::Mtx { head, .. } => head.without_range().text(size).into_bytes(),
        Head::Rows(_) | Head::Sorted(_) => Vec::new(),
    })
}

/// Check of a PHYLIP matrix, whose parts do not name their range: the distance of a string and
/// itself is 0.
#[derive(Default)]
struct Phylip {
    size: usize,
    /// Lines before this one.
    lines: usize,
    /// Words of this line.
    words: usize,
    is_in_word: bool,
    /// Distance on the diagonal, or the size in the first line.
    diagonal: Vec<u8>,
}

impl Phylip {
    fn take(&mut self, text: &[u8]) -> io::Result<()> {
        for &byte in text {
            match byte {
                b'\n' => self.end_line()?,
                b' ' => self.is_in_word = false,
                _ => {
                    self.words += usize::from(!self.is_in_word);
                    self.is_in_word = true;
                    if self.words == self.lines + 1 {
                        self.diagonal.push(byte);
                    }
                }
            }
        }
        Ok(())
    }

    fn end_line(&mut self) -> io::Result<()> {
        let (lines, size) = (self.lines, self.size);
        if lines > 0 && (self.words != size + 1 || self.diagonal != b"0") {
            return Err(io::Error::other(format!(
                "row {lines} is not that of string {lines} of {size}; give all parts of one call in order"
            )));
        }
        if lines == 0 {
            let size = std::str::from_utf8(&self.diagonal).ok();
            let size = size
                .filter(|_| self.words == 1)
                .and_then(|size| size.parse().ok());
            self.size = size.ok_or_else(|| {
                io::Error::other(
                    "the first part begins with the number of strings; give all parts in order",
                )
            })?;
        }
        self.lines += 1;
        (self.words, self.is_in_word) = (0, false);
        self.diagonal.clear();
        Ok(())
    }

    fn end(&self) -> io::Result<()> {
        let (rows, size) = (self.lines - 1, self.size);
        if rows == size {
            return Ok(());
        }
        Err(io::Error::other(format!(
            "the parts have {rows} of {size} rows; give all parts in order"
        )))
    }
}

/// Numbers become wider if another part has wider ones.
fn copy(
    part: &mut Part,
    kind: Option<npy::Kind>,
    matrix: &mut Option<Phylip>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (narrow, wide, expected) = match &part.head {
        Head::Npy(head) => (head.kind.bytes(), kind.unwrap_or(head.kind).bytes(), None),
        Head::Mtx { entries, .. } => (1, 1, Some(*entries)),
        Head::Rows(_) | Head::Sorted(_) => (1, 1, None),
    };
    // Values are little-endian, and chunks hold whole ones.
    let mut chunk = std::mem::take(&mut part.first_line);
    let (mut lines, mut is_whole) = (0, true);
    loop {
        if chunk.is_empty() {
            let mut next = part.file.by_ref().take(BUFFER as u64);
            let read = next.read_to_end(&mut chunk);
            read.map_err(|error| part.read_error(&error))?;
        }
        if chunk.is_empty() {
            break;
        }
        lines += memchr::memchr_iter(b'\n', &chunk).count() as u64;
        is_whole = chunk.ends_with(b"\n");
        if let Some(matrix) = matrix {
            let taken = matrix.take(&chunk);
            taken.map_err(|error| io::Error::other(format!("{}: {error}", part.name)))?;
        }
        if narrow == wide {
            out.write_all(&chunk)?;
        } else {
            for value in chunk.chunks(narrow) {
                out.write_all(value)?;
                out.write_all(&[0; 4][..wide - narrow])?;
            }
        }
        chunk.clear();
    }
    if matches!(part.head, Head::Rows(_)) && !is_whole {
        return Err(io::Error::other(format!("{}{CUT}", part.name)));
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
