//! The witness: which symbols of `a` pair with which of `b`.

use crate::error::{Error, Result};

/// A run of pairs: `a[a..a + len]` equals `b[b..b + len]` symbol by symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// First position in `a`, from 0.
    pub a: usize,
    /// First position in `b`, from 0.
    pub b: usize,
    /// Pairs in the run, at least 1.
    pub len: usize,
}

/// A common subsequence as maximal runs of pairs, in increasing order of both positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subsequence {
    blocks: Vec<Block>,
}

impl Subsequence {
    /// The runs, maximal and in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Number of paired symbols.
    pub fn len(&self) -> u64 {
        self.blocks.iter().map(|block| block.len as u64).sum()
    }

    /// Whether nothing is paired.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The paired symbols themselves, taken from `a`.
    pub fn symbols<'a, S: Copy>(&'a self, a: &'a [S]) -> impl Iterator<Item = S> + 'a {
        self.blocks.iter().flat_map(move |block| a[block.a..block.a + block.len].iter().copied())
    }

    /// Appends a run, joining it to the last one where they touch.
    pub fn push(&mut self, block: Block) {
        if block.len == 0 {
            return;
        }
        match self.blocks.last_mut() {
            Some(last) if last.a + last.len == block.a && last.b + last.len == block.b => last.len += block.len,
            _ => self.blocks.push(block),
        }
    }

    /// Appends all of `other`, its positions moved by (`a`, `b`).
    pub fn append(&mut self, other: &Subsequence, a: usize, b: usize) {
        for block in &other.blocks {
            self.push(Block { a: block.a + a, b: block.b + b, len: block.len });
        }
    }

    /// Exchanges the roles of `a` and `b`.
    pub fn swap(&mut self) {
        self.blocks.iter_mut().for_each(|block| std::mem::swap(&mut block.a, &mut block.b));
    }

    /// Pairs `prefix` symbols before all others, which move back by as many in both sequences.
    pub fn prepend(&mut self, prefix: usize) {
        if prefix == 0 {
            return;
        }
        for block in &mut self.blocks {
            block.a += prefix;
            block.b += prefix;
        }
        match self.blocks.first_mut() {
            Some(first) if first.a == prefix && first.b == prefix => {
                *first = Block { a: 0, b: 0, len: first.len + prefix };
            }
            _ => self.blocks.insert(0, Block { a: 0, b: 0, len: prefix }),
        }
    }

    /// The runs of a walk from the last cell to the first, each of them maximal.
    pub(crate) fn from_walk(mut runs: Vec<Block>) -> Self {
        runs.reverse();
        Self { blocks: runs }
    }

    /// The certificate: replays every pair against both sequences and counts them.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] when a run is empty, out of range, out of order or pairs unequal symbols, or when the
    /// number of pairs is not `length`.
    pub fn verify<S: PartialEq>(&self, a: &[S], b: &[S], length: u64) -> Result<()> {
        let (mut next_a, mut next_b) = (0, 0);
        for block in &self.blocks {
            let in_range = a.len().checked_sub(block.len).is_some_and(|last| block.a <= last)
                && b.len().checked_sub(block.len).is_some_and(|last| block.b <= last);
            if block.len == 0 || !in_range || block.a < next_a || block.b < next_b {
                return Err(Error::CertificateFailed(format!("run {block:?} is empty, out of range or out of order")));
            }
            (next_a, next_b) = (block.a + block.len, block.b + block.len);
            if a[block.a..next_a] != b[block.b..next_b] {
                return Err(Error::CertificateFailed(format!("run {block:?} pairs unequal symbols")));
            }
        }
        if self.len() != length {
            return Err(Error::CertificateFailed(format!("{} pairs prove a length of {length}", self.len())));
        }
        Ok(())
    }
}

impl FromIterator<Block> for Subsequence {
    fn from_iter<I: IntoIterator<Item = Block>>(blocks: I) -> Self {
        let mut subsequence = Subsequence::default();
        blocks.into_iter().for_each(|block| subsequence.push(block));
        subsequence
    }
}
