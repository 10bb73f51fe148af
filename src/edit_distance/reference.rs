//! The reference, a plain table: the oracle that every other method is tested against. It shares no code with them.

use super::Mode;
use crate::pairwise::blocks::{Block, Blocks};

/// The distance, a row of the table at a time. Cost: `a.len() * b.len()` steps.
pub fn distance<S: PartialEq>(a: &[S], b: &[S], mode: Mode) -> u64 {
    ends(a, b, mode).0
}

/// The least distance of `a` to a piece of `b`, and every place where such a piece ends: from 0, the end of the empty piece, to
/// `b.len()`. With [`Mode::Global`] the only piece is `b`.
pub fn ends<S: PartialEq>(a: &[S], b: &[S], mode: Mode) -> (u64, Vec<usize>) {
    ends_while(a, b, mode, &mut || true).unwrap_or_default()
}

/// [`ends`], as long as `more` says before each row that it is wanted.
pub(super) fn ends_while<S: PartialEq>(
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

/// The first place where a piece of `b` starts that ends at `end` and has the distance that [`ends`] gives. Cost:
/// `a.len() * end` steps.
pub fn start<S: PartialEq>(a: &[S], b: &[S], end: usize, distance: u64) -> usize {
    start_while(a, b, end, distance, &mut || true).unwrap_or(end)
}

/// [`start`], as long as `more` says before each row that it is wanted.
pub(super) fn start_while<S: PartialEq>(
    a: &[S],
    b: &[S],
    end: usize,
    distance: u64,
    more: &mut dyn FnMut() -> bool,
) -> Option<usize> {
    // Seen from the end, pieces are prefixes, and the last row tells all of them.
    let row = last_row(&reversed(a), &reversed(&b[..end]), false, more)?;
    let longest = row.iter().rposition(|&other| other == distance);
    Some(end - longest.unwrap_or_default())
}

fn reversed<S>(symbols: &[S]) -> Vec<&S> {
    symbols.iter().rev().collect()
}

/// The last row of the table; with `anywhere` its first row is 0. `None` where no `more` rows are wanted.
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

/// A best path from the whole table, `a` as its rows. Cost: `a.len() * b.len()` steps and 32-bit entries.
///
/// Of all best paths it gives the topmost: backwards from the last cell it drops symbols of `a` while that is best, then goes
/// diagonally where the symbols are equal or that is no worse than dropping a symbol of `b`, else drops that.
pub fn path<S: PartialEq>(a: &[S], b: &[S]) -> Blocks {
    path_while(a, b, &mut || true).unwrap_or_default()
}

/// [`path`], as long as `more` says before each row that it is wanted.
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
