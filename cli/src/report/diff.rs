//! Differences: a unified diff of lines and tokens; marks inside the text for bytes and characters.

use std::io::{self, Write};
use std::ops::Range;

use swath::Block;

use super::edits::edits;
use super::inline_diff;
use crate::input::{Inputs, Pair, Sequences, printable};

/// Common lines shown around a change.
const CONTEXT: usize = 3;

/// Writes what differs between `a` and the piece of `b`; a unified diff of equal inputs is empty.
pub fn write(
    inputs: &Inputs,
    piece: Range<usize>,
    blocks: &[Block],
    out: &mut dyn Write,
) -> io::Result<()> {
    match &inputs.sequences {
        Sequences::Bytes(pair) => {
            inline_diff::write((&pair.a, &pair.b), piece, blocks, out, |run, out| {
                out.write_all(run)
            })
        }
        Sequences::Chars(pair) => {
            inline_diff::write((&pair.a, &pair.b), piece, blocks, out, |run, out| {
                out.write_all(run.iter().collect::<String>().as_bytes())
            })
        }
        Sequences::Lines { pair, words } | Sequences::Tokens { pair, words } => {
            let hunks = hunks(blocks, pair.a.len(), piece);
            if !hunks.is_empty() {
                writeln!(
                    out,
                    "--- {}\n+++ {}",
                    printable(&inputs.a_name),
                    printable(&inputs.b_name)
                )?;
            }
            hunks
                .iter()
                .try_for_each(|hunk| hunk.write(pair, words, out))
        }
    }
}

/// Lines of `a` replaced by lines of `b`; one of the ranges may be empty.
type Change = (Range<usize>, Range<usize>);

/// Changes with at most `2 * CONTEXT` common lines between neighbours.
#[derive(Debug, Default)]
struct Hunk {
    changes: Vec<Change>,
    a_len: usize,
}

fn hunks(blocks: &[Block], a_len: usize, piece: Range<usize>) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for edit in edits(blocks, a_len, piece) {
        let change = (edit.only_a, edit.only_b);
        if change.0.is_empty() && change.1.is_empty() {
            continue;
        }
        match hunks.last_mut() {
            Some(hunk) if change.0.start - hunk.last_end() <= 2 * CONTEXT => {
                hunk.changes.push(change)
            }
            _ => hunks.push(Hunk {
                changes: vec![change],
                a_len,
            }),
        }
    }
    hunks
}

impl Hunk {
    /// The end in `a` of the last change.
    fn last_end(&self) -> usize {
        self.changes.last().map_or(0, |(only_a, _)| only_a.end)
    }

    /// The ranges of `a` and `b` that the hunk shows.
    fn ranges(&self) -> Change {
        let ((first_a, first_b), (last_a, last_b)) =
            (&self.changes[0], &self.changes[self.changes.len() - 1]);
        let before = CONTEXT.min(first_a.start);
        let after = CONTEXT.min(self.a_len - last_a.end);
        (
            first_a.start - before..last_a.end + after,
            first_b.start - before..last_b.end + after,
        )
    }

    fn write(&self, pair: &Pair<u32>, words: &[Vec<u8>], out: &mut dyn Write) -> io::Result<()> {
        let (shown_a, shown_b) = self.ranges();
        writeln!(out, "@@ -{} +{} @@", place(&shown_a), place(&shown_b))?;
        let mut lines = |mark: &[u8], lines: &[u32]| {
            lines.iter().try_for_each(|&line| {
                out.write_all(mark)?;
                out.write_all(&words[line as usize])?;
                out.write_all(b"\n")
            })
        };
        let mut next = shown_a.start;
        for (only_a, only_b) in &self.changes {
            lines(b" ", &pair.a[next..only_a.start])?;
            lines(b"-", &pair.a[only_a.clone()])?;
            lines(b"+", &pair.b[only_b.clone()])?;
            next = only_a.end;
        }
        lines(b" ", &pair.a[next..shown_a.end])
    }
}

/// First line from 1 and count, the count left out where it is 1; an empty range names the line before it.
fn place(range: &Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}
