//! Inputs from files, stdin or arguments: FASTA, FASTQ or plain; bytes, characters, lines or
//! tokens.

mod compression;
#[cfg(test)]
mod fuzz;
mod lines;
mod memory;
mod numbers;
mod open;
mod pair_list;
mod records;
mod sniff;
mod source;
mod strings;
mod symbols;

use std::ffi::OsString;

use anyhow::bail;
use swath::orientation::Orientation;

pub use memory::{Memory, OutOfMemory};
pub use numbers::{MatrixNames, Numbers, Weights};
pub use open::BYTE_ORDER_MARK;
pub use pair_list::read_pairs;
pub use source::{Layout, LineFile, Named, Source, Symbols, check_pipes, place, printable};
pub use strings::{Names, StringList, StringSymbols, characters, read_strings, tokens};
pub(crate) use symbols::with_list;
pub use symbols::{List, Lists, Printed, Words, write_symbols};

/// Source of an input and its record.
#[derive(Clone, Debug)]
pub struct Side {
    pub source: Source,
    /// Name of the record of a FASTA or FASTQ file.
    pub record: Option<String>,
}

/// Records used if none is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultRecords {
    First,
    /// All, as one input.
    Grouped,
    /// All, as separate inputs.
    Each,
}

/// Sources and reading options of all inputs.
#[derive(Clone, Debug)]
pub struct Request {
    pub sides: Vec<Side>,
    pub default: DefaultRecords,
    pub layout: Layout,
    pub symbols: Symbols,
    pub ignore_case: bool,
}

/// Name of an input and of its records.
#[derive(Clone, Debug)]
pub struct Group {
    pub name: String,
    /// Name of its file.
    pub source: String,
    pub records: Vec<String>,
    /// Set for a file of lines.
    pub file: Option<LineFile>,
    /// How the record was turned after it was read; `None` if that was not asked for.
    pub orientation: Option<Orientation>,
}

/// Inputs; `lists` has their records in order.
#[derive(Clone, Debug)]
pub struct Inputs {
    pub groups: Vec<Group>,
    pub lists: Lists,
}

impl Inputs {
    /// Lengths of all records in symbols, by input.
    pub fn lengths(&self) -> Vec<Vec<usize>> {
        self.cut(self.lists.lengths())
    }

    /// Lengths of the first two inputs, which have one record each.
    pub fn pair_lengths(&self) -> (usize, usize) {
        let lengths = self.lists.lengths();
        (lengths[0], lengths[1])
    }

    /// Groups values of all records by input.
    pub fn cut<T>(&self, records: impl IntoIterator<Item = T>) -> Vec<Vec<T>> {
        let mut records = records.into_iter();
        let of = |group: &Group| records.by_ref().take(group.records.len()).collect();
        self.groups.iter().map(of).collect()
    }

    /// Index pairs of the records of the first and the second input, ordered by the first.
    pub fn pairs(&self) -> Vec<[usize; 2]> {
        let queries = self.groups[0].records.len();
        let targets = queries..queries + self.groups[1].records.len();
        let of = |a| targets.clone().map(move |b| [a, b]);
        (0..queries).flat_map(of).collect()
    }

    /// Number of these pairs, at least one.
    pub fn pair_count(&self) -> usize {
        let [queries, targets] = [0, 1].map(|at| self.groups[at].records.len());
        (queries * targets).max(1)
    }

    /// The records at these indices as separate inputs.
    pub fn select(&self, places: &[usize]) -> Self {
        let group = |&at: &usize| {
            let (mut of, mut place) = (0, at);
            while place >= self.groups[of].records.len() {
                place -= self.groups[of].records.len();
                of += 1;
            }
            let group = &self.groups[of];
            let name = &group.records[place];
            Group {
                name: name.clone(),
                source: group.source.clone(),
                records: vec![name.clone()],
                file: group.file.clone(),
                orientation: None,
            }
        };
        Self {
            groups: places.iter().map(group).collect(),
            lists: self.lists.select(places),
        }
    }

    /// The same with the first record turned, if the symbols are bytes.
    pub fn turned(&self, orientation: Orientation) -> Self {
        let mut turned = self.clone();
        turned.groups[0].orientation = Some(orientation);
        if let Lists::Bytes(list) = &mut turned.lists {
            list.change_first(|record| orientation.apply(record));
        }
        turned
    }
}

/// Memory account of a call, and notes on the files for the user.
pub struct Reading {
    pub memory: Memory,
    /// One line each.
    pub notes: Vec<String>,
    /// Notes on texts, which apply if they are compared with records.
    notes_beside_records: Vec<String>,
    has_records: bool,
}

impl Reading {
    /// Creates a reading with a memory limit in bytes.
    pub fn within(limit: u64) -> Self {
        Self {
            memory: Memory::new(limit),
            notes: Vec::new(),
            notes_beside_records: Vec::new(),
            has_records: false,
        }
    }

    /// The notes that apply after all inputs are read.
    pub fn final_notes(&self) -> impl Iterator<Item = &String> {
        let beside = self.notes_beside_records.iter();
        self.notes.iter().chain(beside.filter(|_| self.has_records))
    }

    /// Notes on a text, of which the first line is `head`, that is no sequence. `as_it_is` is the
    /// option for a text.
    fn note_text(&mut self, name: &str, head: &[u8], text: &[u8], as_it_is: &str) {
        if let Some((format, remedy)) = sniff::other_format(head) {
            self.notes.push(format!(
                "{name} looks like {format}, but is taken as plain text, with all that is no sequence; \
                 {remedy}, or give {as_it_is} for a text"
            ));
        } else if let Some(byte) = text.iter().find(|byte| !byte.is_ascii_graphic()) {
            self.notes_beside_records.push(format!(
                "{name} is neither FASTA nor FASTQ, as the other input is, and all its bytes are compared, \
                 such as '{}'; convert it to FASTA",
                byte.escape_ascii()
            ));
        }
    }
}

/// Reads all inputs.
///
/// # Errors
/// One line with the file, the position and a remedy.
pub fn read(request: &Request, reading: &mut Reading) -> anyhow::Result<Inputs> {
    check(request)?;
    let (mut groups, mut all) = (Vec::new(), Vec::new());
    for (place, side) in request.sides.iter().enumerate() {
        let role = role(place);
        let first = request.default == DefaultRecords::First || side.record.is_some();
        let records = if first {
            vec![read_side(side, request, &role, reading)?]
        } else {
            read_records(side, request, &role, reading)?
        };
        let is_file = !matches!(side.source, Source::Literal(_));
        if is_file && request.symbols == Symbols::Bytes && request.layout != Layout::Plain {
            note_empty(side, &records, reading);
        }
        match (request.default, &records[..]) {
            (DefaultRecords::Grouped, [_, _, ..]) => groups.push(Group {
                name: side.source.name(),
                source: side.source.name(),
                records: records.iter().map(|record| record.name.clone()).collect(),
                file: None,
                orientation: None,
            }),
            _ => groups.extend(records.iter().map(|record| Group {
                name: record.name.clone(),
                source: side.source.name(),
                records: vec![record.name.clone()],
                file: record.file.clone(),
                orientation: None,
            })),
        }
        all.extend(records);
    }
    let lists = Lists::new(all, request.symbols, request.ignore_case, &reading.memory)?;
    // The symbols replace the file contents.
    reading.memory.release(u64::MAX);
    let records = groups.iter().flat_map(|group| &group.records);
    let records: u64 = records
        .map(|name| records::RECORD_BYTES + 3 * name.len() as u64)
        .sum();
    reading
        .memory
        .hold(symbols::ALL, lists.size_bytes() + records)?;
    Ok(Inputs { groups, lists })
}

/// Name of an input in messages, and of a literal text: a, b, c, ...
fn role(place: usize) -> String {
    match (b'a'..=b'z').nth(place) {
        Some(letter) => char::from(letter).to_string(),
        None => (place + 1).to_string(),
    }
}

fn check(request: &Request) -> anyhow::Result<()> {
    check_pipes(request.sides.iter().map(|side| &side.source))?;
    let by_records = matches!(request.layout, Layout::Fasta | Layout::Fastq);
    if by_records && matches!(request.symbols, Symbols::Lines | Symbols::Tokens) {
        bail!(
            "FASTA and FASTQ records have no lines or tokens; use --symbols bytes, or --input plain"
        );
    }
    Ok(())
}

/// Layout of an open file, by its first lines with [`Layout::Auto`]. A byte order mark is skipped
/// unless the file is taken as it is.
fn layout_of(file: &mut open::OpenInput, request: &Request) -> anyhow::Result<Layout> {
    if request.layout == Layout::Auto {
        file.skip_mark()?;
    }
    match request.layout {
        Layout::Auto if request.symbols == Symbols::Bytes => file.sniff_layout(),
        Layout::Auto => Ok(Layout::Plain),
        given => Ok(given),
    }
}

fn literal(text: &OsString, role: &str, reading: &Reading) -> anyhow::Result<Named> {
    let named = Named::new(role.to_string(), text.clone().into_encoded_bytes());
    reading.memory.hold(&named.name, named.bytes.len() as u64)?;
    Ok(named)
}

fn read_side(
    side: &Side,
    request: &Request,
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
    match layout_of(&mut file, request)? {
        found @ (Layout::Fasta | Layout::Fastq) => {
            let others = match role {
                "a" | "b" => format!("--record-{role} takes another"),
                _ => "--all-records takes all".to_string(),
            };
            read_record(file, found, side.record.as_deref(), &others, reading)
        }
        Layout::Auto | Layout::Plain => {
            no_record(&file.name, request.symbols)?;
            read_plain(file, &side.source, request, reading)
        }
    }
}

/// Reads one record, with a note if it is the first of several by default.
fn read_record(
    file: open::OpenInput,
    layout: Layout,
    wanted: Option<&str>,
    others: &str,
    reading: &mut Reading,
) -> anyhow::Result<Named> {
    reading.has_records = true;
    let file_name = file.name.clone();
    let records::SelectedRecord { record, has_more } = records::read(file, layout, wanted)?;
    if has_more {
        let name = &record.name;
        reading.notes.push(format!(
            "{file_name} has more records than '{name}', the first, which is taken; {others}"
        ));
    }
    Ok(record)
}

/// Reads a whole file. Without a given layout, bytes and characters end before a final newline, and
/// a file that looks like records is noted.
fn read_plain(
    file: open::OpenInput,
    source: &Source,
    request: &Request,
    reading: &mut Reading,
) -> anyhow::Result<Named> {
    let has_mark = file.has_mark;
    let mut all = file.read_all()?;
    match request.symbols {
        Symbols::Bytes | Symbols::Chars if request.layout == Layout::Auto => {
            let is_cr = all.bytes.last() == Some(&b'\r');
            if is_cr || all.bytes.pop_if(|last| *last == b'\n').is_some() {
                all.bytes.pop_if(|last| *last == b'\r');
            }
            note_records(&all, reading);
        }
        Symbols::Lines => {
            all.file = Some(LineFile {
                path: match source {
                    Source::File(path) => Some(path.clone()),
                    Source::Stdin | Source::Literal(_) => None,
                },
                has_mark,
                is_unended: all.bytes.last().is_some_and(|last| *last != b'\n'),
                ends_are_cr: symbols::line_end(&all.bytes) == b'\r',
            });
        }
        Symbols::Bytes | Symbols::Chars | Symbols::Tokens => {}
    }
    Ok(all)
}

/// Notes that an input by default, or each of its records, is empty.
fn note_empty(side: &Side, records: &[Named], reading: &mut Reading) {
    if side.record.is_some() || records.iter().any(|record| !record.bytes.is_empty()) {
        return;
    }
    let file = side.source.name();
    let what = match records {
        [only] => place(&file, &only.name),
        all => format!("{file}: each of its {} records", all.len()),
    };
    reading.notes.push(format!(
        "{what} is empty, and is compared as such; check that it is the right file"
    ));
}

/// Notes that a plain text looks like records or another format.
fn note_records(text: &Named, reading: &mut Reading) {
    let bytes = &text.bytes;
    let found = sniff::records_in(bytes).filter(|_| sniff::other_format(bytes).is_none());
    let Some((line, layout)) = found else {
        return reading.note_text(&text.name, bytes, bytes, "--input plain");
    };
    let (format, option) = match layout {
        Layout::Fastq => ("FASTQ", "fastq"),
        _ => ("FASTA", "fasta"),
    };
    reading.notes.push(format!(
        "{} looks like {format} from line {line} on, but is taken as plain text, with its headers; \
         give --input {option}, or --input plain for a text",
        text.name
    ));
}

/// Reads all records of an input; a plain file is one sequence.
fn read_records(
    side: &Side,
    request: &Request,
    role: &str,
    reading: &mut Reading,
) -> anyhow::Result<Vec<Named>> {
    if let Source::Literal(text) = &side.source {
        return Ok(vec![literal(text, role, reading)?]);
    }
    let mut file = open::open(&side.source, &reading.memory)?;
    match layout_of(&mut file, request)? {
        layout @ (Layout::Fasta | Layout::Fastq) => {
            reading.has_records = true;
            records::read_all(file, layout)
        }
        Layout::Auto | Layout::Plain => Ok(vec![read_plain(file, &side.source, request, reading)?]),
    }
}

/// Reads one sequence of letters: a record of a FASTA or FASTQ file, or all letters of a plain one.
///
/// # Errors
/// Errors of [`read`].
pub fn read_letters(
    source: &Source,
    record: Option<&str>,
    reading: &mut Reading,
) -> anyhow::Result<Named> {
    let mut file = open::open(source, &reading.memory)?;
    file.as_it_is = "correct the file";
    file.skip_mark()?;
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
            if let Some((format, remedy)) = sniff::other_format(&all.bytes) {
                bail!(
                    "{} looks like {format}, which is not read; {remedy}",
                    all.name
                );
            }
            all.bytes.retain(|&byte| !lines::is_space(byte));
            Ok(all)
        }
    }
}
