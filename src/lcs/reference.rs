//! The reference, a plain table: the oracle that every other method is tested against. It shares no code with them.

use super::subsequence::{Block, Subsequence};

/// Length of the longest common subsequence, two rows of the table at a time. Cost: `a.len() * b.len()` steps.
pub fn length<S: PartialEq>(a: &[S], b: &[S]) -> u64 {
    length_while(a, b, &mut || true).unwrap_or_default()
}

/// [`length`], as long as `more` says before each row that it is wanted.
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

/// A longest common subsequence from the whole table. Cost: `a.len() * b.len()` steps and 32-bit entries.
///
/// Of all answers it gives the one with the least position in `a` for every pair, counted from the end; where that leaves a
/// choice, the greatest position in `b`: backwards from the last cell it drops symbols of `a` while that costs nothing, then
/// pairs, then drops a symbol of `b`.
pub fn subsequence<S: PartialEq>(a: &[S], b: &[S]) -> Subsequence {
    subsequence_while(a, b, &mut || true).unwrap_or_default()
}

/// [`subsequence`], as long as `more` says before each row that it is wanted.
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
