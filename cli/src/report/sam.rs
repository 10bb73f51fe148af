//! Alignments in SAM, from which those in BAM are made.

use std::collections::HashSet;
use std::io::{self, Write};

use anyhow::bail;
use swath::edit_distance::Op;
use swath::substring::Strand;

use super::differences::{Figures, redivided};
use crate::input::{Inputs, Lists};
use crate::message::printable;

/// Flag of a query without an alignment.
const UNMAPPED: u32 = 4;
/// Flag of a query that was reverse complemented.
const REVERSE: u32 = 16;
/// Flag of a further alignment of a query.
const SECONDARY: u32 = 256;

/// Limits of SAM for the name of a query and the symbols of a target.
const MAX_NAME: usize = 254;
const MAX_TARGET: usize = i32::MAX as usize;

pub fn check(inputs: &Inputs) -> anyhow::Result<()> {
    let Lists::Bytes(list) = &inputs.lists else {
        bail!(
            "--format sam and bam are for sequences of bytes; take ops, diff or json for other symbols"
        );
    };
    if !list.printed().into_iter().all(are_letters) {
        bail!("--format sam and bam are for sequences of letters; take paf or ops for other bytes");
    }
    for record in &inputs.groups[0].records {
        check_query(record)?;
    }
    Header::of(inputs).map(drop)
}

pub fn are_letters(symbols: &[u8]) -> bool {
    let is_letter = |&one: &u8| one.is_ascii_alphabetic() || b"=.".contains(&one);
    symbols.iter().all(is_letter)
}

pub fn check_query(query: &str) -> anyhow::Result<()> {
    let name = name(query);
    let is_visible = |byte: u8| byte.is_ascii_graphic() && byte != b'@';
    let has_length = (1..=MAX_NAME).contains(&name.len());
    if !has_length || name == "*" || !name.bytes().all(is_visible) {
        bail!(
            "--format sam and bam: '{name}' is not a name of a query, which has 1 to {MAX_NAME} ASCII characters without '@'; rename the record, or take paf"
        );
    }
    Ok(())
}

#[derive(Default)]
pub struct Header {
    names: HashSet<String>,
    targets: Vec<u8>,
}

impl Header {
    fn of(inputs: &Inputs) -> anyhow::Result<Self> {
        let mut header = Self::default();
        for (record, &len) in inputs.groups[1].records.iter().zip(&inputs.lengths()[1]) {
            header.add(record, len)?;
        }
        Ok(header)
    }

    /// # Errors
    /// If SAM cannot hold the name or length, or has the name already.
    pub fn add(&mut self, target: &str, len: usize) -> anyhow::Result<()> {
        let name = name(target);
        if !is_reference_name(&name) {
            bail!(
                "--format sam and bam: '{name}' is not a name of a target, which has ASCII characters other than {NOT_IN_NAMES} and does not begin with * or =; rename the record, or take paf"
            );
        }
        if !(1..=MAX_TARGET).contains(&len) {
            bail!(
                "--format sam and bam: target '{name}' has {len} symbols, and SAM has targets of 1 to {MAX_TARGET}; leave it out, or take paf"
            );
        }
        writeln!(self.targets, "@SQ\tSN:{name}\tLN:{len}")?;
        if let Some(name) = self.names.replace(name) {
            bail!(
                "--format sam and bam: two targets are named '{name}', which readers cannot tell apart; rename one, or take paf"
            );
        }
        Ok(())
    }

    pub fn write(&self, command: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "@HD\tVN:1.6\tSO:unknown\tGO:query")?;
        out.write_all(&self.targets)?;
        let version = env!("CARGO_PKG_VERSION");
        write!(out, "@PG\tID:swath\tPN:swath\tVN:{version}")?;
        if let Some(command) = command {
            write!(out, "\tCL:{}", printable(command))?;
        }
        writeln!(out)
    }
}

/// Characters that names of reference sequences do not have.
const NOT_IN_NAMES: &str = r#"\,"'`()[]{}<>"#;

/// Names of SAM and VCF.
pub(super) fn is_reference_name(name: &str) -> bool {
    let is_allowed = |letter: char| letter.is_ascii_graphic() && !NOT_IN_NAMES.contains(letter);
    !name.is_empty() && !name.starts_with(['*', '=']) && name.chars().all(is_allowed)
}

/// Pairs that `samtools calmd` counts as matches: the same IUPAC letter of DNA except N, or `=` for
/// the target's letter.
fn is_match(query: u8, target: u8) -> bool {
    let is_same = query.eq_ignore_ascii_case(&target);
    query == b'=' || is_same && b"ACGTRYSWKMBDHV".contains(&query.to_ascii_uppercase())
}

fn name(name: &str) -> String {
    printable(name).replace(char::is_whitespace, "_")
}

pub fn header(inputs: &Inputs, out: &mut dyn Write) -> anyhow::Result<()> {
    Ok(Header::of(inputs)?.write(None, out)?)
}

/// CIGAR and NM compare the printed bases, AS is the score as computed.
pub struct Mapping {
    start: usize,
    cigar: Box<str>,
    edits: usize,
    score: i64,
}

impl Mapping {
    /// `letters` are turned as they lie along `target`. The query has symbols before and behind
    /// them that cost `outside_cost` edits.
    pub fn new(
        letters: &[u8],
        target: &[u8],
        start: usize,
        ops: &[(Op, usize)],
        outside: [usize; 2],
        outside_cost: usize,
    ) -> Self {
        let score = -((Figures::of(ops).edits() + outside_cost) as i64);
        let ops = redivided(ops, letters, &target[start..], |_, a, b| is_match(a, b));
        Self {
            start,
            cigar: Op::clipped(&ops, outside).into(),
            edits: Figures::of(&ops).edits(),
            score,
        }
    }

    pub fn size_bytes(&self) -> u64 {
        (size_of::<Self>() + self.cigar.len()) as u64
    }
}

/// A query, turned as it lies along its target.
pub struct Query<'a> {
    pub name: &'a str,
    pub strand: Strand,
    pub letters: &'a [u8],
    /// Base qualities as in FASTQ.
    pub quality: Option<&'a [u8]>,
}

impl Query<'_> {
    /// No mapping quality, no mate, the tags NM and AS. One alignment of a query is primary.
    pub fn write(
        &self,
        target: &str,
        mapping: &Mapping,
        is_best: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let flags = match self.strand {
            Strand::Forward => 0,
            Strand::Reverse => REVERSE,
        } + if is_best { 0 } else { SECONDARY };
        let (target, position) = (name(target), mapping.start + 1);
        let cigar = or_star(mapping.cigar.as_bytes());
        self.line(
            format_args!("{flags}\t{target}\t{position}\t255"),
            cigar,
            out,
        )?;
        writeln!(out, "\tNM:i:{}\tAS:i:{}", mapping.edits, mapping.score)
    }

    pub fn write_unmapped(&self, out: &mut dyn Write) -> io::Result<()> {
        self.line(format_args!("{UNMAPPED}\t*\t0\t0"), b"*", out)?;
        writeln!(out)
    }

    fn line(
        &self,
        columns: std::fmt::Arguments<'_>,
        cigar: &[u8],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        write!(out, "{}\t{columns}\t", name(self.name))?;
        out.write_all(cigar)?;
        out.write_all(b"\t*\t0\t0\t")?;
        out.write_all(or_star(self.letters))?;
        out.write_all(b"\t")?;
        out.write_all(or_star(self.quality.unwrap_or_default()))
    }
}

fn or_star(text: &[u8]) -> &[u8] {
    if text.is_empty() { b"*" } else { text }
}

/// Of several targets of a query, the nearest is primary, and among equals the first.
pub fn write(
    inputs: &Inputs,
    ops: &[(Op, usize)],
    start: usize,
    is_best: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Lists::Bytes(list) = &inputs.lists else {
        return Ok(());
    };
    let [letters, target] = [0, 1].map(|at| list.printed()[at]);
    let query = Query {
        name: &inputs.groups[0].name,
        strand: inputs.groups[0].orientation.unwrap_or_default().strand,
        letters,
        quality: None,
    };
    let mapping = Mapping::new(letters, target, start, ops, [0; 2], 0);
    query.write(&inputs.groups[1].name, &mapping, is_best, out)
}
