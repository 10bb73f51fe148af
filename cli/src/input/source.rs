//! Sources of sequences, layouts of files, kinds of symbols.

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
    /// With --symbols bytes: FASTA where the first byte is '>', FASTQ where it is '@' and the third line starts with '+';
    /// else plain, without the newline that ends a file
    Auto,
    Fasta,
    Fastq,
    /// The whole file is the sequence, its last newline too
    Plain,
}

/// Source of one sequence.
#[derive(Clone, Debug)]
pub enum Source {
    Literal(OsString),
    Stdin,
    File(PathBuf),
}

/// One sequence before it is cut into symbols.
pub struct Named {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// A name or message on one line, without the control characters that a terminal would act on.
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
