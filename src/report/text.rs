//! The subsequence itself.

use std::io::{self, Write};

use swath::lcs::subsequence::Block;

use crate::input::{Pair, Sequences};

/// Bytes and characters as they are, with nothing added; lines with a newline each; tokens between spaces on one line.
pub fn write(sequences: &Sequences, blocks: &[Block], out: &mut dyn Write) -> io::Result<()> {
    match sequences {
        Sequences::Bytes(pair) => runs(pair, blocks).try_for_each(|run| out.write_all(run)),
        Sequences::Chars(pair) => {
            runs(pair, blocks).try_for_each(|run| out.write_all(run.iter().collect::<String>().as_bytes()))
        }
        Sequences::Lines { pair, words } => {
            for &line in runs(pair, blocks).flatten() {
                out.write_all(&words[line as usize])?;
                out.write_all(b"\n")?;
            }
            Ok(())
        }
        Sequences::Tokens { pair, words } => {
            for (place, &token) in runs(pair, blocks).flatten().enumerate() {
                if place > 0 {
                    out.write_all(b" ")?;
                }
                out.write_all(&words[token as usize])?;
            }
            writeln!(out)
        }
    }
}

fn runs<'a, S>(pair: &'a Pair<S>, blocks: &'a [Block]) -> impl Iterator<Item = &'a [S]> {
    blocks.iter().map(|block| &pair.a[block.a..block.a + block.len])
}
