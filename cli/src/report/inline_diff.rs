//! Differences inside running text.

use std::io::{self, Write};
use std::ops::Range;

use swath::Block;

use super::edits::edits;

/// `a` and the piece of `b`: common runs as they are, `[-only a-]` and `{+only b+}` between them, then a newline.
pub fn write<S>(
    (a, b): (&[S], &[S]),
    piece: Range<usize>,
    blocks: &[Block],
    out: &mut dyn Write,
    symbols: impl Fn(&[S], &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    for edit in edits(blocks, a.len(), piece) {
        if !edit.only_a.is_empty() {
            out.write_all(b"[-")?;
            symbols(&a[edit.only_a], out)?;
            out.write_all(b"-]")?;
        }
        if !edit.only_b.is_empty() {
            out.write_all(b"{+")?;
            symbols(&b[edit.only_b], out)?;
            out.write_all(b"+}")?;
        }
        symbols(&a[edit.common], out)?;
    }
    writeln!(out)
}
