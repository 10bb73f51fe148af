//! Sources of sequences, layouts of files and kinds of symbols.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;

/// Kind of symbols.
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

/// Layout of a file.
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

/// Source of one sequence.
#[derive(Clone, Debug)]
pub enum Source {
    Literal(OsString),
    Stdin,
    File(PathBuf),
}

/// A sequence before it is split into symbols.
pub struct Named {
    pub name: String,
    pub bytes: Vec<u8>,
    /// Set for a file of lines.
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

/// Path and line ends of a file that was split into lines, as diffs need them.
#[derive(Clone, Debug)]
pub struct LineFile {
    /// `None` for stdin.
    pub path: Option<PathBuf>,
    pub has_mark: bool,
    /// Set if the last line has no newline.
    pub is_unended: bool,
    /// Set if all lines end with CR.
    pub ends_are_cr: bool,
}

/// Text on one line without control characters, which a terminal could act on.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let shown = |char: char| match char {
        '\t' | '\n' | '\r' => ' ',
        char if char.is_control() => char::REPLACEMENT_CHARACTER,
        char => char,
    };
    Cow::Owned(text.chars().map(shown).collect())
}
