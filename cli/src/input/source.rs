//! Sources of sequences, layouts of files and kinds of symbols.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::bail;
use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Symbols {
    /// Bytes, and the letters of FASTA and FASTQ records
    Bytes,
    /// Unicode characters of UTF-8 text
    Chars,
    /// Lines without their newline
    Lines,
    /// Words between white space
    Tokens,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Layout {
    /// With --symbols bytes: FASTA if the first byte is '>', FASTQ if it is '@' and a line with '+'
    /// follows the sequence, also after blank lines and comments (';', '#'); else plain without a
    /// byte order mark and a final newline. Other symbols: plain
    Auto,
    Fasta,
    Fastq,
    /// The whole file is the sequence, including a final newline
    Plain,
}

#[derive(Clone, Debug)]
pub enum Source {
    Literal(OsString),
    Stdin,
    File(PathBuf),
}

impl Source {
    /// Name in messages: the path, or `stdin`.
    pub fn name(&self) -> String {
        match self {
            Source::Literal(_) => "text".to_string(),
            Source::Stdin => "stdin".to_string(),
            Source::File(path) => path.display().to_string(),
        }
    }

    /// True for stdin and pipes.
    pub fn is_read_once(&self) -> bool {
        matches!(self, Source::Stdin) || self.pipe().is_some()
    }

    #[cfg(unix)]
    fn pipe(&self) -> Option<(u64, u64)> {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};
        let metadata = match self {
            Source::Literal(_) => return None,
            Source::Stdin => std::fs::metadata("/dev/stdin"),
            Source::File(path) => std::fs::metadata(path),
        };
        let metadata = metadata.ok()?;
        let kind = metadata.file_type();
        (kind.is_fifo() || kind.is_socket()).then(|| (metadata.dev(), metadata.ino()))
    }

    #[cfg(not(unix))]
    fn pipe(&self) -> Option<(u64, u64)> {
        None
    }
}

/// A record without a name has that of its file.
pub fn location(file: &str, record: &str) -> String {
    if file == record {
        return file.to_string();
    }
    format!("{file}, record '{record}'")
}

/// Stdin and pipes are read once, also under two names such as `-` and `/dev/stdin`.
pub fn check_pipes<'a>(sources: impl IntoIterator<Item = &'a Source>) -> anyhow::Result<()> {
    let (mut has_stdin, mut pipes) = (false, Vec::new());
    for source in sources {
        let is_stdin = matches!(source, Source::Stdin);
        if is_stdin && has_stdin {
            bail!("'-' is given twice, but stdin holds one input; put the other into a file");
        }
        has_stdin |= is_stdin;
        let Some(pipe) = source.pipe() else { continue };
        if let Some((_, before)) = pipes.iter().find(|(other, _)| *other == pipe) {
            bail!(
                "{before} and {} are the same pipe, which holds one input; put the other into a file",
                source.name()
            );
        }
        pipes.push((pipe, source.name()));
    }
    Ok(())
}

/// A sequence before it is split into symbols.
pub struct Named {
    pub name: String,
    pub bytes: Vec<u8>,
    pub file: Option<LineFile>,
}

impl Named {
    pub fn new(name: String, bytes: Vec<u8>) -> Self {
        Self {
            name,
            bytes,
            file: None,
        }
    }
}

/// Line ends and path of a file of lines, as diffs need them.
#[derive(Clone, Debug)]
pub struct LineFile {
    /// `None` for stdin.
    pub path: Option<PathBuf>,
    pub has_mark: bool,
    pub is_unended: bool,
    /// Set if all lines end with CR.
    pub ends_are_cr: bool,
}
