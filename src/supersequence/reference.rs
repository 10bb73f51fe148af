//! Reference implementation: a plain table. The oracle of the tests; shares no code with the other
//! methods.

use crate::lcs::subsequence::{Block, Subsequence};

/// Length of the SCS. Keeps two rows of the table. Cost: `a.len() * b.len()` steps.
pub fn length<S: PartialEq>(a: &[S], b: &[S]) -> u64 {
    length_while(a, b, &mut || true).unwrap_or_default()
}

/// As [`length`]; `more` is asked before each row and cancels with `false`.
pub(super) fn length_while<S: PartialEq>(
    a: &[S],
    b: &[S],
    more: &mut dyn FnMut() -> bool,
) -> Option<u64> {
    let mut row: Vec<u64> = (0..=b.len() as u64).collect();
    for (i, x) in a.iter().enumerate() {
        if !more() {
            return None;
        }
        let mut corner = row[0];
        row[0] = i as u64 + 1;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = 1 + if x == y { corner } else { above.min(row[j]) };
            corner = above;
        }
    }
    Some(row[b.len()])
}

/// Symbols of an SCS that serve both inputs, traced back through the whole table. Cost: `a.len() *
/// b.len()` steps and 32-bit entries.
///
/// Tie-break: walks back from the last cell and takes a symbol of `a` alone if that is optimal,
/// otherwise a shared symbol, otherwise a symbol of `b` alone.
pub fn shared<S: PartialEq>(a: &[S], b: &[S]) -> Subsequence {
    shared_while(a, b, &mut || true).unwrap_or_default()
}

/// As [`shared`]; `more` is asked before each row and cancels with `false`.
pub(super) fn shared_while<S: PartialEq>(
    a: &[S],
    b: &[S],
    more: &mut dyn FnMut() -> bool,
) -> Option<Subsequence> {
    let width = b.len() + 1;
    let mut table = vec![0u32; (a.len() + 1) * width];
    for i in 0..=a.len() {
        if !more() {
            return None;
        }
        for j in 0..=b.len() {
            table[i * width + j] = match (i, j) {
                (0, _) | (_, 0) => (i + j) as u32,
                _ if a[i - 1] == b[j - 1] => table[(i - 1) * width + j - 1] + 1,
                _ => table[(i - 1) * width + j].min(table[i * width + j - 1]) + 1,
            };
        }
    }
    let (mut i, mut j) = (a.len(), b.len());
    let mut runs = Vec::new();
    while i > 0 && j > 0 {
        if table[(i - 1) * width + j] + 1 == table[i * width + j] {
            i -= 1;
        } else if a[i - 1] == b[j - 1] {
            (i, j) = (i - 1, j - 1);
            runs.push(Block { a: i, b: j, len: 1 });
        } else {
            j -= 1;
        }
    }
    Some(runs.into_iter().rev().collect())
}
