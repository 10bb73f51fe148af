//! Two aligned records of assemblies, and their differences as rows and as VCF.

use std::borrow::Cow;
use std::io::{self, Write};

use swath::edit_distance::Op;
use swath::orientation::Orientation;

use crate::input::Inputs;
use crate::message::printable;
use crate::report::differences::{Difference, Figures, differences};
use crate::report::vcf;

/// Differences that a summary shows.
pub const SHOWN: usize = 20;
/// Letters of an allele that a summary shows.
const SHOWN_LETTERS: usize = 20;
/// Symbols of the reference that a table shows before and after a difference.
const CONTEXT: usize = 10;

/// A is the target, B the query.
pub struct RecordPair {
    pub a: usize,
    pub b: usize,
    pub orientation: Orientation,
    /// The record of B as turned.
    pub turned: Vec<u8>,
    pub ops: Vec<(Op, usize)>,
    pub figures: Figures,
    /// Number of symbols of the record of B in an anchor, on either strand.
    pub anchored: usize,
    /// Number of anchored symbols that the alignment pairs as their anchor does.
    pub in_order: usize,
}

pub const HEADER: &str = "#a\ta_start\ta_end\tb\tb_position\tstrand\tkind\tref\talt\tbefore\tafter";

pub struct Row<'a> {
    pair: &'a RecordPair,
    names: [&'a str; 2],
    difference: Difference,
    reference: &'a [u8],
}

impl RecordPair {
    fn raw_names<'a>(&self, inputs: &'a Inputs) -> [&'a str; 2] {
        [
            &inputs.groups[0].records[self.a],
            &inputs.groups[1].records[self.b],
        ]
    }

    pub fn names<'a>(&self, inputs: &'a Inputs) -> [Cow<'a, str>; 2] {
        self.raw_names(inputs).map(printable)
    }

    pub fn reference<'a>(&self, inputs: &'a Inputs) -> &'a [u8] {
        inputs
            .bytes()
            .map_or(&[][..], |list| list.printed()[self.a])
    }

    pub fn rows<'a>(&'a self, inputs: &'a Inputs) -> impl Iterator<Item = Row<'a>> {
        let (names, reference) = (self.raw_names(inputs), self.reference(inputs));
        differences(&self.ops).map(move |difference| Row {
            pair: self,
            names,
            difference,
            reference,
        })
    }

    /// Position in B as given of a symbol as turned, or of the last one.
    fn b_position(&self, turned: usize) -> usize {
        match self.turned.len() {
            0 => 0,
            len => self.orientation.position(turned.min(len - 1), len),
        }
    }
}

impl Row<'_> {
    fn alleles(&self) -> [&[u8]; 2] {
        let Difference { a, b, .. } = &self.difference;
        [&self.reference[a.clone()], &self.pair.turned[b.clone()]]
    }

    fn b_position(&self) -> usize {
        self.pair.b_position(self.difference.b.start)
    }

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Difference { kind, a, .. } = &self.difference;
        let ([a_name, b_name], [of_a, of_b]) = (self.names.map(printable), self.alleles());
        let (strand, kind) = (self.pair.orientation.strand, *kind);
        let position = self.b_position();
        write!(
            out,
            "{a_name}\t{}\t{}\t{b_name}\t{position}\t{strand}\t{kind}\t",
            a.start, a.end
        )?;
        let reference = self.reference;
        let before = &reference[a.start.saturating_sub(CONTEXT)..a.start];
        let after = &reference[a.end..(a.end + CONTEXT).min(reference.len())];
        let or_dash = |text: &'_ [u8]| {
            if text.is_empty() {
                b"-".to_vec()
            } else {
                text.to_vec()
            }
        };
        let texts = [of_a, of_b, before, after].map(or_dash);
        out.write_all(&texts.join(&b'\t'))?;
        writeln!(out)
    }

    /// For example `chr:120..121  A > G`; long alleles are shortened.
    pub fn shown(&self) -> String {
        let [of_a, of_b] = self.alleles().map(|allele| match allele.len() {
            0 => "-".to_string(),
            len if len > SHOWN_LETTERS => format!("{len} symbols"),
            _ => String::from_utf8_lossy(allele).into_owned(),
        });
        let (name, a) = (printable(self.names[0]), &self.difference.a);
        format!("{name}:{}..{}  {of_a} > {of_b}", a.start, a.end)
    }

    /// `[start, end, position in B, kind, ref, alt]`.
    pub fn fields(self) -> impl serde::Serialize {
        let [of_a, of_b] = self
            .alleles()
            .map(|allele| String::from_utf8_lossy(allele).into_owned());
        let Difference { kind, a, .. } = &self.difference;
        (a.start, a.end, self.b_position(), *kind, of_a, of_b)
    }
}

/// Insertions into an empty record of A are left out: they have no position.
pub fn write_vcf(inputs: &Inputs, pairs: &[RecordPair], out: &mut dyn Write) -> io::Result<()> {
    let group = &inputs.groups[0];
    let lengths = &inputs.lengths()[0];
    vcf::header(group.records.iter().zip(lengths.iter().copied()), out)?;
    for pair in pairs {
        let ([a_name, b_name], reference) = (pair.raw_names(inputs), pair.reference(inputs));
        let info = format!("BREC={}", vcf::escaped(b_name));
        for (a, b) in vcf::alleles(differences(&pair.ops), reference.len()) {
            let [of_a, of_b] = [&reference[a.clone()], &pair.turned[b.clone()]];
            if of_a.is_empty() {
                continue;
            }
            let [ref_text, alt_text] = vcf::texts([of_a, of_b]);
            write!(out, "{a_name}\t{}\t.\t", a.start + 1)?;
            out.write_all(&ref_text)?;
            out.write_all(b"\t")?;
            out.write_all(if of_b.is_empty() { b"<DEL>" } else { &alt_text })?;
            let position = match pair.turned.len() {
                0 => 0,
                _ => 1 + pair.b_position(b.start),
            };
            let strand = pair.orientation.strand;
            writeln!(out, "\t.\tPASS\t{info};BPOS={position};BSTRAND={strand}")?;
        }
    }
    Ok(())
}
