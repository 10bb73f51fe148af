//! Sequences as they are: bytes and characters with nothing added; lines with a newline each; tokens between spaces on one line.

use std::io::{self, Write};

use swath::Block;

use crate::input::{Pair, Sequences};

/// The subsequence itself.
pub fn write(sequences: &Sequences, blocks: &[Block], out: &mut dyn Write) -> io::Result<()> {
    match sequences {
        Sequences::Bytes(pair) => bytes(runs(pair, blocks), out),
        Sequences::Chars(pair) => chars(runs(pair, blocks), out),
        Sequences::Lines { pair, words } => lines(runs(pair, blocks), words, out),
        Sequences::Tokens { pair, words } => tokens(runs(pair, blocks), words, out),
    }
}

fn runs<'a, S>(pair: &'a Pair<S>, blocks: &'a [Block]) -> impl Iterator<Item = &'a [S]> {
    blocks
        .iter()
        .map(|block| &pair.a[block.a..block.a + block.len])
}

pub fn bytes<'a>(mut runs: impl Iterator<Item = &'a [u8]>, out: &mut dyn Write) -> io::Result<()> {
    runs.try_for_each(|run| out.write_all(run))
}

pub fn chars<'a>(
    mut runs: impl Iterator<Item = &'a [char]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    runs.try_for_each(|run| out.write_all(run.iter().collect::<String>().as_bytes()))
}

pub fn lines<'a>(
    runs: impl Iterator<Item = &'a [u32]>,
    words: &[Vec<u8>],
    out: &mut dyn Write,
) -> io::Result<()> {
    for &line in runs.flatten() {
        out.write_all(&words[line as usize])?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

pub fn tokens<'a>(
    runs: impl Iterator<Item = &'a [u32]>,
    words: &[Vec<u8>],
    out: &mut dyn Write,
) -> io::Result<()> {
    for (place, &token) in runs.flatten().enumerate() {
        if place > 0 {
            out.write_all(b" ")?;
        }
        out.write_all(&words[token as usize])?;
    }
    writeln!(out)
}
