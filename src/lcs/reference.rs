//! Reference implementation: a plain table. The oracle of the tests; shares no code with the other
//! methods.

use super::subsequence::{Block, Subsequence};

/// Length of the LCS. Keeps two rows of the table. Cost: `a.len() * b.len()` steps.
pub fn length<S: PartialEq>(a: &[S], b: &[S]) -> u64 {
    length_while(a, b, &mut || true).unwrap_or_default()
}

/// As [`length`]; `more` is asked before each row and cancels with `false`.
pub(crate) fn length_while<S: PartialEq>(
    a: &[S],
    b: &[S],
    more: &mut dyn FnMut() -> bool,
) -> Option<u64> {
    let mut row = vec![0u64; b.len() + 1];
    for x in a {
        if !more() {
            return None;
        }
        let mut diagonal = 0;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if x == y {
                diagonal + 1
            } else {
                above.max(row[j])
            };
            diagonal = above;
        }
    }
    Some(row[b.len()])
}

/// An LCS, traced back through the whole table. Cost: `a.len() * b.len()` steps and 32-bit entries.
///
/// Tie-break: walks back from the last cell, drops a symbol of `a` if that costs nothing, otherwise
/// takes a pair, otherwise drops a symbol of `b`. Counted from the end, every pair has the least
/// possible position in `a` and, among those, the greatest in `b`.
pub fn subsequence<S: PartialEq>(a: &[S], b: &[S]) -> Subsequence {
    subsequence_while(a, b, &mut || true).unwrap_or_default()
}

/// As [`subsequence`]; `more` is asked before each row and cancels with `false`.
pub(crate) fn subsequence_while<S: PartialEq>(
    a: &[S],
    b: &[S],
    more: &mut dyn FnMut() -> bool,
) -> Option<Subsequence> {
    let width = b.len() + 1;
    let mut table = vec![0u32; (a.len() + 1) * width];
    for i in 1..=a.len() {
        if !more() {
            return None;
        }
        for j in 1..=b.len() {
            table[i * width + j] = if a[i - 1] == b[j - 1] {
                table[(i - 1) * width + j - 1] + 1
            } else {
                table[(i - 1) * width + j].max(table[i * width + j - 1])
            };
        }
    }
    let (mut i, mut j) = (a.len(), b.len());
    let mut pairs = Vec::new();
    while i > 0 && j > 0 {
        if table[(i - 1) * width + j] == table[i * width + j] {
            i -= 1;
        } else if a[i - 1] == b[j - 1] {
            (i, j) = (i - 1, j - 1);
            pairs.push(Block { a: i, b: j, len: 1 });
        } else {
            j -= 1;
        }
    }
    Some(pairs.into_iter().rev().collect())
}
