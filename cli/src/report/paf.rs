//! Lines of PAF.

use std::fmt::Display;
use std::io::{self, Write};
use std::ops::Range;

use swath::edit_distance::Op;

/// An alignment of a whole query to a piece of a target.
pub struct PafLine<'a, N> {
    pub names: [N; 2],
    pub lens: (usize, usize),
    pub piece: Range<usize>,
    pub ops: &'a [(Op, usize)],
    pub distance: u64,
    pub has_cigar: bool,
}

impl<N: Display> PafLine<'_, N> {
    /// Writes the query, its length, start and end; the strand; the target, its length, start and
    /// end; equal pairs, steps, and no mapping quality.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let ([a, b], (a_len, b_len)) = (&self.names, self.lens);
        let equal = self.ops.iter().filter(|(op, _)| *op == Op::Equal);
        let equal: usize = equal.map(|(_, count)| count).sum();
        let steps: usize = self.ops.iter().map(|(_, count)| count).sum();
        let (Range { start, end }, distance) = (&self.piece, self.distance);
        write!(
            out,
            "{a}\t{a_len}\t0\t{a_len}\t+\t{b}\t{b_len}\t{start}\t{end}\t{equal}\t{steps}\t255\tNM:i:{distance}"
        )?;
        if self.has_cigar {
            write!(out, "\tcg:Z:{}", Op::cigar(self.ops))?;
        }
        writeln!(out)
    }
}
