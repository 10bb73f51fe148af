//! An alignment for people to read.

use std::io::{self, Write};

use swath::edit_distance::Op;

use crate::input::{Pair, Sequences};

/// Columns of a block.
const WIDTH: usize = 60;

/// Bytes and characters in blocks of three lines: A, marks, B; `-` stands in gaps, positions count from 1. Lines and tokens one a
/// line: equal ones after a blank, those of A after `-`, those of B after `+`.
pub fn write(sequences: &Sequences, ops: &[(Op, usize)], start: usize, out: &mut dyn Write) -> io::Result<()> {
    let byte = |&byte: &u8| if byte.is_ascii_graphic() || byte == b' ' { char::from(byte) } else { '?' };
    let char = |&char: &char| if char.is_control() { '?' } else { char };
    match sequences {
        Sequences::Bytes(pair) => blocks(pair, ops, start, byte, out),
        Sequences::Chars(pair) => blocks(pair, ops, start, char, out),
        Sequences::Lines { pair, words } | Sequences::Tokens { pair, words } => {
            let mut line = |mark: &[u8], word: u32| {
                out.write_all(mark)?;
                out.write_all(&words[word as usize])?;
                out.write_all(b"\n")
            };
            for (op, i, j) in steps(ops, start) {
                match op {
                    Op::Equal => line(b" ", pair.a[i])?,
                    Op::Insert => line(b"-", pair.a[i])?,
                    Op::Delete => line(b"+", pair.b[j])?,
                    Op::Substitute => {
                        line(b"-", pair.a[i])?;
                        line(b"+", pair.b[j])?;
                    }
                }
            }
            Ok(())
        }
    }
}

/// Single steps with the positions that they start from.
fn steps(ops: &[(Op, usize)], start: usize) -> impl Iterator<Item = (Op, usize, usize)> {
    let (mut i, mut j) = (0, start);
    ops.iter().flat_map(|&(op, count)| std::iter::repeat_n(op, count)).map(move |op| {
        let step = (op, i, j);
        i += usize::from(op != Op::Delete);
        j += usize::from(op != Op::Insert);
        step
    })
}

fn blocks<S>(
    pair: &Pair<S>,
    ops: &[(Op, usize)],
    start: usize,
    shown: impl Fn(&S) -> char,
    out: &mut dyn Write,
) -> io::Result<()> {
    let digits = (pair.a.len().max(pair.b.len()) + 1).to_string().len();
    let mut steps = steps(ops, start).peekable();
    let mut separator = "";
    while let Some(&(_, i, j)) = steps.peek() {
        let (mut above, mut marks, mut below) = (String::new(), String::new(), String::new());
        let (mut last_i, mut last_j) = (i, j);
        for (op, i, j) in steps.by_ref().take(WIDTH) {
            above.push(if op == Op::Delete { '-' } else { shown(&pair.a[i]) });
            marks.push(match op {
                Op::Equal => '|',
                Op::Substitute => '.',
                Op::Insert | Op::Delete => ' ',
            });
            below.push(if op == Op::Insert { '-' } else { shown(&pair.b[j]) });
            last_i = i + usize::from(op != Op::Delete);
            last_j = j + usize::from(op != Op::Insert);
        }
        writeln!(out, "{separator}a {:>digits$} {above} {last_i}", i + 1)?;
        writeln!(out, "  {:>digits$} {}", "", marks.trim_end())?;
        writeln!(out, "b {:>digits$} {below} {last_j}", j + 1)?;
        separator = "\n";
    }
    Ok(())
}
