//! Records of a FASTA or FASTQ file.

use std::io::{Cursor, Read};

use anyhow::{anyhow, bail};
use needletail::errors::{ParseError, ParseErrorKind};
use needletail::parse_fastx_reader;

use super::memory::with_room;
use super::open::Opened;
use super::{Layout, Named, printable};

/// Maximum number of names in the message on an unknown record.
const LISTED: usize = 8;

/// A record, and whether the file has more.
pub struct Found {
    pub record: Named,
    pub has_more: bool,
}

/// Reads the record named `wanted` (first word of the header or whole header), or the first one.
pub fn read(file: Opened, layout: Layout, wanted: Option<&str>) -> anyhow::Result<Found> {
    let file_name = file.name.clone();
    let (mut found, mut seen, mut count) = (None, Vec::new(), 0usize);
    each(file, layout, |header, record, has_more| {
        if wanted.is_none_or(|wanted| wanted == record.name || wanted == header) {
            // `has_more` is needed only for the first record by default.
            found = Some(Found {
                record,
                has_more: wanted.is_none() && has_more(),
            });
            return false;
        }
        count += 1;
        if seen.len() < LISTED {
            seen.push(printable(&record.name).into_owned());
        }
        true
    })?;
    match (found, wanted) {
        (Some(found), _) => Ok(found),
        (None, wanted) => {
            let more = if count > LISTED {
                format!(" and {} more", count - LISTED)
            } else {
                String::new()
            };
            bail!(
                "{file_name} has no record '{}'; it has {}{more}",
                wanted.unwrap_or_default(),
                seen.join(", ")
            )
        }
    }
}

/// Bytes of a record besides its letters and name, in the lists of the command and of the call.
pub const RECORD_BYTES: u64 = 640;

/// Reads all records.
pub fn read_all(file: Opened, layout: Layout) -> anyhow::Result<Vec<Named>> {
    let (file_name, memory) = (file.name.clone(), file.memory.clone());
    let (mut records, mut held) = (Vec::new(), Ok(()));
    each(file, layout, |_, record, _| {
        let bytes = RECORD_BYTES + record.name.len() as u64;
        records.push(record);
        held = memory.hold(&file_name, bytes);
        held.is_ok()
    })?;
    held?;
    Ok(records)
}

/// Passes each record to `take` with its whole header and a check for further records, until `take`
/// returns `false`. A file without records is an error; a FASTA record may be empty.
fn each(
    mut file: Opened,
    layout: Layout,
    mut take: impl FnMut(&str, Named, &mut dyn FnMut() -> bool) -> bool,
) -> anyhow::Result<()> {
    file.skip_to_records()?;
    let file_name = file.name.clone();
    let (format, first) = if layout == Layout::Fastq {
        ("FASTQ", b'@')
    } else {
        ("FASTA", b'>')
    };
    let (mut reader, broken) = file.into_parts();
    let none = || {
        anyhow!("{file_name} has no {format} record; use --input plain to take the file as it is")
    };

    let mut head = Vec::new();
    reader
        .by_ref()
        .take(2)
        .read_to_end(&mut head)
        .map_err(|error| broken(&error.to_string()))?;
    if head.first() != Some(&first) {
        return Err(none());
    }
    // The parser rejects a header at the end of the file, but a FASTA record may be empty.
    let end: &[u8] = if layout == Layout::Fasta {
        b"\n\n"
    } else {
        b""
    };
    let malformed = |error: ParseError| match error.kind {
        ParseErrorKind::Io => broken(&error.msg),
        ParseErrorKind::EmptyFile => none(),
        ParseErrorKind::UnexpectedEnd => {
            anyhow!(
                "{file_name}: {format} record cut short at {}; fetch the file again, or use --input plain",
                error.position
            )
        }
        _ => anyhow!(
            "{file_name}: malformed {format} at {}: {}",
            error.position,
            error.msg
        ),
    };

    let mut parser =
        parse_fastx_reader(Cursor::new(head).chain(reader).chain(end)).map_err(malformed)?;
    let mut any = false;
    while let Some(record) = parser.next() {
        let record = record.map_err(malformed)?;
        any = true;
        let header = String::from_utf8_lossy(record.id()).into_owned();
        let name = header.split_whitespace().next().unwrap_or_default();
        let name = if name.is_empty() {
            file_name.clone()
        } else {
            name.to_string()
        };
        let mut bytes = with_room(&file_name, record.num_bases())?;
        // The runs between line ends, like `record.seq()`, with a fallible allocation.
        record
            .raw_seq()
            .split(|byte| matches!(byte, b'\r' | b'\n'))
            .for_each(|run| bytes.extend_from_slice(run));
        if !take(&header, Named { name, bytes }, &mut || {
            parser.next().is_some()
        }) {
            return Ok(());
        }
    }
    if any { Ok(()) } else { Err(none()) }
}
