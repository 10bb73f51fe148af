//! Witness of an edit distance: the alignment and its text forms.

use std::ops::Range;

use super::cigar::cigar;
use super::{Gaps, gaps};
use crate::error::{Error, Result};
use crate::sequences::blocks::{Block, Blocks};
use crate::sequences::codes::Symbol;
use crate::sequences::equal::equal_prefix;

/// Kind of an alignment step, in SAM's terms: `a` is the query, `b` the target.
///
/// ```
/// use swath::edit_distance::Op;
/// use swath::{Edit, Engine, Options};
///
/// let (a, b) = (b"ACGT", b"AGGT");
/// let report = Engine::new(Options::default())?.run(&Edit::of(a, b).path())?;
/// let ops = report.alignment.as_ref().expect("it was asked for").ops(a, b)?;
/// assert_eq!(ops, [(Op::Equal, 1), (Op::Substitute, 1), (Op::Equal, 2)]);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Op {
    /// Match of equal symbols, `=`.
    Equal,
    /// Mismatch, `X`.
    Substitute,
    /// Symbol of `a` opposite a gap, `I`.
    Insert,
    /// Symbol of `b` opposite a gap, `D`.
    Delete,
}

impl Op {
    /// Letter in an extended CIGAR.
    pub fn letter(self) -> char {
        match self {
            Op::Equal => '=',
            Op::Substitute => 'X',
            Op::Insert => 'I',
            Op::Delete => 'D',
        }
    }

    /// Formats runs of steps, as returned by [`Alignment::ops`], as an extended CIGAR; empty for no
    /// runs.
    ///
    /// ```
    /// use swath::edit_distance::Op;
    ///
    /// assert_eq!(Op::cigar(&[(Op::Equal, 3), (Op::Insert, 1)]), "3=1I");
    /// ```
    pub fn cigar(ops: &[(Op, usize)]) -> String {
        Op::clipped(ops, [0; 2])
    }

    /// As [`cigar`](Self::cigar), with symbols of `a` before and behind the alignment as soft clips,
    /// `S`.
    pub fn clipped(ops: &[(Op, usize)], outside: [usize; 2]) -> String {
        let [before, after] = outside.map(|count| (count > 0).then_some((count, 'S')));
        let ops = ops.iter().map(|&(op, count)| (count, op.letter()));
        cigar(before.into_iter().chain(ops).chain(after))
    }
}

/// Alignment of all of `a` to `b` or to a piece of `b`: runs of diagonal steps with gaps between
/// them.
///
/// Positions count symbols of `a` and `b` from 0.
///
/// ```
/// use swath::{Edit, Engine, Options};
///
/// let (a, b) = (b"kitten", b"sitting");
/// let report = Engine::new(Options::default())?.run(&Edit::of(a, b).path())?;
/// let alignment = report.alignment.as_ref().expect("it was asked for");
/// assert_eq!((alignment.cigar(), alignment.cost(a, b)?), ("6M1D".to_string(), 3));
/// assert_eq!(alignment.cigar_extended(a, b)?, "1X3=1X1=1D");
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Alignment {
    blocks: Blocks,
    a_len: usize,
    piece: Range<usize>,
}

impl Alignment {
    /// `blocks` count columns from the start of `piece`.
    pub(crate) fn new(mut blocks: Blocks, a_len: usize, piece: Range<usize>) -> Self {
        blocks.shift(0, piece.start);
        Self {
            blocks,
            a_len,
            piece,
        }
    }

    /// Maximal runs of diagonal steps, in order. Paired symbols may differ. Between two runs lies a
    /// gap in one of the sequences.
    pub fn blocks(&self) -> &[Block] {
        self.blocks.as_slice()
    }

    /// Range of `b` that `a` is aligned to; all of `b` with [`Mode::Global`](super::Mode::Global).
    pub fn piece(&self) -> Range<usize> {
        self.piece.clone()
    }

    /// Steps as run lengths, in order.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] if `a` or `b` is not a sequence of this alignment: `a` has
    /// another length, or `b` ends before [`piece`](Self::piece) does.
    pub fn ops<S: PartialEq>(&self, a: &[S], b: &[S]) -> Result<Vec<(Op, usize)>> {
        self.check_lengths(a, b)?;
        // One match run and one gap per block, plus mismatches inside most blocks.
        let mut ops: Vec<(Op, usize)> = Vec::with_capacity(3 * self.blocks().len());
        let mut push = |op: Op, count: usize| match ops.last_mut() {
            _ if count == 0 => {}
            Some(last) if last.0 == op => last.1 += count,
            _ => ops.push((op, count)),
        };
        let mut next = (0, self.piece.start);
        for block in self.blocks().iter().copied().chain([self.end()]) {
            push(Op::Insert, block.a - next.0);
            push(Op::Delete, block.b - next.1);
            next = (block.a + block.len, block.b + block.len);
            let (mut x, mut y) = (&a[block.a..next.0], &b[block.b..next.1]);
            while !x.is_empty() {
                let equal = equal_prefix(x, y);
                let unequal = x[equal..]
                    .iter()
                    .zip(&y[equal..])
                    .take_while(|(x, y)| x != y)
                    .count();
                push(Op::Equal, equal);
                push(Op::Substitute, unequal);
                (x, y) = (&x[equal + unequal..], &y[equal + unequal..]);
            }
        }
        Ok(ops)
    }

    /// CIGAR with `M` for matches and mismatches; empty for two empty sequences.
    pub fn cigar(&self) -> String {
        let mut next = (0, self.piece.start);
        let runs = self
            .blocks()
            .iter()
            .copied()
            .chain([self.end()])
            .flat_map(|block| {
                let (only_a, only_b) = (block.a - next.0, block.b - next.1);
                next = (block.a + block.len, block.b + block.len);
                [
                    (only_a, Op::Insert.letter()),
                    (only_b, Op::Delete.letter()),
                    (block.len, 'M'),
                ]
            });
        cigar(runs.filter(|&(count, _)| count > 0))
    }

    /// CIGAR with `=` for matches and `X` for mismatches.
    ///
    /// # Errors
    /// As [`ops`](Self::ops).
    pub fn cigar_extended<S: PartialEq>(&self, a: &[S], b: &[S]) -> Result<String> {
        Ok(Op::cigar(&self.ops(a, b)?))
    }

    /// Number of mismatches and gap symbols: the cost in unit costs.
    ///
    /// # Errors
    /// As [`ops`](Self::ops).
    pub fn cost<S: PartialEq + Sync>(&self, a: &[S], b: &[S]) -> Result<u64> {
        self.check_lengths(a, b)?;
        let replayed = self.blocks.replay(a, b, &self.piece)?;
        Ok(replayed.mismatches + self.in_gaps(replayed.steps))
    }

    fn check_lengths<S>(&self, a: &[S], b: &[S]) -> Result<()> {
        if self.a_len == a.len() && self.piece.start <= self.piece.end && self.piece.end <= b.len()
        {
            return Ok(());
        }
        let what = format!(
            "an alignment of {} symbols to the piece {:?} is none of {} symbols to {}",
            self.a_len,
            self.piece,
            a.len(),
            b.len()
        );
        Err(Error::CertificateFailed(what))
    }

    /// Gap symbols, from the number of diagonal steps.
    fn in_gaps(&self, steps: u64) -> u64 {
        (self.a_len + self.piece.len()) as u64 - 2 * steps
    }

    /// Replays every step against both sequences and compares the cost, in linear time.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] if a run is empty, out of range or out of order, or if the cost
    /// is not `distance`.
    pub fn verify<S: PartialEq + Sync>(&self, a: &[S], b: &[S], distance: u64) -> Result<()> {
        match self.cost(a, b)? {
            cost if cost == distance => Ok(()),
            cost => Err(Error::CertificateFailed(format!(
                "an alignment of cost {cost} for a distance of {distance}"
            ))),
        }
    }

    /// Shifts every gap as far to one side as equal symbols allow; gaps that meet are merged.
    pub(super) fn with_gaps_moved<S: Symbol>(&self, a: &[S], b: &[S], gaps: Gaps) -> Self {
        let start = self.piece.start;
        let local = self
            .blocks()
            .iter()
            .map(|block| Block {
                b: block.b - start,
                ..*block
            })
            .collect();
        Self::new(
            gaps::moved(&local, a, &b[self.piece()], gaps),
            self.a_len,
            self.piece(),
        )
    }

    /// Empty run at the end of both sequences.
    fn end(&self) -> Block {
        Block {
            a: self.a_len,
            b: self.piece.end,
            len: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alignment(a_len: usize, piece: Range<usize>, blocks: &[(usize, usize, usize)]) -> Alignment {
        let blocks = blocks
            .iter()
            .map(|&(a, b, len)| Block { a, b, len })
            .collect();
        Alignment::new(blocks, a_len, piece)
    }

    #[test]
    fn every_form_of_an_alignment_has_the_same_steps() {
        let (a, b) = (b"kitten", b"xsitting");
        let found = alignment(6, 1..8, &[(0, 0, 6)]);
        assert_eq!(found.cigar(), "6M1D");
        assert_eq!(
            found.cigar_extended(a, b).expect("they are its sequences"),
            "1X3=1X1=1D"
        );
        assert_eq!(found.cost(a, b).expect("they are its sequences"), 3);
        assert_eq!(found.piece(), 1..8);
        assert_eq!(alignment(0, 0..0, &[]).cigar(), "");
        assert_eq!(
            alignment(2, 0..3, &[])
                .cigar_extended(b"ab", b"cde")
                .expect("as long"),
            "2I3D"
        );
    }

    #[test]
    fn alignments_refuse_other_sequences() {
        let (a, b) = (b"kitten", b"xsitting");
        let found = alignment(6, 1..8, &[(0, 0, 6)]);
        assert!(found.cost(a, b).is_ok());
        for (a, b) in [
            (&a[..5], &b[..]),
            (b"kittens", &b[..]),
            (&a[..], &b[..7]),
            (b"", b""),
        ] {
            let refused = |error: Option<Error>| matches!(error, Some(Error::CertificateFailed(_)));
            assert!(refused(found.ops(a, b).err()), "{a:?} {b:?}");
            assert!(refused(found.cigar_extended(a, b).err()), "{a:?} {b:?}");
            assert!(refused(found.cost(a, b).err()), "{a:?} {b:?}");
        }
    }

    #[test]
    fn verification_fails_for_another_distance() {
        let (a, b) = (b"kitten", b"sitting");
        let fails = |found: &Alignment, distance| found.verify(a, b, distance).is_err();
        let good = alignment(6, 0..7, &[(0, 0, 6)]);
        assert!(!fails(&good, 3));
        assert!(fails(&good, 2), "another distance");
        assert!(fails(&alignment(6, 0..7, &[(0, 1, 6)]), 3), "another cost");
        assert!(
            fails(&alignment(6, 0..7, &[(0, 0, 3), (2, 4, 3)]), 4),
            "out of order"
        );
        assert!(
            fails(&alignment(6, 0..7, &[(0, 0, 7)]), 3),
            "past the end of a"
        );
        assert!(
            fails(&alignment(6, 0..6, &[(0, 1, 6)]), 3),
            "past the end of the piece"
        );
        assert!(
            fails(&alignment(5, 0..7, &[(0, 0, 5)]), 3),
            "of another query"
        );
        assert!(
            fails(&alignment(6, 0..8, &[(0, 0, 6)]), 4),
            "of another target"
        );
    }
}
