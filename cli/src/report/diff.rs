//! Differences: unified diffs of lines and tokens, inline marks for bytes and characters, and edit
//! scripts.

use std::io::{self, Write};
use std::ops::Range;

use anyhow::bail;
use swath::Block;

use crate::input::{BYTE_ORDER_MARK, Group, Inputs, LineFile, List, Lists, Printed, Words};

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

/// The last edit has an empty run.
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

/// Pairs, symbols only in `a`, symbols only in `b`; deletions before insertions: `120= 3D 1I`.
pub fn write_ops(
    blocks: &[Block],
    a_len: usize,
    b_len: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let counts = edits(blocks, a_len, 0..b_len).flat_map(|edit| {
        [
            (edit.only_a.len(), 'D'),
            (edit.only_b.len(), 'I'),
            (edit.common.len(), '='),
        ]
    });
    write_script(counts.filter(|&(count, _)| count > 0), out)
}

/// Bytes of a script that are written at once.
const SCRIPT_BLOCK: usize = 1 << 16;

pub fn write_script(
    runs: impl Iterator<Item = (usize, char)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut block = Vec::with_capacity(SCRIPT_BLOCK + 32);
    let mut separator = "";
    for (count, op) in runs {
        write!(block, "{separator}{count}{op}")?;
        separator = " ";
        if block.len() >= SCRIPT_BLOCK {
            out.write_all(&block)?;
            block.clear();
        }
    }
    block.push(b'\n');
    out.write_all(&block)
}

/// The unified diff of equal inputs is empty.
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
    let side = |input: usize| Side {
        lines: printed[input],
        words,
        file: inputs.groups[input].file.as_ref(),
    };
    let (a, b) = (side(0), side(1));
    let hunks = hunks(&equal_lines(blocks, &a, &b), a.lines.len(), piece);
    if !hunks.is_empty() {
        let name = |input: usize| header_name(&inputs.groups[input]);
        writeln!(out, "--- {}\n+++ {}", name(0), name(1))?;
    }
    hunks.iter().try_for_each(|hunk| hunk.write(&a, &b, out))
}

/// A unified diff cannot have lines that end with CR.
pub fn check(inputs: &Inputs) -> anyhow::Result<()> {
    let has_cr = |group: &&Group| group.file.as_ref().is_some_and(|file| file.ends_are_cr);
    match inputs.groups.iter().find(has_cr) {
        Some(Group { name, .. }) => bail!(
            "the lines of {name} end with CR, which no unified diff can say; \
             convert them first: tr '\\r' '\\n' < {name}"
        ),
        None => Ok(()),
    }
}

/// Names with blanks, quotes or control characters are quoted as in C, which `patch` and `git
/// apply` read.
fn header_name(group: &Group) -> String {
    let path = group.file.as_ref().and_then(|file| file.path.as_ref());
    let bytes = path.map_or(group.name.as_bytes(), |path| {
        path.as_os_str().as_encoded_bytes()
    });
    let is_special =
        |char: char| char.is_whitespace() || char.is_control() || matches!(char, '"' | '\\');
    if let Ok(name) = std::str::from_utf8(bytes)
        && !name.contains(is_special)
    {
        return name.to_string();
    }
    let quoted = bytes.iter().map(|&byte| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    });
    format!("\"{}\"", quoted.collect::<String>())
}

struct Side<'a> {
    lines: &'a [u32],
    words: &'a Words,
    file: Option<&'a LineFile>,
}

impl Side<'_> {
    fn has_mark(&self, line: usize) -> bool {
        line == 0 && self.file.is_some_and(|file| file.has_mark)
    }

    fn is_unended(&self, line: usize) -> bool {
        line + 1 == self.lines.len() && self.file.is_some_and(|file| file.is_unended)
    }

    fn write(&self, mark: &[u8], lines: Range<usize>, out: &mut dyn Write) -> io::Result<()> {
        for line in lines {
            out.write_all(mark)?;
            if self.has_mark(line) {
                out.write_all(BYTE_ORDER_MARK)?;
            }
            out.write_all(self.words.text(self.lines[line]))?;
            out.write_all(b"\n")?;
            if self.is_unended(line) {
                out.write_all(b"\\ No newline at end of file\n")?;
            }
        }
        Ok(())
    }
}

/// Lines differ, too, if one has a byte order mark or no newline.
fn equal_lines(blocks: &[Block], a: &Side<'_>, b: &Side<'_>) -> Vec<Block> {
    let mut equal = blocks.to_vec();
    for block in &mut equal {
        if block.len > 0 && a.has_mark(block.a) != b.has_mark(block.b) {
            (block.a, block.b, block.len) = (block.a + 1, block.b + 1, block.len - 1);
        }
        if block.len > 0
            && a.is_unended(block.a + block.len - 1) != b.is_unended(block.b + block.len - 1)
        {
            block.len -= 1;
        }
    }
    equal.retain(|block| block.len > 0);
    equal
}

/// Common runs as is, with `[-only a-]` and `{+only b+}` between them.
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
    fn last_end(&self) -> usize {
        self.changes.last().map_or(0, |(only_a, _)| only_a.end)
    }

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

    fn write(&self, a: &Side<'_>, b: &Side<'_>, out: &mut dyn Write) -> io::Result<()> {
        let (shown_a, shown_b) = self.ranges();
        writeln!(
            out,
            "@@ -{} +{} @@",
            hunk_range(&shown_a),
            hunk_range(&shown_b)
        )?;
        let mut next = shown_a.start;
        for (only_a, only_b) in &self.changes {
            a.write(b" ", next..only_a.start, out)?;
            a.write(b"-", only_a.clone(), out)?;
            b.write(b"+", only_b.clone(), out)?;
            next = only_a.end;
        }
        a.write(b" ", next..shown_a.end, out)
    }
}

/// First line from 1, and the count unless it is 1. An empty range names the line before it.
fn hunk_range(range: &Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}
