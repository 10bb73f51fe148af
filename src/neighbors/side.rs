//! Distinct strings of one list of a join.

use std::sync::Arc;

use super::plan::{Lengths, lengths};
use super::shard::Shard;
use super::unique::Unique;
use crate::call::control::Control;
use crate::error::Result;
use crate::pairs::Strings;
use crate::pairs::strings::List;
use crate::sequences::typed::{SymbolSlice, Typed};
use crate::substring::dna;

/// Distinct strings of a list.
pub(super) struct Side<'a> {
    pub(super) strings: List<'a>,
    /// Group of each string; empty if they have none.
    groups: &'a [u32],
    pub(super) unique: Arc<Unique>,
    /// Reverse complements of the distinct strings, if they are looked up.
    reverse: Strings<'static>,
}

impl<'a> Side<'a> {
    pub(super) fn new(
        strings: List<'a>,
        groups: &'a [u32],
        both_strands: bool,
        control: &Control,
    ) -> Result<Self> {
        let collapse = || Unique::new(strings, |position| group_of(groups, position), control);
        let unique = match strings.kept().filter(|_| groups.is_empty()) {
            Some(kept) => kept.get_or_try_make(collapse)?,
            None => Arc::new(collapse()?),
        };
        let mut side = Self {
            strings,
            groups,
            unique,
            reverse: Strings::from_slices::<&[u8]>([]),
        };
        if both_strands {
            let numbers = 0..side.unique.len() as u32;
            side.reverse = Strings::from_slices(numbers.map(|number| match side.string(number) {
                Typed::Bytes(string) => string.iter().rev().copied().map(dna::complement).collect(),
                _ => Vec::new(),
            }));
        }
        Ok(side)
    }

    /// Number of the distinct strings, with the reverse complements behind them.
    pub(super) fn len(&self) -> usize {
        self.unique.len() + self.reverse.len()
    }

    /// A distinct string, or a reverse complement.
    pub(super) fn string(&self, number: u32) -> SymbolSlice<'_> {
        match (number as usize).checked_sub(self.unique.len()) {
            Some(reverse) => Typed::Bytes(&self.reverse[reverse]),
            None => self.strings.string(self.unique.first(number)),
        }
    }

    pub(super) fn len_of(&self, number: u32) -> usize {
        let number = number as usize % self.unique.len();
        self.strings.len_of(self.unique.first(number as u32))
    }

    /// Group of a distinct string or a reverse complement, plus 1; 0 without groups.
    pub(super) fn group(&self, number: u32) -> u32 {
        if self.groups.is_empty() {
            return 0;
        }
        let forward = number.checked_sub(self.unique.len() as u32);
        group_of(self.groups, self.unique.first(forward.unwrap_or(number)))
    }
}

/// Distinct strings of the columns that are of a shard, by rank.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a> {
    pub(super) side: &'a Side<'a>,
    pub(super) shard: Shard,
}

impl<'a> Columns<'a> {
    pub(super) fn len(self) -> usize {
        self.shard.count(self.side.unique.len())
    }

    pub(super) fn number(self, rank: u32) -> u32 {
        self.shard.number(rank)
    }

    pub(super) fn string(self, rank: u32) -> SymbolSlice<'a> {
        self.side.string(self.number(rank))
    }

    pub(super) fn group(self, rank: u32) -> u32 {
        self.side.group(self.number(rank))
    }

    pub(super) fn lengths(self) -> Lengths {
        lengths(self.len(), |rank| {
            self.side.len_of(self.number(rank as u32))
        })
    }
}

/// Group at a position, plus 1; 0 without groups.
fn group_of(groups: &[u32], position: usize) -> u32 {
    let group = groups.get(position);
    group.map_or(0, |&group| group.wrapping_add(1))
}
