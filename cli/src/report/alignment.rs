//! An alignment for people to read.

use std::io::{self, Write};

use swath::edit_distance::Op;

use crate::input::{List, Lists};

/// Columns of a block.
const WIDTH: usize = 60;

/// Bytes and characters in blocks of three lines: A, marks, B; `-` stands in gaps, positions count from 1. Lines and tokens one a
/// line: equal ones after a blank, those of A after `-`, those of B after `+`.
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

/// Single steps with the positions that they start from.
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

/// Symbols that have a column each.
trait Columns: Sized {
    /// Adds a column for each.
    fn show(symbols: &[Self], line: &mut Vec<u8>);
}

impl Columns for u8 {
    fn show(symbols: &[Self], line: &mut Vec<u8>) {
        let shown = |&byte: &u8| {
            if byte.is_ascii_graphic() || byte == b' ' {
                byte
            } else {
                b'?'
            }
        };
        line.extend(symbols.iter().map(shown));
    }
}

impl Columns for char {
    fn show(symbols: &[Self], line: &mut Vec<u8>) {
        let shown = |&char: &char| if char.is_control() { '?' } else { char };
        symbols
            .iter()
            .map(shown)
            .for_each(|char| line.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()));
    }
}

/// The same runs, cut where a line is full; each with the columns of its line that are taken behind it.
fn lines(ops: &[(Op, usize)]) -> impl Iterator<Item = (Op, usize, usize)> {
    let (mut rest, mut now, mut taken) = (ops.iter(), (Op::Equal, 0), 0);
    std::iter::from_fn(move || {
        while now.1 == 0 {
            now = *rest.next()?;
        }
        let count = now.1.min(WIDTH - taken % WIDTH);
        now.1 -= count;
        taken = taken % WIDTH + count;
        Some((now.0, count, taken))
    })
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
    let (mut above, mut marks, mut below) = (Vec::new(), Vec::new(), Vec::new());
    let (mut first, mut next) = ((0, start), (0, start));
    let mut separator = "";
    let mut runs = lines(ops).peekable();
    while let Some((op, count, taken)) = runs.next() {
        let (i, j) = next;
        match op {
            Op::Delete => above.resize(above.len() + count, b'-'),
            _ => {
                S::show(&a[i..i + count], &mut above);
                next.0 += count;
            }
        }
        let mark = match op {
            Op::Equal => b'|',
            Op::Substitute => b'.',
            Op::Insert | Op::Delete => b' ',
        };
        marks.resize(marks.len() + count, mark);
        match op {
            Op::Insert => below.resize(below.len() + count, b'-'),
            _ => {
                S::show(&b[j..j + count], &mut below);
                next.1 += count;
            }
        }
        if taken < WIDTH && runs.peek().is_some() {
            continue;
        }
        write!(out, "{separator}a {:>digits$} ", first.0 + 1)?;
        out.write_all(&above)?;
        write!(out, " {}\n  {:>digits$} ", next.0, "")?;
        out.write_all(marks.trim_ascii_end())?;
        write!(out, "\nb {:>digits$} ", first.1 + 1)?;
        out.write_all(&below)?;
        writeln!(out, " {}", next.1)?;
        [&mut above, &mut marks, &mut below]
            .into_iter()
            .for_each(Vec::clear);
        first = next;
        separator = "\n";
    }
    Ok(())
}
