//! Alignments in PAF.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};
use std::ops::Range;

use swath::edit_distance::Op;
use swath::orientation::Orientation;
use swath::substring::Strand;

use super::differences::{Figures, redivided, runs};
use crate::dna::is_nucleotide;

#[derive(Clone, Copy)]
pub struct Named<'a> {
    pub name: &'a dyn Display,
    pub len: usize,
}

/// An alignment of a query, except symbols outside of the target, to a piece of the target.
pub struct PafAlignment<'a> {
    pub query: Named<'a>,
    /// How the query was turned before it was aligned.
    pub orientation: Orientation,
    pub target: Named<'a>,
    /// Symbols of the query as turned, before and behind the alignment.
    pub outside: [usize; 2],
    pub start: usize,
    pub ops: &'a [(Op, usize)],
    pub has_cigar: bool,
    /// Set if the tag cs is written, which needs symbols.
    pub has_cs: bool,
    /// The query as turned, and the target, if they are bytes.
    pub symbols: Option<[&'a [u8]; 2]>,
}

impl PafAlignment<'_> {
    /// Writes one line, or two if the origin of the query lies within the alignment: PAF has no
    /// circular sequences.
    ///
    /// The columns are query, its length, start and end on its forward strand; strand; the same of
    /// the target; equal pairs, columns, no mapping quality. The tags are `tp` (primary), `NM`
    /// (edits), `AS` (edits, negated), `de` (gap-compressed divergence), and `cg` and
    /// `cs` if asked for. The case of nucleotides makes no difference.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut parts = split(
            &self.ops_without_case(),
            self.query.len - self.orientation.start - self.outside[0],
        );
        parts.retain(|ops| !ops.is_empty());
        if parts.is_empty() {
            parts.push(Vec::new());
        }
        let (mut q, mut t) = (self.outside[0], self.start);
        for ops in parts {
            let (query_len, target_len) = lengths(&ops);
            self.line(&ops, q..q + query_len, t..t + target_len, out)?;
            (q, t) = (q + query_len, t + target_len);
        }
        Ok(())
    }

    /// Nucleotides in different cases are equal.
    fn ops_without_case(&self) -> Cow<'_, [(Op, usize)]> {
        let Some([query, target]) = self.symbols else {
            return Cow::Borrowed(self.ops);
        };
        let (query_len, target_len) = lengths(self.ops);
        let target = &target[self.start..][..target_len];
        let mut letters = query[..query_len].iter().chain(target);
        if !letters.all(|&one| is_nucleotide(one)) {
            return Cow::Borrowed(self.ops);
        }
        let is_equal = |op, x: u8, y| op == Op::Equal || x.eq_ignore_ascii_case(&y);
        Cow::Owned(redivided(self.ops, query, target, is_equal))
    }

    fn line(
        &self,
        ops: &[(Op, usize)],
        in_query: Range<usize>,
        in_target: Range<usize>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Orientation { strand, start } = self.orientation;
        let (query, target) = (self.query, self.target);
        // On the strand, without the rotation; a part never crosses the origin.
        let before = self.outside[0];
        let first = if in_query.start == before {
            start + before
        } else {
            0
        };
        let last = first + in_query.len();
        let (first, last) = match strand {
            Strand::Forward => (first, last),
            Strand::Reverse => (query.len - last, query.len - first),
        };
        let figures = Figures::of(ops);
        let (equal, columns, edits) = (figures.equal, figures.columns(), figures.edits());
        write!(
            out,
            "{}\t{}\t{first}\t{last}\t{strand}\t{}\t{}\t{}\t{}\t{equal}\t{columns}\t255",
            query.name, query.len, target.name, target.len, in_target.start, in_target.end
        )?;
        let score = -(edits as i64);
        let divergence = figures.gap_compressed_divergence();
        write!(
            out,
            "\ttp:A:P\tNM:i:{edits}\tAS:i:{score}\tde:f:{divergence:.4}"
        )?;
        if self.has_cigar {
            write!(out, "\tcg:Z:{}", Op::cigar(ops))?;
        }
        if let Some([a, b]) = self.symbols.filter(|_| self.has_cs) {
            out.write_all(b"\tcs:Z:")?;
            write_cs(ops, &a[in_query], &b[in_target], out)?;
        }
        writeln!(out)
    }
}

/// Splits an alignment in two after `symbols` of the query.
fn split(ops: &[(Op, usize)], symbols: usize) -> Vec<Vec<(Op, usize)>> {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut left = symbols;
    for &(op, len) in ops {
        let here = match op {
            Op::Delete if left > 0 || after.is_empty() => len,
            Op::Delete => 0,
            _ => len.min(left),
        };
        left -= if op == Op::Delete { 0 } else { here };
        before.extend((here > 0).then_some((op, here)));
        after.extend((len > here).then_some((op, len - here)));
    }
    vec![before, after]
}

fn lengths(ops: &[(Op, usize)]) -> (usize, usize) {
    let end = runs(ops, 0).last();
    end.map_or((0, 0), |(_, query, target)| (query.end, target.end))
}

/// Writes the short form of minimap2's tag cs: `:6*ag+gt-c`.
fn write_cs(
    ops: &[(Op, usize)],
    query: &[u8],
    target: &[u8],
    out: &mut dyn Write,
) -> io::Result<()> {
    for (op, in_query, in_target) in runs(ops, 0) {
        let (of_query, of_target) = (&query[in_query], &target[in_target]);
        match op {
            Op::Equal => write!(out, ":{}", of_query.len())?,
            Op::Substitute => {
                for (q, t) in of_query.iter().zip(of_target) {
                    out.write_all(&[b'*', t.to_ascii_lowercase(), q.to_ascii_lowercase()])?;
                }
            }
            Op::Insert => write_gap(b"+", of_query, out)?,
            Op::Delete => write_gap(b"-", of_target, out)?,
        }
    }
    Ok(())
}

fn write_gap(sign: &[u8], symbols: &[u8], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(sign)?;
    out.write_all(&symbols.to_ascii_lowercase())
}
