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
mod reading;
mod records;
mod sniff;
mod source;
mod string_reader;
mod strings;
pub mod symbols;

use anyhow::bail;
use swath::orientation::Orientation;

pub use memory::{Memory, OutOfMemory};
pub use numbers::{MatrixNames, Numbers, Weights};
pub use open::BYTE_ORDER_MARK;
pub use pair_list::read_pairs;
pub use reading::Reading;
pub use source::{Layout, LineFile, Named, Source, Symbols, check_pipes, location};
pub use string_reader::{Hashes, ReadSoFar, Shard, StringReader, read_strings};
pub use strings::{ListFigures, Names, StringList, StringSymbols};
pub use strings::{WORD_BYTES, WordNumbers, characters};
pub(crate) use symbols::with_list;
pub use symbols::{List, Lists, Printed, Words, write_symbols};

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

#[derive(Clone, Debug)]
pub struct Request {
    pub sides: Vec<Side>,
    pub default: DefaultRecords,
    pub layout: Layout,
    pub symbols: Symbols,
    pub ignore_case: bool,
}

#[derive(Clone, Debug)]
pub struct Group {
    pub name: String,
    pub source: String,
    pub records: Vec<String>,
    pub file: Option<LineFile>,
    /// `None` if the record was not to be turned.
    pub orientation: Option<Orientation>,
}

impl Group {
    fn of_record(name: &str, source: String, file: Option<LineFile>) -> Self {
        Self {
            name: name.to_string(),
            source,
            records: vec![name.to_string()],
            file,
            orientation: None,
        }
    }
}

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

    pub fn cut<T>(&self, records: impl IntoIterator<Item = T>) -> Vec<Vec<T>> {
        let mut records = records.into_iter();
        let values = |group: &Group| records.by_ref().take(group.records.len()).collect();
        self.groups.iter().map(values).collect()
    }

    pub fn first_record(&self, input: usize) -> usize {
        let before = self.groups[..input].iter();
        before.map(|group| group.records.len()).sum()
    }

    /// Indices of the records of a pair, ordered by the first input.
    pub fn pair(&self, index: usize) -> [usize; 2] {
        let [queries, targets] = [0, 1].map(|input| self.groups[input].records.len());
        [index / targets, queries + index % targets]
    }

    pub fn ends_record(&self, index: usize) -> bool {
        (index + 1).is_multiple_of(self.groups[1].records.len())
    }

    pub fn pair_count(&self) -> usize {
        let [queries, targets] = [0, 1].map(|input| self.groups[input].records.len());
        (queries * targets).max(1)
    }

    pub fn select(&self, indices: &[usize]) -> Self {
        let group = |&index: &usize| {
            let (mut input, mut record) = (0, index);
            while record >= self.groups[input].records.len() {
                record -= self.groups[input].records.len();
                input += 1;
            }
            let Group {
                source,
                records,
                file,
                ..
            } = &self.groups[input];
            Group::of_record(&records[record], source.clone(), file.clone())
        };
        Self {
            groups: indices.iter().map(group).collect(),
            lists: self.lists.select(indices),
        }
    }

    pub fn bytes(&self) -> Option<&List<u8>> {
        match &self.lists {
            Lists::Bytes(list) => Some(list),
            _ => None,
        }
    }

    /// Turns the first record, if the symbols are bytes.
    pub fn turned(&self, orientation: Orientation) -> Self {
        let mut turned = self.clone();
        turned.groups[0].orientation = Some(orientation);
        if let Lists::Bytes(list) = &mut turned.lists {
            list.change_first(|record| orientation.apply(record));
        }
        turned
    }
}

pub fn read(request: &Request, reading: &mut Reading) -> anyhow::Result<Inputs> {
    check(request)?;
    let (mut groups, mut all) = (Vec::new(), Vec::new());
    for (index, side) in request.sides.iter().enumerate() {
        let role = role(index);
        let records = read_side(side, request, &role, reading)?;
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
            _ => groups.extend(records.iter().map(|record| {
                Group::of_record(&record.name, side.source.name(), record.file.clone())
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

/// Name in messages, and of a literal text: a, b, c, ...
fn role(index: usize) -> String {
    match (b'a'..=b'z').nth(index) {
        Some(letter) => char::from(letter).to_string(),
        None => (index + 1).to_string(),
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

/// A byte order mark is skipped unless the file is taken as it is.
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

fn read_side(
    side: &Side,
    request: &Request,
    role: &str,
    reading: &mut Reading,
) -> anyhow::Result<Vec<Named>> {
    let check_no_record = |name: &str, symbols: Symbols| match (&side.record, symbols) {
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
        check_no_record("the literal text", Symbols::Bytes)?;
        let named = Named::new(role.to_string(), text.clone().into_encoded_bytes());
        reading.memory.hold(&named.name, named.bytes.len() as u64)?;
        return Ok(vec![named]);
    }
    let mut file = open::open(&side.source, &reading.memory)?;
    match layout_of(&mut file, request)? {
        layout @ (Layout::Fasta | Layout::Fastq) => {
            if request.default != DefaultRecords::First && side.record.is_none() {
                reading.has_records = true;
                return records::read_all(file, layout);
            }
            let others = match role {
                "a" | "b" => format!("--record-{role} takes another"),
                _ => "--all-records takes all".to_string(),
            };
            let record = read_record(file, layout, side.record.as_deref(), &others, reading)?;
            Ok(vec![record])
        }
        Layout::Auto | Layout::Plain => {
            check_no_record(&file.name, request.symbols)?;
            Ok(vec![read_plain(file, &side.source, request, reading)?])
        }
    }
}

/// Notes if the record is the first of several by default.
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

/// Without a given layout, bytes and characters end before a final newline.
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

fn note_empty(side: &Side, records: &[Named], reading: &mut Reading) {
    if side.record.is_some() || records.iter().any(|record| !record.bytes.is_empty()) {
        return;
    }
    let file = side.source.name();
    let what = match records {
        [only] => location(&file, &only.name),
        all => format!("{file}: each of its {} records", all.len()),
    };
    reading.notes.push(format!(
        "{what} is empty, and is compared as such; check that it is the right file"
    ));
}

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

/// A record of a FASTA or FASTQ file, or all letters of a plain one.
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
