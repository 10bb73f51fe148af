//! Alignments in SAM, from which those in BAM are made.

use std::io::{self, Write};

use anyhow::bail;
use swath::edit_distance::Op;
use swath::substring::Strand;

use super::differences::Figures;
use crate::input::{Inputs, Lists, printable};

/// Flag of a query that was reverse complemented.
const REVERSE: u32 = 16;
/// Flag of a further alignment of a query.
const SECONDARY: u32 = 256;

/// Checks that SAM can hold the symbols and the names.
///
/// # Errors
/// For symbols that are no letters.
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
    Ok(())
}

/// Name without white space.
pub(super) fn name(name: &str) -> String {
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
    let edits = Figures::of(ops).edits();
    let or_star = |text: String| {
        if text.is_empty() {
            "*".to_string()
        } else {
            text
        }
    };
    let cigar = or_star(Op::cigar(ops));
    let letters = or_star(String::from_utf8_lossy(list.printed()[0]).into_owned());
    let score = -(edits as i64);
    writeln!(
        out,
        "{query}\t{flags}\t{target}\t{}\t255\t{cigar}\t*\t0\t0\t{letters}\t*\tNM:i:{edits}\tAS:i:{score}",
        start + 1
    )
}
