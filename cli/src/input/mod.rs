//! From arguments to sequences: files, stdin or literal text; FASTA, FASTQ or plain; bytes, characters, lines or
//! tokens.

#[cfg(test)]
mod fuzz;
mod groups;
mod gzip;
mod memory;
mod numbers;
mod open;
mod records;
mod source;
mod symbols;

use std::ffi::OsString;

use anyhow::bail;

pub use groups::{Group, Groups, read_groups};
pub use memory::{Memory, OutOfMemory};
pub use numbers::{Numbers, Weights};
pub use source::{Layout, Named, Source, Symbols, printable};
pub use symbols::{Lists, Pair, Sequences};

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

impl Request {
    /// Where the sequences come from.
    pub fn sources(&self) -> [&Source; 2] {
        [&self.a.source, &self.b.source]
    }
}

/// Two sequences and what reports call them.
#[derive(Clone, Debug)]
pub struct Inputs {
    pub a_name: String,
    pub b_name: String,
    pub sequences: Sequences,
}

/// What one call reads into: its account of memory, and what its user should know of the files.
pub struct Reading {
    pub memory: Memory,
    /// A line each.
    pub notes: Vec<String>,
}

impl Reading {
    /// For inputs of at most `limit` bytes.
    pub fn within(limit: u64) -> Self {
        Self {
            memory: Memory::new(limit),
            notes: Vec::new(),
        }
    }

    /// Counts the symbols instead of the files that they came from.
    fn count(&mut self, lists: &Lists) -> anyhow::Result<()> {
        self.memory.release(u64::MAX);
        Ok(self.memory.hold(symbols::ALL, lists.size_bytes())?)
    }
}

/// Sequences of a query and of a target, each to be compared with each.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// Names of all queries, then of all targets.
    names: Vec<String>,
    queries: usize,
    lists: Lists,
}

impl Pairs {
    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.queries * (self.names.len() - self.queries)
    }

    /// Every query with every target, the first query's pairs first.
    pub fn iter(&self) -> impl Iterator<Item = Inputs> {
        let targets = self.queries..self.names.len();
        let places = (0..self.queries).flat_map(move |a| targets.clone().map(move |b| (a, b)));
        places.map(|(a, b)| self.pair(a, b))
    }

    fn pair(&self, a: usize, b: usize) -> Inputs {
        Inputs {
            a_name: self.names[a].clone(),
            b_name: self.names[b].clone(),
            sequences: self.lists.pair(a, b),
        }
    }
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

/// Reads both sides, a record of each.
///
/// # Errors
/// One line that names the file, the place in it and the way out.
pub fn read(request: &Request, reading: &mut Reading) -> anyhow::Result<Inputs> {
    Ok(read_pairs(request, false, reading)?.pair(0, 1))
}

/// Reads both sides: with `all_records` every record of a side that names none.
///
/// # Errors
/// As [`read`].
pub fn read_pairs(
    request: &Request,
    all_records: bool,
    reading: &mut Reading,
) -> anyhow::Result<Pairs> {
    check(&[&request.a, &request.b], request.layout, request.symbols)?;
    let mut side = |side: &Side, role| match all_records && side.record.is_none() {
        true => read_records(side, request.layout, request.symbols, role, reading),
        false => Ok(vec![read_side(
            side,
            request.layout,
            request.symbols,
            role,
            reading,
        )?]),
    };
    let (mut all, targets) = (side(&request.a, "a")?, side(&request.b, "b")?);
    let queries = all.len();
    all.extend(targets);
    let names = all.iter().map(|input| input.name.clone()).collect();
    let lists = Lists::new(all, request.symbols, request.ignore_case)?;
    reading.count(&lists)?;
    Ok(Pairs {
        names,
        queries,
        lists,
    })
}

/// Reads all sides.
///
/// # Errors
/// As [`read`], and where there are fewer than two sequences.
pub fn read_list(request: &ListRequest, reading: &mut Reading) -> anyhow::Result<InputList> {
    check(
        &request.sides.iter().collect::<Vec<_>>(),
        request.layout,
        request.symbols,
    )?;
    let mut inputs = Vec::new();
    for (place, side) in request.sides.iter().enumerate() {
        let role = role(place);
        if request.all_records {
            inputs.extend(read_records(
                side,
                request.layout,
                request.symbols,
                &role,
                reading,
            )?);
        } else {
            inputs.push(read_side(
                side,
                request.layout,
                request.symbols,
                &role,
                reading,
            )?);
        }
    }
    if inputs.len() < 2 {
        bail!(
            "there is one sequence; name more inputs, or take every record of a file with --all-records"
        );
    }
    let names = inputs.iter().map(|input| input.name.clone()).collect();
    let lists = Lists::new(inputs, request.symbols, request.ignore_case)?;
    reading.count(&lists)?;
    Ok(InputList { names, lists })
}

/// What a literal text is called, and messages call an input: a, b, c, ...
fn role(place: usize) -> String {
    (b'a'..=b'z').nth(place).map_or_else(
        || (place + 1).to_string(),
        |letter| char::from(letter).to_string(),
    )
}

fn check(sides: &[&Side], layout: Layout, symbols: Symbols) -> anyhow::Result<()> {
    if sides
        .iter()
        .filter(|side| matches!(side.source, Source::Stdin))
        .count()
        > 1
    {
        bail!("'-' is given twice, but stdin holds one input; put the other into a file");
    }
    let by_records = matches!(layout, Layout::Fasta | Layout::Fastq);
    if by_records && matches!(symbols, Symbols::Lines | Symbols::Tokens) {
        bail!(
            "FASTA and FASTQ records have no lines or tokens; use --symbols bytes, or --input plain"
        );
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

fn literal(text: &OsString, role: &str, reading: &Reading) -> anyhow::Result<Named> {
    let named = Named {
        name: role.to_string(),
        bytes: text.clone().into_encoded_bytes(),
    };
    reading.memory.hold(&named.name, named.bytes.len() as u64)?;
    Ok(named)
}

fn read_side(
    side: &Side,
    layout: Layout,
    symbols: Symbols,
    role: &str,
    reading: &mut Reading,
) -> anyhow::Result<Named> {
    let no_record = |name: &str, symbols: Symbols| match (&side.record, symbols) {
        (Some(record), Symbols::Bytes) => {
            bail!(
                "--record-{role} names the record '{record}', but {name} is not FASTA or FASTQ; drop the option"
            )
        }
        (Some(record), _) => bail!(
            "--record-{role} names the record '{record}', but {name} is read as plain text; \
             give --input fasta or fastq, or drop the option"
        ),
        (None, _) => Ok(()),
    };
    if let Source::Literal(text) = &side.source {
        no_record("the literal text", Symbols::Bytes)?;
        return literal(text, role, reading);
    }
    let mut file = open::open(&side.source, &reading.memory)?;
    match layout_of(&mut file, layout, symbols)? {
        found @ (Layout::Fasta | Layout::Fastq) => {
            let others = match role {
                "a" | "b" => format!("--record-{role} takes another"),
                _ => "--all-records takes all".to_string(),
            };
            read_record(file, found, side.record.as_deref(), &others, reading)
        }
        Layout::Auto | Layout::Plain => {
            no_record(&file.name, symbols)?;
            read_plain(file, layout, symbols)
        }
    }
}

/// One record; a note where it is taken because it is the first, and is not the only one.
fn read_record(
    file: open::Opened,
    layout: Layout,
    wanted: Option<&str>,
    others: &str,
    reading: &mut Reading,
) -> anyhow::Result<Named> {
    let file_name = file.name.clone();
    let records::Found { record, has_more } = records::read(file, layout, wanted)?;
    if has_more {
        let name = &record.name;
        reading.notes.push(format!(
            "{file_name} has more records than '{name}', the first, which is taken; {others}"
        ));
    }
    Ok(record)
}

/// All of a file; where its layout was not given, bytes and characters end before the newline that ends a text file.
fn read_plain(file: open::Opened, layout: Layout, symbols: Symbols) -> anyhow::Result<Named> {
    let mut all = file.read_all()?;
    if layout == Layout::Auto && matches!(symbols, Symbols::Bytes | Symbols::Chars) {
        drop_newline(&mut all.bytes);
    }
    Ok(all)
}

/// Drops one newline from the end, of Unix or of Windows.
fn drop_newline(bytes: &mut Vec<u8>) {
    if bytes.pop_if(|last| *last == b'\n').is_some() {
        bytes.pop_if(|last| *last == b'\r');
    }
}

/// Every record of one input; what has none is one sequence.
fn read_records(
    side: &Side,
    layout: Layout,
    symbols: Symbols,
    role: &str,
    reading: &mut Reading,
) -> anyhow::Result<Vec<Named>> {
    if let Source::Literal(text) = &side.source {
        return Ok(vec![literal(text, role, reading)?]);
    }
    let mut file = open::open(&side.source, &reading.memory)?;
    match layout_of(&mut file, layout, symbols)? {
        layout @ (Layout::Fasta | Layout::Fastq) => records::read_all(file, layout),
        Layout::Auto | Layout::Plain => Ok(vec![read_plain(file, layout, symbols)?]),
    }
}

/// One sequence of letters: a record of a FASTA or FASTQ file, or all letters of a plain one.
///
/// # Errors
/// As [`read`].
pub fn read_letters(
    source: &Source,
    record: Option<&str>,
    reading: &mut Reading,
) -> anyhow::Result<Named> {
    let mut file = open::open(source, &reading.memory)?;
    match file.sniff_layout()? {
        layout @ (Layout::Fasta | Layout::Fastq) => {
            read_record(file, layout, record, "--record takes another", reading)
        }
        Layout::Auto | Layout::Plain => {
            if let Some(record) = record {
                bail!(
                    "--record names the record '{record}', but {} is not FASTA or FASTQ; drop the option",
                    file.name
                );
            }
            let mut all = file.read_all()?;
            all.bytes.retain(|byte| !byte.is_ascii_whitespace());
            Ok(all)
        }
    }
}
