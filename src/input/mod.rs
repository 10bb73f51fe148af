//! From arguments to sequences: files, stdin or literal text; FASTA, FASTQ or plain; bytes, characters, lines or
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
pub use symbols::{Lists, Pair, Sequences};

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

/// What decides how any number of sequences is read.
#[derive(Clone, Debug)]
pub struct ListRequest {
    pub sides: Vec<Side>,
    /// Every record of a FASTA or FASTQ file is a sequence of its own.
    pub all_records: bool,
    pub layout: Layout,
    pub symbols: Symbols,
    pub ignore_case: bool,
}

/// Any number of sequences and what reports call them.
#[derive(Clone, Debug)]
pub struct InputList {
    pub names: Vec<String>,
    pub lists: Lists,
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
    check(&[&request.a, &request.b], request.layout, request.symbols)?;
    let a = read_side(&request.a, request.layout, request.symbols, "a")?;
    let b = read_side(&request.b, request.layout, request.symbols, "b")?;
    let (a_name, b_name) = (a.name.clone(), b.name.clone());
    Ok(Inputs { sequences: Sequences::new(a, b, request.symbols, request.ignore_case)?, a_name, b_name })
}

/// Reads all sides.
///
/// # Errors
/// As [`read`], and where there are fewer than two sequences.
pub fn read_list(request: &ListRequest) -> anyhow::Result<InputList> {
    check(&request.sides.iter().collect::<Vec<_>>(), request.layout, request.symbols)?;
    let mut inputs = Vec::new();
    for (place, side) in request.sides.iter().enumerate() {
        // a, b, c, ... for literal texts and in messages.
        let role =
            (b'a'..=b'z').nth(place).map_or_else(|| (place + 1).to_string(), |letter| char::from(letter).to_string());
        if request.all_records {
            inputs.extend(read_records(side, request.layout, request.symbols, &role)?);
        } else {
            inputs.push(read_side(side, request.layout, request.symbols, &role)?);
        }
    }
    if inputs.len() < 2 {
        bail!("there is one sequence; name more inputs, or take every record of a file with --all-records");
    }
    let names = inputs.iter().map(|input| input.name.clone()).collect();
    Ok(InputList { names, lists: Lists::new(inputs, request.symbols, request.ignore_case)? })
}

fn check(sides: &[&Side], layout: Layout, symbols: Symbols) -> anyhow::Result<()> {
    if sides.iter().filter(|side| matches!(side.source, Source::Stdin)).count() > 1 {
        bail!("'-' is given twice, but stdin holds one input; put the other into a file");
    }
    let by_records = matches!(layout, Layout::Fasta | Layout::Fastq);
    if by_records && matches!(symbols, Symbols::Lines | Symbols::Tokens) {
        bail!("FASTA and FASTQ records have no lines or tokens; use --symbols bytes, or --input plain");
    }
    Ok(())
}

/// The layout of an open file, by its first bytes where it may be any.
fn layout_of(file: &mut open::Opened, layout: Layout, symbols: Symbols) -> anyhow::Result<Layout> {
    match layout {
        Layout::Auto if symbols == Symbols::Bytes => file.sniff_layout(),
        Layout::Auto => Ok(Layout::Plain),
        given => Ok(given),
    }
}

fn literal(text: &OsString, role: &str) -> Named {
    Named { name: role.to_string(), bytes: text.clone().into_encoded_bytes() }
}

fn read_side(side: &Side, layout: Layout, symbols: Symbols, role: &str) -> anyhow::Result<Named> {
    let no_record = |name: &str, symbols: Symbols| match (&side.record, symbols) {
        (Some(record), Symbols::Bytes) => {
            bail!("--record-{role} names the record '{record}', but {name} is not FASTA or FASTQ; drop the option")
        }
        (Some(record), _) => bail!(
            "--record-{role} names the record '{record}', but {name} is read as plain text; \
             give --input fasta or fastq, or drop the option"
        ),
        (None, _) => Ok(()),
    };
    if let Source::Literal(text) = &side.source {
        no_record("the literal text", Symbols::Bytes)?;
        return Ok(literal(text, role));
    }
    let mut file = open::open(&side.source)?;
    match layout_of(&mut file, layout, symbols)? {
        layout @ (Layout::Fasta | Layout::Fastq) => records::read(file, layout, side.record.as_deref()),
        Layout::Auto | Layout::Plain => {
            no_record(&file.name, symbols)?;
            file.read_all()
        }
    }
}

/// Every record of one input; what has none is one sequence.
fn read_records(side: &Side, layout: Layout, symbols: Symbols, role: &str) -> anyhow::Result<Vec<Named>> {
    if let Source::Literal(text) = &side.source {
        return Ok(vec![literal(text, role)]);
    }
    let mut file = open::open(&side.source)?;
    match layout_of(&mut file, layout, symbols)? {
        layout @ (Layout::Fasta | Layout::Fastq) => records::read_all(file, layout),
        Layout::Auto | Layout::Plain => Ok(vec![file.read_all()?]),
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
