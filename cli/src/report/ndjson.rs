//! Runs of pairs as one JSON object a line.

use std::io::{self, Write};

use swath::Block;

/// `{"a":0,"b":2,"len":7}` for each run.
pub fn write(blocks: &[Block], out: &mut dyn Write) -> io::Result<()> {
    blocks.iter().try_for_each(|block| {
        writeln!(
            out,
            "{{\"a\":{},\"b\":{},\"len\":{}}}",
            block.a, block.b, block.len
        )
    })
}
