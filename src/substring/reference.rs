//! Reference method: the table of two sequences `T[i][j]`, the length of the longest common prefix
//! of `a[i..]` and `b[j..]`. `T[i][j] = T[i + 1][j + 1] + 1` if `a[i] == b[j]`, else 0.
//!
//! For several texts: the longest substring that starts at a position and occurs in `k` texts has
//! the `k`-th greatest of the maxima of that position's row, one maximum per text. Cost: quadratic
//! in all symbols.

use super::query::LongestSubstrings;

/// Calls `row` with each row of the table of `a` and `b`, last row first, until it returns false.
/// Returns whether all rows were visited.
fn rows<S: PartialEq>(a: &[S], b: &[S], mut row: impl FnMut(usize, &[usize]) -> bool) -> bool {
    let mut table = vec![0; b.len() + 1];
    (0..a.len()).rev().all(|i| {
        for j in 0..b.len() {
            table[j] = if a[i] == b[j] { table[j + 1] + 1 } else { 0 };
        }
        row(i, &table[..b.len()])
    })
}

/// The longest substrings that occur in at least `inputs` texts; `None` if `go_on` returns false.
pub fn longest<S: PartialEq>(
    texts: &[&[S]],
    inputs: usize,
    mut go_on: impl FnMut() -> bool,
) -> Option<LongestSubstrings> {
    let mut reach = Vec::new();
    for a in texts {
        let mut in_each = vec![Vec::new(); a.len()];
        for b in texts {
            if !rows(a, b, |i, row| {
                in_each[i].push(row.iter().copied().max().unwrap_or_default());
                go_on()
            }) {
                return None;
            }
        }
        reach.push(in_each.into_iter().map(|mut lengths| {
            lengths.sort_unstable();
            lengths[lengths.len() - inputs]
        }));
    }
    let reach: Vec<Vec<usize>> = reach.into_iter().map(Iterator::collect).collect();
    let length = reach.iter().flatten().copied().max().unwrap_or_default();
    let mut classes: Vec<Vec<(usize, usize)>> = Vec::new();
    for (text, reach) in reach.iter().enumerate().filter(|_| length > 0) {
        for start in (0..reach.len()).filter(|&start| reach[start] == length) {
            let same = |&(other, at): &(usize, usize)| {
                texts[other][at..at + length] == texts[text][start..start + length]
            };
            match classes.iter_mut().find(|class| same(&class[0])) {
                Some(class) => class.push((text, start)),
                None => classes.push(vec![(text, start)]),
            }
        }
    }
    Some(LongestSubstrings::sorted(length, classes))
}

/// All maximal matches of at least `min_length` symbols as (position in `a`, position in `b`,
/// length); `None` if `go_on` returns false.
pub fn matches<S: PartialEq>(
    a: &[S],
    b: &[S],
    min_length: usize,
    mut go_on: impl FnMut() -> bool,
) -> Option<Vec<(usize, usize, usize)>> {
    let mut found = Vec::new();
    let done = rows(a, b, |i, row| {
        let is_first = |j: usize| i == 0 || j == 0 || a[i - 1] != b[j - 1];
        found.extend(
            (0..b.len())
                .filter(|&j| row[j] >= min_length && is_first(j))
                .map(|j| (i, j, row[j])),
        );
        go_on()
    });
    found.sort_unstable();
    done.then_some(found)
}
