//! Deletion neighbourhoods: strings within k edits have a common subsequence that is at most k
//! symbols shorter than the longer one.
//!
//! Pairs whose longer string has `len` symbols meet in the group `len`: both delete symbols until
//! `len - k` are left. Each string thus belongs to the groups of its own length, and of up to k
//! symbols more.

use crate::sequences::codes::Symbol;
use crate::sequences::typed::{SymbolSlice, for_type};
use crate::symbols::hash::{Prefixes, mix};

pub(super) const SALT: u64 = 0xD1B5_4A32_D192_ED03;

/// Number of keys of a string in the group of pairs up to `group` symbols, but for equal ones.
pub(super) fn count(len: usize, group: usize, k: usize) -> f64 {
    let deleted = len - group.saturating_sub(k).min(len);
    (0..deleted).fold(1.0, |count, at| count * (len - at) as f64 / (at + 1) as f64)
}

/// Appends the keys of a string in the group of pairs up to `group` symbols.
pub(super) fn keys(
    string: SymbolSlice<'_>,
    prefixes: &Prefixes,
    (group, k): (usize, usize),
    keys: &mut Vec<u64>,
) {
    let left = group.saturating_sub(k);
    let Some(deleted) = string.len().checked_sub(left) else {
        return;
    };
    let salt = mix(SALT ^ group as u64);
    for_type!(string, |string| {
        let mut keys = Keys {
            string,
            prefixes,
            salt,
            keys,
        };
        keys.delete(0, deleted, 0);
    });
}

/// The places of each choice of `deleted` of `len` symbols, in order.
pub(super) fn choices(len: usize, deleted: usize) -> Vec<u32> {
    let mut words = Vec::new();
    let mut places: Vec<u32> = (0..deleted as u32).collect();
    loop {
        words.extend(&places);
        // The last place that can move up, and those behind it next to it.
        let can_move = |&at: &usize| (places[at] as usize) < len - deleted + at;
        let Some(at) = (0..deleted).rev().find(can_move) else {
            return words;
        };
        let first = places[at] + 1;
        places[at..]
            .iter_mut()
            .zip(first..)
            .for_each(|(index, moved)| *index = moved);
    }
}

struct Keys<'a, S> {
    string: &'a [S],
    prefixes: &'a Prefixes,
    salt: u64,
    keys: &'a mut Vec<u64>,
}

impl<S: Symbol> Keys<'_, S> {
    /// Deletes `deleted` of the symbols from `start` on, after kept ones with hash `before`.
    fn delete(&mut self, start: usize, deleted: usize, before: u64) {
        let len = self.string.len();
        if deleted == 0 {
            let hash = self.prefixes.append(before, start, len);
            self.keys.push(mix(hash ^ self.salt));
            return;
        }
        for index in start..=len - deleted {
            // Of a run of equal symbols the first ones are deleted.
            if index > start && self.string[index] == self.string[index - 1] {
                continue;
            }
            let before = self.prefixes.append(before, start, index);
            self.delete(index + 1, deleted - 1, before);
        }
    }
}
