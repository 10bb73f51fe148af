//! The edit script in run lengths.

use std::io::{self, Write};

use swath::Block;

use super::edits::edits;

/// `120= 3D 1I` on one line: pairs, symbols only in `a`, symbols only in `b`; deletions before insertions.
pub fn write(
    blocks: &[Block],
    (a_len, b_len): (usize, usize),
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut separator = "";
    for edit in edits(blocks, a_len, 0..b_len) {
        for (count, op) in [
            (edit.only_a.len(), 'D'),
            (edit.only_b.len(), 'I'),
            (edit.common.len(), '='),
        ] {
            if count > 0 {
                write!(out, "{separator}{count}{op}")?;
                separator = " ";
            }
        }
    }
    writeln!(out)
}
