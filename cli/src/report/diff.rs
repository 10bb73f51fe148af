//! Differences: unified diffs of lines and tokens, inline marks for bytes and characters, and edit
//! scripts.

use std::io::{self, Write};
use std::ops::Range;

use swath::Block;

use crate::input::{Inputs, List, Lists, Printed, Words, printable};

/// Common lines shown around a change.
const CONTEXT: usize = 3;

/// Symbols only in `a`, symbols only in `b`, then a run of pairs; each may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edit {
    only_a: Range<usize>,
    only_b: Range<usize>,
    /// Positions of the run in `a`.
    common: Range<usize>,
}

/// Edits from `a` to the piece of `b`, in order; the last has an empty run.
fn edits(blocks: &[Block], a_len: usize, piece: Range<usize>) -> impl Iterator<Item = Edit> {
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

/// Writes `120= 3D 1I` on one line: pairs, symbols only in `a`, symbols only in `b`; deletions
/// before insertions.
pub fn write_ops(
    blocks: &[Block],
    a_len: usize,
    b_len: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut separator = "";
    for edit in edits(blocks, a_len, 0..b_len) {
        let counts = [
            (edit.only_a.len(), 'D'),
            (edit.only_b.len(), 'I'),
            (edit.common.len(), '='),
        ];
        for (count, op) in counts.into_iter().filter(|&(count, _)| count > 0) {
            write!(out, "{separator}{count}{op}")?;
            separator = " ";
        }
    }
    writeln!(out)
}

/// Writes the differences between `a` and the piece of `b`. The unified diff of equal inputs is
/// empty.
pub fn write(
    inputs: &Inputs,
    piece: Range<usize>,
    blocks: &[Block],
    out: &mut dyn Write,
) -> io::Result<()> {
    let (list, words) = match &inputs.lists {
        Lists::Bytes(list) => return inline(list, piece, blocks, out),
        Lists::Chars(list) => return inline(list, piece, blocks, out),
        Lists::Words(list, words) => (list, words),
    };
    let printed = list.printed();
    let hunks = hunks(blocks, printed[0].len(), piece);
    if !hunks.is_empty() {
        let name = |input: usize| printable(&inputs.groups[input].name);
        writeln!(out, "--- {}\n+++ {}", name(0), name(1))?;
    }
    let mut hunks = hunks.iter();
    hunks.try_for_each(|hunk| hunk.write((printed[0], printed[1]), words, out))
}

/// Writes common runs as is, with `[-only a-]` and `{+only b+}` between them, then a newline.
fn inline<S: Printed>(
    list: &List<S>,
    piece: Range<usize>,
    blocks: &[Block],
    out: &mut dyn Write,
) -> io::Result<()> {
    let printed = list.printed();
    let (a, b) = (printed[0], printed[1]);
    for edit in edits(blocks, a.len(), piece) {
        if !edit.only_a.is_empty() {
            out.write_all(b"[-")?;
            S::print(&a[edit.only_a], None, out)?;
            out.write_all(b"-]")?;
        }
        if !edit.only_b.is_empty() {
            out.write_all(b"{+")?;
            S::print(&b[edit.only_b], None, out)?;
            out.write_all(b"+}")?;
        }
        S::print(&a[edit.common], None, out)?;
    }
    writeln!(out)
}

/// Lines of `a` replaced by lines of `b`; one range may be empty.
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
    /// End of the last change in `a`.
    fn last_end(&self) -> usize {
        self.changes.last().map_or(0, |(only_a, _)| only_a.end)
    }

    /// Ranges of `a` and `b` shown by the hunk.
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

    fn write(
        &self,
        (a, b): (&[u32], &[u32]),
        words: &Words,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (shown_a, shown_b) = self.ranges();
        writeln!(out, "@@ -{} +{} @@", place(&shown_a), place(&shown_b))?;
        let mut lines = |mark: &[u8], lines: &[u32]| {
            lines.iter().try_for_each(|&line| {
                out.write_all(mark)?;
                out.write_all(words.text(line))?;
                out.write_all(b"\n")
            })
        };
        let mut next = shown_a.start;
        for (only_a, only_b) in &self.changes {
            lines(b" ", &a[next..only_a.start])?;
            lines(b"-", &a[only_a.clone()])?;
            lines(b"+", &b[only_b.clone()])?;
            next = only_a.end;
        }
        lines(b" ", &a[next..shown_a.end])
    }
}

/// First line from 1, and the count unless it is 1. An empty range names the line before it.
fn place(range: &Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}
