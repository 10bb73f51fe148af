//! Runs of pairs as a table.

use std::io::{self, Write};

use swath::Block;

/// A header that starts with `#`, then position in `a`, position in `b` and length, from 0, between tabs.
pub fn write(blocks: &[Block], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "#a\tb\tlen")?;
    blocks
        .iter()
        .try_for_each(|block| writeln!(out, "{}\t{}\t{}", block.a, block.b, block.len))
}
