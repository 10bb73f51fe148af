//! A part, as `swath join` reads it.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, bail};

use crate::lists::{PartRange, SortedPart, mtx, npy};
use crate::message::printable;

/// Error message for a file whose last line has no line end; it follows the name of the file.
pub const CUT: &str =
    " ends within a line: it is cut short, or an earlier version wrote it; write this part again";

pub const BUFFER: usize = 1 << 16;

pub struct Part {
    pub name: String,
    pub file: BufReader<File>,
    pub head: Head,
    /// First line of a file of rows, which is not in `file` any more.
    pub first_line: Vec<u8>,
}

pub enum Head {
    Npy(npy::Head),
    Mtx { head: mtx::Head, entries: u64 },
    Rows(Layout),
    Sorted(SortedPart),
}

#[derive(PartialEq, Eq)]
pub enum Layout {
    NoLine,
    Columns(usize),
    Keys(Vec<String>),
    Phylip,
}

impl Layout {
    /// `None` for lines that swath does not write.
    fn of(line: &[u8]) -> Option<Self> {
        let tabs = memchr::memchr_iter(b'\t', line).count();
        if tabs > 0 {
            return Some(Self::Columns(tabs + 1));
        }
        if line.is_empty() {
            return Some(Self::NoLine);
        }
        if let Ok(object) = serde_json::from_slice::<serde_json::Map<_, _>>(line) {
            return Some(Self::Keys(object.keys().cloned().collect()));
        }
        let last = line.trim_ascii_end().rsplit(|&byte| byte == b' ').next()?;
        let is_number = !last.is_empty() && last.iter().all(u8::is_ascii_digit);
        is_number.then_some(Self::Phylip)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLine => write!(formatter, "an empty file"),
            Self::Columns(count) => write!(formatter, "a file of rows with {count} columns"),
            Self::Keys(keys) => write!(formatter, "a file of objects with {}", keys.join(", ")),
            Self::Phylip => write!(formatter, "a PHYLIP matrix"),
        }
    }
}

impl Part {
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let name = printable(&path.display().to_string()).to_string();
        if !path.exists() {
            bail!("{name}: no such file; check the path");
        }
        let unread = || format!("cannot read {name}");
        let mut file = BufReader::with_capacity(BUFFER, File::open(path).with_context(unread)?);
        let start = file.fill_buf().with_context(unread)?;
        let mut first_line = Vec::new();
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
            let read = file.read_until(b'\n', &mut first_line);
            read.with_context(unread)?;
            let sorted = SortedPart::parse(&first_line).map(Head::Sorted);
            match sorted.or_else(|| Layout::of(&first_line).map(Head::Rows)) {
                _ if !first_line.is_empty() && !first_line.ends_with(b"\n") => bail!("{name}{CUT}"),
                Some(head) => head,
                None => bail!("{name}: not a file that swath writes"),
            }
        };
        Ok(Self {
            name,
            file,
            head,
            first_line,
        })
    }

    pub fn is_empty(&self) -> bool {
        matches!(self.head, Head::Rows(Layout::NoLine))
    }

    pub fn range(&self) -> anyhow::Result<PartRange> {
        let range = self.head.range();
        range.with_context(|| format!("{} is no part: it was written without --shard", self.name))
    }

    pub fn sorted_part(&self) -> Option<SortedPart> {
        match self.head {
            Head::Sorted(part) => Some(part),
            _ => None,
        }
    }

    pub fn read_error(&self, error: &io::Error) -> io::Error {
        io::Error::other(format!("cannot read {}: {error}", self.name))
    }
}

impl Head {
    pub fn kind(&self) -> String {
        match self {
            Self::Npy(_) => "a NumPy array".to_string(),
            Self::Mtx { .. } => "a Matrix Market file".to_string(),
            Self::Rows(layout) => layout.to_string(),
            Self::Sorted(_) => "a part of swath neighbors".to_string(),
        }
    }

    pub fn range(&self) -> Option<PartRange> {
        match self {
            Self::Npy(head) => head.range,
            Self::Mtx { head, .. } => head.range,
            Self::Rows(_) | Self::Sorted(_) => None,
        }
    }

    /// Parts of earlier versions do not name their call.
    pub fn fits(&self, other: &Self) -> bool {
        let calls = [self, other].map(|head| head.range()?.call);
        if let [Some(one), Some(other)] = calls
            && one != other
        {
            return false;
        }
        match (self, other) {
            (Self::Npy(one), Self::Npy(other)) => {
                let is_real = |head: &npy::Head| head.kind == npy::Kind::F32;
                one.shape[1..] == other.shape[1..] && is_real(one) == is_real(other)
            }
            (Self::Mtx { head: one, .. }, Self::Mtx { head: other, .. }) => {
                one.without_range() == other.without_range()
            }
            _ => true,
        }
    }
}
