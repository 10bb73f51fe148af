//! Values of pairs by their definitions, for comparison.

use super::Measure;
use super::measure::{MAX_PREFIX, jaro_value, ratio_value};
use crate::edit_distance::{self, Mode};
use crate::lcs;
use crate::sequences::codes::Symbol;

/// Value of a pair. The modes prefix and infix are those of [`Measure::Edit`].
pub fn value<S: Symbol>(measure: Measure, mode: Mode, a: &[S], b: &[S]) -> u64 {
    match measure {
        Measure::Edit => edit_distance::reference::distance(a, b, mode),
        Measure::Indel | Measure::Ratio => indel(a, b),
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
        Measure::PartialRatio => best(windows(a, b)),
        Measure::TokenSort => {
            let [a, b] = [a, b].map(|string| tokens(string).join(&' '));
            ratio_value(indel(&a, &b), (a.len() + b.len()) as u64)
        }
        Measure::TokenSet => token_set(a, b),
    }
}

fn indel<S: PartialEq>(a: &[S], b: &[S]) -> u64 {
    (a.len() + b.len()) as u64 - 2 * lcs::reference::length(a, b)
}

/// The best of some distances and symbols of both strings.
fn best(found: impl IntoIterator<Item = (u64, usize)>) -> u64 {
    let share = |&(distance, symbols): &(u64, usize)| distance as f64 / symbols as f64;
    let best = found
        .into_iter()
        .min_by(|one, other| share(one).total_cmp(&share(other)));
    best.map_or(0, |(distance, symbols)| {
        let symbols = symbols as u64;
        let divides = |&by: &u64| distance.is_multiple_of(by) && symbols.is_multiple_of(by);
        let divisor = (1..=symbols).rev().find(divides).unwrap_or(1);
        ratio_value(distance / divisor, symbols / divisor)
    })
}

/// Distances of the shorter string to windows of the longer one.
fn windows<S: Symbol>(a: &[S], b: &[S]) -> Vec<(u64, usize)> {
    let mut found = Vec::new();
    if a.is_empty() || b.is_empty() {
        return vec![(u64::from(a.len() != b.len()), 1)];
    }
    for (short, long) in [(a, b), (b, a)]
        .into_iter()
        .filter(|(a, b)| a.len() <= b.len())
    {
        for end in 1..long.len() + short.len() {
            let window = &long[end.saturating_sub(short.len())..end.min(long.len())];
            found.push((indel(short, window), short.len() + window.len()));
        }
    }
    found
}

/// Sorted tokens, as characters.
fn tokens<S: Symbol>(string: &[S]) -> Vec<Vec<char>> {
    let character = |symbol: &S| char::from_u32(symbol.place() as u32).unwrap_or('?');
    let text: String = string.iter().map(character).collect();
    let is_space = |character: char| {
        let is_separator = ('\x1C'..'\x20').contains(&character);
        let is_known = S::TABLE != 1 << 8 || character.is_ascii();
        is_known && (is_separator || character.is_whitespace())
    };
    let words = text.split(is_space).filter(|word| !word.is_empty());
    let mut words: Vec<Vec<char>> = words.map(|word| word.chars().collect()).collect();
    words.sort();
    words
}

fn token_set<S: Symbol>(a: &[S], b: &[S]) -> u64 {
    let [mut a, mut b] = [a, b].map(tokens);
    a.dedup();
    b.dedup();
    if a.is_empty() || b.is_empty() {
        return ratio_value(1, 1);
    }
    let common: Vec<_> = a.iter().filter(|word| b.contains(word)).cloned().collect();
    let rest = |words: &[Vec<char>]| -> Vec<char> {
        let words = words.iter().filter(|word| !common.contains(word));
        words.cloned().collect::<Vec<_>>().join(&' ')
    };
    let (a, b, common) = (rest(&a), rest(&b), common.join(&' '));
    if !common.is_empty() && (a.is_empty() || b.is_empty()) {
        return ratio_value(0, 1);
    }
    let joined = |rest: &[char]| {
        let parts = [&common[..], rest]
            .into_iter()
            .filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(&' ')
    };
    let (one, other) = (joined(&a), joined(&b));
    // The common part is aligned with itself.
    let mut found = vec![(indel(&a, &b), one.len() + other.len())];
    if !common.is_empty() {
        found.extend(
            [one, other].map(|string| (indel(&common, &string), common.len() + string.len())),
        );
    }
    best(found)
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
