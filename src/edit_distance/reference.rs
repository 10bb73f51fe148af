//! Reference implementation: a plain table. The oracle of the tests; shares no code with the other
//! methods.

use super::Mode;
use crate::sequences::blocks::{Block, Blocks};

/// Edit distance. Keeps one row of the table. Cost: `a.len() * b.len()` steps.
pub fn distance<S: PartialEq>(a: &[S], b: &[S], mode: Mode) -> u64 {
    ends(a, b, mode).0
}

/// Least distance of `a` to a piece of `b` and the ends of all such pieces, from 0 (the empty
/// piece) to `b.len()`. With [`Mode::Global`] the only piece is `b`.
pub fn ends<S: PartialEq>(a: &[S], b: &[S], mode: Mode) -> (u64, Vec<usize>) {
    ends_while(a, b, mode, &mut || true).unwrap_or_default()
}

/// As [`ends`]; `more` is asked before each row and cancels with `false`.
pub(crate) fn ends_while<S: PartialEq>(
    a: &[S],
    b: &[S],
    mode: Mode,
    more: &mut dyn FnMut() -> bool,
) -> Option<(u64, Vec<usize>)> {
    let row = last_row(a, b, mode == Mode::Infix, more)?;
    if mode == Mode::Global {
        return Some((row[b.len()], vec![b.len()]));
    }
    let least = row.iter().copied().min().unwrap_or_default();
    Some((
        least,
        (0..row.len()).filter(|&end| row[end] == least).collect(),
    ))
}

/// Least distance of `a` to a piece of `b` that ends at each place, from 0 (the empty piece) to
/// `b.len()`. Cost: `a.len() * b.len()` steps.
pub fn distances<S: PartialEq>(a: &[S], b: &[S]) -> Vec<u64> {
    last_row(a, b, true, &mut || true).unwrap_or_default()
}

/// First start of a piece of `b` that ends at `end` with the distance returned by [`ends`]. Cost:
/// `a.len() * end` steps.
pub fn start<S: PartialEq>(a: &[S], b: &[S], end: usize, distance: u64) -> usize {
    start_while(a, b, end, distance, &mut || true).unwrap_or(end)
}

/// As [`start`]; `more` is asked before each row and cancels with `false`.
pub(super) fn start_while<S: PartialEq>(
    a: &[S],
    b: &[S],
    end: usize,
    distance: u64,
    more: &mut dyn FnMut() -> bool,
) -> Option<usize> {
    // On reversed sequences pieces are prefixes, and the last row holds the distance of each.
    let row = last_row(&reversed(a), &reversed(&b[..end]), false, more)?;
    let longest = row.iter().rposition(|&other| other == distance);
    Some(end - longest.unwrap_or_default())
}

fn reversed<S>(symbols: &[S]) -> Vec<&S> {
    symbols.iter().rev().collect()
}

/// Last row of the table; with `anywhere` the first row is all 0. `None` after cancellation.
fn last_row<S: PartialEq>(
    a: &[S],
    b: &[S],
    anywhere: bool,
    more: &mut dyn FnMut() -> bool,
) -> Option<Vec<u64>> {
    let mut row: Vec<u64> = (0..=b.len() as u64)
        .map(|j| if anywhere { 0 } else { j })
        .collect();
    for x in a {
        if !more() {
            return None;
        }
        let mut diagonal = row[0];
        row[0] += 1;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + u64::from(x != y))
                .min(above + 1)
                .min(row[j] + 1);
            diagonal = above;
        }
    }
    Some(row)
}

/// A best path, traced back through the whole table, with `a` as rows. Cost: `a.len() * b.len()`
/// steps and 32-bit entries.
///
/// Tie-break: walks back from the last cell and drops a symbol of `a` if that is optimal; otherwise
/// takes the diagonal if the symbols are equal or it is no worse than dropping a symbol of `b`;
/// otherwise drops that symbol. This is the topmost of the best paths.
pub fn path<S: PartialEq>(a: &[S], b: &[S]) -> Blocks {
    path_while(a, b, &mut || true).unwrap_or_default()
}

/// As [`path`]; `more` is asked before each row and cancels with `false`.
pub(super) fn path_while<S: PartialEq>(
    a: &[S],
    b: &[S],
    more: &mut dyn FnMut() -> bool,
) -> Option<Blocks> {
    let width = b.len() + 1;
    let mut table = vec![0u32; (a.len() + 1) * width];
    for i in 0..=a.len() {
        if !more() {
            return None;
        }
        for j in 0..=b.len() {
            table[i * width + j] = if i == 0 || j == 0 {
                (i + j) as u32
            } else {
                let substituted = table[(i - 1) * width + j - 1] + u32::from(a[i - 1] != b[j - 1]);
                substituted
                    .min(table[(i - 1) * width + j] + 1)
                    .min(table[i * width + j - 1] + 1)
            };
        }
    }
    let (mut i, mut j) = (a.len(), b.len());
    let mut steps = Vec::new();
    while i > 0 && j > 0 {
        if table[(i - 1) * width + j] + 1 == table[i * width + j] {
            i -= 1;
        } else if a[i - 1] == b[j - 1] || table[i * width + j - 1] >= table[(i - 1) * width + j - 1]
        {
            (i, j) = (i - 1, j - 1);
            steps.push(Block { a: i, b: j, len: 1 });
        } else {
            j -= 1;
        }
    }
    Some(steps.into_iter().rev().collect())
}
