//! From two arguments to two sequences: files, stdin or literal text; FASTA, FASTQ or plain; bytes, characters, lines or
//! tokens.

mod numbers;
mod open;
mod records;
mod symbols;

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::bail;
use clap::ValueEnum;

pub use numbers::{Numbers, Weights};
pub use symbols::{Pair, Sequences};

/// What a sequence is made of.
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

/// How a file is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Layout {
    /// With --symbols bytes: FASTA where the first byte is '>', FASTQ where it is '@' and the third line starts with '+';
    /// else plain
    Auto,
    Fasta,
    Fastq,
    /// The whole file is the sequence
    Plain,
}

/// Where one sequence comes from.
#[derive(Clone, Debug)]
pub enum Source {
    Literal(OsString),
    Stdin,
    File(PathBuf),
}

/// One side of the comparison.
#[derive(Clone, Debug)]
pub struct Side {
    pub source: Source,
    /// The record to take from a FASTA or FASTQ file; the first by default.
    pub record: Option<String>,
}

/// Everything that decides what is read.
#[derive(Clone, Debug)]
pub struct Request {
    pub a: Side,
    pub b: Side,
    pub layout: Layout,
    pub symbols: Symbols,
    pub ignore_case: bool,
}

/// Two sequences and what reports call them.
#[derive(Clone, Debug)]
pub struct Inputs {
    pub a_name: String,
    pub b_name: String,
    pub sequences: Sequences,
}

/// One sequence before it is cut into symbols.
pub struct Named {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Reads both sides.
///
/// # Errors
/// One line that names the file, the place in it and the way out.
pub fn read(request: &Request) -> anyhow::Result<Inputs> {
    if matches!((&request.a.source, &request.b.source), (Source::Stdin, Source::Stdin)) {
        bail!("'-' is given twice, but stdin holds one input; put the other into a file");
    }
    let by_records = matches!(request.layout, Layout::Fasta | Layout::Fastq);
    if by_records && matches!(request.symbols, Symbols::Lines | Symbols::Tokens) {
        bail!("FASTA and FASTQ records have no lines or tokens; use --symbols bytes, or --input plain");
    }
    let a = read_side(&request.a, request, "a")?;
    let b = read_side(&request.b, request, "b")?;
    let (a_name, b_name) = (a.name.clone(), b.name.clone());
    Ok(Inputs { sequences: Sequences::new(a, b, request.symbols, request.ignore_case)?, a_name, b_name })
}

fn read_side(side: &Side, request: &Request, role: &str) -> anyhow::Result<Named> {
    let no_record = |name: &str| match &side.record {
        Some(record) => {
            bail!("--record-{role} names the record '{record}', but {name} is not FASTA or FASTQ; drop the option")
        }
        None => Ok(()),
    };
    if let Source::Literal(text) = &side.source {
        no_record("the literal text")?;
        return Ok(Named { name: role.to_string(), bytes: text.clone().into_encoded_bytes() });
    }
    let mut file = open::open(&side.source)?;
    let layout = match request.layout {
        Layout::Auto if request.symbols == Symbols::Bytes => file.sniff_layout()?,
        Layout::Auto => Layout::Plain,
        given => given,
    };
    match layout {
        Layout::Fasta | Layout::Fastq => records::read(file, layout, side.record.as_deref()),
        Layout::Auto | Layout::Plain => {
            no_record(&file.name)?;
            file.read_all()
        }
    }
}

/// One sequence of letters: a record of a FASTA or FASTQ file, or all letters of a plain one.
///
/// # Errors
/// As [`read`].
pub fn read_letters(source: Source, record: Option<&str>) -> anyhow::Result<Named> {
    let mut file = open::open(&source)?;
    match file.sniff_layout()? {
        layout @ (Layout::Fasta | Layout::Fastq) => records::read(file, layout, record),
        Layout::Auto | Layout::Plain => {
            if let Some(record) = record {
                bail!("--record names the record '{record}', but {} is not FASTA or FASTQ; drop the option", file.name);
            }
            let mut all = file.read_all()?;
            all.bytes.retain(|byte| !byte.is_ascii_whitespace());
            Ok(all)
        }
    }
}
