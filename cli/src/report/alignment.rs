//! Alignments as text.

use std::io::{self, Write};

use swath::edit_distance::Op;

use crate::input::{List, Lists};

const WIDTH: usize = 60;

/// Bytes and characters are in blocks of three lines (A, marks, B), with `-` in gaps and positions
/// from 1. Lines and tokens are one per line: equal ones after a blank, those of A after `-`, those
/// of B after `+`.
pub fn write(
    lists: &Lists,
    ops: &[(Op, usize)],
    start: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (list, words) = match lists {
        Lists::Bytes(list) => return blocks(list, ops, start, out),
        Lists::Chars(list) => return blocks(list, ops, start, out),
        Lists::Words(list, words) => (list.printed(), words),
    };
    let mut line = |mark: &[u8], word: u32| {
        out.write_all(mark)?;
        out.write_all(words.text(word))?;
        out.write_all(b"\n")
    };
    for (op, i, j) in steps(ops, start) {
        match op {
            Op::Equal => line(b" ", list[0][i])?,
            Op::Insert => line(b"-", list[0][i])?,
            Op::Delete => line(b"+", list[1][j])?,
            Op::Substitute => {
                line(b"-", list[0][i])?;
                line(b"+", list[1][j])?;
            }
        }
    }
    Ok(())
}

fn steps(ops: &[(Op, usize)], start: usize) -> impl Iterator<Item = (Op, usize, usize)> {
    let (mut i, mut j) = (0, start);
    ops.iter()
        .flat_map(|&(op, count)| std::iter::repeat_n(op, count))
        .map(move |op| {
            let step = (op, i, j);
            i += usize::from(op != Op::Delete);
            j += usize::from(op != Op::Insert);
            step
        })
}

trait Columns: Copy {
    fn column(self) -> char;
}

impl Columns for u8 {
    fn column(self) -> char {
        if self.is_ascii_graphic() || self == b' ' {
            self.into()
        } else {
            '?'
        }
    }
}

impl Columns for char {
    fn column(self) -> char {
        if self.is_control() { '?' } else { self }
    }
}

fn blocks<S: Columns>(
    list: &List<S>,
    ops: &[(Op, usize)],
    start: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let printed = list.printed();
    let (a, b) = (printed[0], printed[1]);
    let digits = (a.len().max(b.len()) + 1).to_string().len();
    let (mut first, mut next) = ((0, start), (0, start));
    let mut steps = steps(ops, start).peekable();
    while steps.peek().is_some() {
        let (mut above, mut marks, mut below) = (String::new(), String::new(), String::new());
        for (op, i, j) in steps.by_ref().take(WIDTH) {
            let (in_a, in_b) = (op != Op::Delete, op != Op::Insert);
            above.push(if in_a { a[i].column() } else { '-' });
            below.push(if in_b { b[j].column() } else { '-' });
            marks.push(match op {
                Op::Equal => '|',
                Op::Substitute => '.',
                Op::Insert | Op::Delete => ' ',
            });
            next = (i + usize::from(in_a), j + usize::from(in_b));
        }
        if first != (0, start) {
            writeln!(out)?;
        }
        let marks = marks.trim_end();
        writeln!(out, "a {:>digits$} {above} {}", first.0 + 1, next.0)?;
        writeln!(out, "  {:>digits$} {marks}", "")?;
        writeln!(out, "b {:>digits$} {below} {}", first.1 + 1, next.1)?;
        first = next;
    }
    Ok(())
}
