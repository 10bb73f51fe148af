//! Recognition of FASTA and FASTQ by their first lines, or later in a text, and of other formats by
//! their first bytes.

use super::lines::{is_blank, is_space, split};
use super::source::Layout;

/// Layout of a file that begins with `head`; `None` if more of the file is needed.
///
/// Records may follow blank lines and comments, lines that start with `;` or `#`. After comments
/// they have to look like records, as other texts have such lines too.
pub fn layout(head: &[u8], is_whole: bool) -> Option<Layout> {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let complete = if is_whole {
        head.len()
    } else {
        head.iter().rposition(is_end).map_or(0, |end| end + 1)
    };
    let (complete, cut_line) = head.split_at(complete);
    let mut lines = split(complete);
    let mut has_comment = false;
    loop {
        let here = lines.clone();
        match lines.next() {
            Some(line) if is_blank(line) => {}
            Some([b';' | b'#', ..]) => has_comment = true,
            Some([b'>', ..]) if !has_comment => return Some(Layout::Fasta),
            Some([b'@', ..]) if !has_comment => match here.clone().nth(2) {
                Some([b'+', ..]) => return Some(Layout::Fastq),
                None if !is_whole => return None,
                _ => return record(here).or(is_whole.then_some(Layout::Plain)),
            },
            Some(_) => return record(here).or(is_whole.then_some(Layout::Plain)),
            None if is_whole => return Some(Layout::Plain),
            None => break,
        }
    }
    match cut_line.iter().find(|&&byte| !is_space(byte))? {
        b'>' if !has_comment => Some(Layout::Fasta),
        b'>' | b'@' | b';' | b'#' => None,
        _ => Some(Layout::Plain),
    }
}

/// First bytes, name, and the way to the sequences.
const OTHER_FORMATS: [(&[u8], &str, &str); 23] = [
    (b"LOCUS ", "GenBank", ANY2FASTA),
    (b"ID   ", "EMBL", ANY2FASTA),
    (b"# STOCKHOLM", "Stockholm", ANY2FASTA),
    (b"CLUSTAL ", "Clustal", ANY2FASTA),
    (b"CLUSTALW ", "Clustal", ANY2FASTA),
    (b"#NEXUS", "NEXUS", ANY2FASTA),
    (
        b"##gff-version",
        "GFF",
        "take the FASTA file of its sequences",
    ),
    (b"##fileformat=VCF", "VCF", BCFTOOLS),
    (b"BCF\x02", "BCF", BCFTOOLS),
    (b"@HD\t", "SAM", SAMTOOLS),
    (b"@SQ\t", "SAM", SAMTOOLS),
    (b"@RG\t", "SAM", SAMTOOLS),
    (b"@PG\t", "SAM", SAMTOOLS),
    (b"@CO\t", "SAM", SAMTOOLS),
    (b"BAM\x01", "BAM", SAMTOOLS),
    (b"CRAM\x02", "CRAM", SAMTOOLS),
    (b"CRAM\x03", "CRAM", SAMTOOLS),
    (b"H\tVN:Z:", "GFA", "write its segments as FASTA"),
    (b"\x43\x27\x41\x1a", "2bit", TWO_BIT),
    (b"\x1a\x41\x27\x43", "2bit", TWO_BIT),
    (b"\x3a\x3d\xe9\x6b", "nib", NIB),
    (b"\x6b\xe9\x3d\x3a", "nib", NIB),
    (b"ABIF\0", "ABI trace", "convert it with seqret"),
];
const ANY2FASTA: &str = "convert it with any2fasta";
const SAMTOOLS: &str = "convert it with samtools fasta";
const BCFTOOLS: &str = "apply it to its reference with bcftools consensus";
const TWO_BIT: &str = "convert it with twoBitToFa";
const NIB: &str = "convert it with nibFrag";

pub fn other_format(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let found = OTHER_FORMATS
        .iter()
        .find(|(magic, ..)| head.starts_with(magic));
    found.map(|&(_, format, remedy)| (format, remedy))
}

/// Number of the first line, from 1, that looks like a record.
pub fn records_in(text: &[u8]) -> Option<(usize, Layout)> {
    let mut lines = split(text);
    let mut number = 0;
    loop {
        let here = lines.clone();
        let line = lines.next()?;
        number += 1;
        if matches!(line, [b'>' | b'@', ..])
            && let Some(found @ (Layout::Fasta | Layout::Fastq)) = record(here)
        {
            return Some((number, found));
        }
    }
}

/// Layout of a record that begins with the first line, or plain; `None` if that is not clear.
fn record<'a>(mut lines: impl Iterator<Item = &'a [u8]>) -> Option<Layout> {
    let found = |is_found: bool, layout| Some(if is_found { layout } else { Layout::Plain });
    match lines.next()? {
        [b'>', name, ..] if name.is_ascii_alphanumeric() || *name == b'_' => {
            let line = lines.find(|line| !is_blank(line))?;
            found(is_sequence(line), Layout::Fasta)
        }
        [b'@', title @ ..] if is_sequence(lines.next()?) => {
            match lines.find(|line| !is_sequence(line))? {
                [b'+', again @ ..] => found(again.is_empty() || again == title, Layout::Fastq),
                _ => Some(Layout::Plain),
            }
        }
        _ => Some(Layout::Plain),
    }
}

/// Returns `true` for one word of letters, gaps and stops.
fn is_sequence(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let is_symbol = |byte: &u8| byte.is_ascii_alphabetic() || b"-.*".contains(byte);
    !line.is_empty() && line.iter().all(is_symbol)
}
