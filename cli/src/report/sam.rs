//! Alignments in SAM, from which those in BAM are made.

use std::collections::HashSet;
use std::io::{self, Write};

use anyhow::bail;
use swath::edit_distance::Op;
use swath::substring::Strand;

use super::differences::{Figures, redivided};
use crate::input::{Inputs, Lists};
use crate::message::printable;

/// Flag of a query that was reverse complemented.
const REVERSE: u32 = 16;
/// Flag of a further alignment of a query.
const SECONDARY: u32 = 256;

/// Maximum bytes of a query's name, and symbols of a target.
const MAX_NAME: usize = 254;
const MAX_TARGET: usize = i32::MAX as usize;

/// Checks that SAM and BAM can hold the symbols, names and lengths.
pub fn check(inputs: &Inputs) -> anyhow::Result<()> {
    let Lists::Bytes(list) = &inputs.lists else {
        bail!(
            "--format sam and bam are for sequences of bytes; take ops, diff or json for other symbols"
        );
    };
    let letters = |record: &[u8]| {
        record
            .iter()
            .all(|&one| one.is_ascii_alphabetic() || b"=.".contains(&one))
    };
    if !list.printed().into_iter().all(letters) {
        bail!("--format sam and bam are for sequences of letters; take paf or ops for other bytes");
    }
    for record in &inputs.groups[0].records {
        let name = name(record);
        let is_visible = |byte: u8| byte.is_ascii_graphic() && byte != b'@';
        let has_length = (1..=MAX_NAME).contains(&name.len());
        if !has_length || name == "*" || !name.bytes().all(is_visible) {
            bail!(
                "--format sam and bam: '{name}' is not a name of a query, which has 1 to {MAX_NAME} ASCII characters without '@'; rename the record, or take paf"
            );
        }
    }
    let mut names = HashSet::new();
    for (record, &len) in inputs.groups[1].records.iter().zip(&inputs.lengths()[1]) {
        let name = name(record);
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
        if let Some(name) = names.replace(name) {
            bail!(
                "--format sam and bam: two targets are named '{name}', which readers cannot tell apart; rename one, or take paf"
            );
        }
    }
    Ok(())
}

/// Characters that names of reference sequences do not have.
const NOT_IN_NAMES: &str = r#"\,"'`()[]{}<>"#;

/// Returns `true` for names of reference sequences in SAM and VCF.
pub(super) fn is_reference_name(name: &str) -> bool {
    let is_allowed = |letter: char| letter.is_ascii_graphic() && !NOT_IN_NAMES.contains(letter);
    !name.is_empty() && !name.starts_with(['*', '=']) && name.chars().all(is_allowed)
}

/// Returns `true` for pairs that `samtools calmd` counts as matches: the same IUPAC letter of DNA,
/// except N, in either case, or `=` for the target's letter.
fn is_match(query: u8, target: u8) -> bool {
    let is_same = query.eq_ignore_ascii_case(&target);
    query == b'=' || is_same && b"ACGTRYSWKMBDHV".contains(&query.to_ascii_uppercase())
}

fn name(name: &str) -> String {
    printable(name).replace(char::is_whitespace, "_")
}

/// Writes the header with the records of the second input.
pub fn header(inputs: &Inputs, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "@HD\tVN:1.6\tSO:unknown\tGO:query")?;
    let lengths = inputs.lengths();
    for (target, len) in inputs.groups[1].records.iter().zip(&lengths[1]) {
        writeln!(out, "@SQ\tSN:{}\tLN:{len}", name(target))?;
    }
    writeln!(
        out,
        "@PG\tID:swath\tPN:swath\tVN:{}",
        env!("CARGO_PKG_VERSION")
    )
}

/// Writes the line of a pair: no mapping quality, no mate, no base qualities, the tags NM and AS.
/// CIGAR and NM compare the printed bases, AS is the score of the alignment as computed.
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
    let strand = inputs.groups[0].orientation.unwrap_or_default().strand;
    let mut flags = if strand == Strand::Reverse {
        REVERSE
    } else {
        0
    };
    flags |= if is_best { 0 } else { SECONDARY };
    let [query, target] = [0, 1].map(|at| name(&inputs.groups[at].name));
    let [letters, reference] = [0, 1].map(|at| list.printed()[at]);
    let score = -(Figures::of(ops).edits() as i64);
    let ops = redivided(ops, letters, &reference[start..], |_, a, b| is_match(a, b));
    let edits = Figures::of(&ops).edits();
    let or_star = |text: String| {
        if text.is_empty() {
            "*".to_string()
        } else {
            text
        }
    };
    let cigar = or_star(Op::cigar(&ops));
    let letters = or_star(String::from_utf8_lossy(letters).into_owned());
    writeln!(
        out,
        "{query}\t{flags}\t{target}\t{}\t255\t{cigar}\t*\t0\t0\t{letters}\t*\tNM:i:{edits}\tAS:i:{score}",
        start + 1
    )
}
