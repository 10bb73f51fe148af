//! Values of pairs by their definitions, for comparison.

use super::Measure;
use super::measure::{MAX_PREFIX, jaro_value};
use crate::edit_distance::{self, Mode};
use crate::lcs;

/// Value of a pair. The modes prefix and infix are those of [`Measure::Edit`].
pub fn value<S: PartialEq>(measure: Measure, mode: Mode, a: &[S], b: &[S]) -> u64 {
    match measure {
        Measure::Edit => edit_distance::reference::distance(a, b, mode),
        Measure::Indel => (a.len() + b.len()) as u64 - 2 * lcs::reference::length(a, b),
        Measure::Lcs => lcs::reference::length(a, b),
        Measure::Hamming => {
            let differ = a.iter().zip(b).filter(|(x, y)| x != y).count();
            (differ + a.len().abs_diff(b.len())) as u64
        }
        Measure::Osa => alignment(a, b),
        Measure::Jaro => jaro(a, b),
        Measure::JaroWinkler => {
            let common = a.iter().zip(b).take(MAX_PREFIX);
            let prefix = common.take_while(|(x, y)| x == y).count() as u64;
            jaro(a, b) + prefix
        }
    }
}

/// The table of optimal string alignments.
fn alignment<S: PartialEq>(a: &[S], b: &[S]) -> u64 {
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                (i + j) as u64
            } else {
                let differ = u64::from(a[i - 1] != b[j - 1]);
                let least = rows[i - 1][j].min(rows[i][j - 1]) + 1;
                let least = least.min(rows[i - 1][j - 1] + differ);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least.min(rows[i - 2][j - 2] + 1)
                } else {
                    least
                }
            };
        }
    }
    rows[a.len()][b.len()]
}

/// Matches, and half of the transpositions.
fn jaro<S: PartialEq>(a: &[S], b: &[S]) -> u64 {
    let reach = (a.len().max(b.len()) / 2).saturating_sub(1);
    let mut partners = vec![None; a.len()];
    for (j, y) in b.iter().enumerate() {
        let free = |&i: &usize| partners[i].is_none() && a[i].eq(y) && i.abs_diff(j) <= reach;
        if let Some(i) = (0..a.len()).find(free) {
            partners[i] = Some(j);
        }
    }
    let mut columns: Vec<usize> = partners.iter().copied().flatten().collect();
    columns.sort_unstable();
    let rows = (0..a.len()).filter(|&i| partners[i].is_some());
    let transposed = rows.zip(&columns).filter(|&(i, &j)| a[i] != b[j]).count();
    let longer = a.len().max(b.len()) as u64;
    jaro_value(longer, columns.len() as u64, transposed as u64 / 2)
}
