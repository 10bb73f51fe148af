//! Runs of pairs as edits: what lies between them on either side.

use std::ops::Range;

use swath::Block;

/// Symbols that only `a` has, symbols that only `b` has, then a run of pairs; any of the three may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub only_a: Range<usize>,
    pub only_b: Range<usize>,
    /// The run, as positions in `a`.
    pub common: Range<usize>,
}

/// The edits that turn `a` into the piece of `b`, in order; the last has an empty run.
pub fn edits(blocks: &[Block], a_len: usize, piece: Range<usize>) -> impl Iterator<Item = Edit> {
    let end = Block {
        a: a_len,
        b: piece.end,
        len: 0,
    };
    let mut next = (0, piece.start);
    blocks.iter().copied().chain([end]).map(move |block| {
        let edit = Edit {
            only_a: next.0..block.a,
            only_b: next.1..block.b,
            common: block.a..block.a + block.len,
        };
        next = (block.a + block.len, block.b + block.len);
        edit
    })
}
