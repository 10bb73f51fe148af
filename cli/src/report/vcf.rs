//! Differences as VCF.

use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::Range;

use anyhow::bail;

use super::differences::Difference;
use super::sam::is_reference_name;
use crate::dna::is_nucleotide;
use crate::message::printable;

pub fn header<'a>(
    contigs: impl Iterator<Item = (&'a String, usize)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "##fileformat=VCFv4.3")?;
    writeln!(out, "##source=swath {}", env!("CARGO_PKG_VERSION"))?;
    for (name, len) in contigs {
        writeln!(out, "##contig=<ID={name},length={len}>")?;
    }
    for (id, kind, what) in [
        ("BREC", "String", "Record of the second input"),
        (
            "BPOS",
            "Integer",
            "Position there of the first symbol as read, from 1, on its forward strand",
        ),
        ("BSTRAND", "String", "Strand that is read there"),
    ] {
        writeln!(
            out,
            "##INFO=<ID={id},Number=1,Type={kind},Description=\"{what}\">"
        )?;
    }
    writeln!(out, "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO")
}

pub fn check_names<'a>(names: impl IntoIterator<Item = &'a str>) -> anyhow::Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        if !is_reference_name(name) {
            bail!(
                "'{name}' is no name of a contig in VCF; rename the record, or take --format tsv"
            );
        }
        if !seen.insert(name) {
            bail!(
                "two records of the first input are named '{name}', which VCF cannot tell apart; rename one, or take --format tsv"
            );
        }
    }
    Ok(())
}

pub fn check_letters<'a>(
    records: impl IntoIterator<Item = (&'a String, &'a [u8])>,
) -> anyhow::Result<()> {
    for (name, record) in records {
        if let Some(position) = record.iter().position(|&one| !is_nucleotide(one)) {
            bail!(
                "'{}' at position {position} of '{}' is no letter of DNA, and VCF has no other letters; take --format tsv",
                record[position].escape_ascii(),
                printable(name)
            );
        }
    }
    Ok(())
}

/// Differences without an equal symbol between them are one record, and a gap includes the symbol
/// before it, or the one after it at the start of the reference.
pub fn alleles(
    differences: impl Iterator<Item = Difference>,
    a_len: usize,
) -> Vec<(Range<usize>, Range<usize>)> {
    let mut records: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut touching: Option<Difference> = None;
    let mut push = |one: Difference| {
        let Difference { mut a, mut b, .. } = one;
        if a.is_empty() || b.is_empty() {
            if a.start > 0 && b.start > 0 {
                (a.start, b.start) = (a.start - 1, b.start - 1);
            } else if a.end < a_len {
                (a.end, b.end) = (a.end + 1, b.end + 1);
            }
        }
        match records.last_mut() {
            // Both include the first symbol of the reference.
            Some(last) if last.0.end > a.start => (last.0.end, last.1.end) = (a.end, b.end),
            _ => records.push((a, b)),
        }
    };
    for next in differences {
        match &mut touching {
            Some(last) if last.a.end == next.a.start && last.b.end == next.b.start => {
                (last.a.end, last.b.end) = (next.a.end, next.b.end);
            }
            _ => {
                touching.replace(next).into_iter().for_each(&mut push);
            }
        }
    }
    touching.into_iter().for_each(&mut push);
    records
}

/// Letters of nucleotides that VCF has.
pub const LETTERS: &[u8] = b"ACGTN";

/// Texts of two alleles that differ: an IUPAC letter becomes its first base, or N if both texts
/// would be equal.
pub fn texts(alleles: [&[u8]; 2]) -> [Vec<u8>; 2] {
    let mut texts = alleles.map(|allele| allele.iter().map(|&one| letter(one)).collect::<Vec<_>>());
    if texts[0] == texts[1] {
        let is_ambiguous = |one: &u8| !b"ACGTUN".contains(&one.to_ascii_uppercase());
        let changed = usize::from(!alleles[0].iter().any(is_ambiguous));
        for (letter, symbol) in texts[changed].iter_mut().zip(alleles[changed]) {
            if is_ambiguous(symbol) {
                *letter = b'N';
            }
        }
    }
    texts
}

/// VCF takes the first letter that an IUPAC code stands for.
fn letter(symbol: u8) -> u8 {
    match symbol.to_ascii_uppercase() {
        b'U' => b'T',
        b'R' | b'M' | b'W' | b'D' | b'H' | b'V' => b'A',
        b'Y' | b'S' | b'B' => b'C',
        b'K' => b'G',
        letter @ (b'A' | b'C' | b'G' | b'T') => letter,
        _ => b'N',
    }
}

pub fn escaped(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            '%' | ';' | '=' | ',' | ' ' => escaped += &format!("%{:02X}", u32::from(letter)),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use swath::edit_distance::Op;

    use super::super::differences::differences;
    use super::*;

    #[test]
    fn records_have_both_alleles_and_do_not_overlap() {
        for (ops, a_len, expected) in [
            (
                vec![(Op::Equal, 3), (Op::Insert, 2), (Op::Equal, 1)],
                4,
                vec![(2..3, 2..5)],
            ),
            (vec![(Op::Delete, 2), (Op::Equal, 4)], 6, vec![(0..3, 0..1)]),
            (
                vec![
                    (Op::Insert, 1),
                    (Op::Equal, 1),
                    (Op::Delete, 1),
                    (Op::Equal, 1),
                ],
                3,
                vec![(0..2, 0..2)],
            ),
            (
                vec![
                    (Op::Equal, 1),
                    (Op::Substitute, 2),
                    (Op::Delete, 1),
                    (Op::Equal, 1),
                ],
                5,
                vec![(1..4, 1..3)],
            ),
            (
                vec![(Op::Insert, 1), (Op::Substitute, 1)],
                1,
                vec![(0..1, 0..2)],
            ),
        ] {
            assert_eq!(alleles(differences(&ops), a_len), expected, "{ops:?}");
        }
    }

    #[test]
    fn alleles_differ_though_an_iupac_letter_becomes_a_base() {
        for (alleles, expected) in [
            (["R", "g"], ["A", "G"]),
            (["r", "A"], ["N", "A"]),
            (["A", "R"], ["A", "N"]),
            (["R", "M"], ["N", "A"]),
            (["RR", "AN"], ["AA", "AN"]),
            (["RA", "AR"], ["NA", "AA"]),
            (["N", "c"], ["N", "C"]),
            (["uK", "TG"], ["TN", "TG"]),
            (["CR", "C"], ["CA", "C"]),
        ] {
            let texts = texts(alleles.map(str::as_bytes));
            assert_eq!(
                texts,
                expected.map(|text| text.as_bytes().to_vec()),
                "{alleles:?}"
            );
        }
    }

    #[test]
    fn names_that_vcf_cannot_hold_are_refused() {
        assert!(check_names(["chr1", "gi|386593590|ref|NC_017625.1|"]).is_ok());
        for names in [
            ["a", "a"],
            ["a", "b c"],
            ["a", "<b>"],
            ["", "a"],
            ["*a", "b"],
        ] {
            assert!(check_names(names).is_err(), "{names:?}");
        }
    }
}
