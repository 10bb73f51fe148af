//! Distinct strings of a list.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::shard::Shard;
use crate::call::control::Control;
use crate::error::Result;
use crate::host::parallel;
use crate::pairs::strings::List;
use crate::sequences::typed::Typed;
use crate::sort;
use crate::symbols::hash;

/// Strings per parallel task.
const TASK: usize = 1 << 13;
/// Strings that are compared in few parts.
const MAX_FEW: usize = 1 << 22;

/// Distinct strings of a list, numbered in order of their first positions, and their copies.
pub(super) struct Unique {
    /// Position of the first copy, by number.
    firsts: Vec<u32>,
    copies: Option<Copies>,
}

/// Copies of strings, of which some are equal.
struct Copies {
    /// Number of the distinct string, by position.
    numbers: Vec<u32>,
    /// Start of the copies of each distinct string in `positions`; one more at the end.
    starts: Vec<u32>,
    /// Positions of all copies, ascending for each distinct string.
    positions: Vec<u32>,
}

impl Unique {
    /// Collapses equal strings of equal groups, which `group` tells by position. Runs on the current
    /// thread pool.
    pub(super) fn new(
        strings: List<'_>,
        group: impl Fn(usize) -> u32 + Sync,
        control: &Control,
    ) -> Result<Self> {
        let leaders = leaders(strings, group, control)?;
        let count = leaders.len();
        let is_first = |position: usize| leaders[position] as usize == position;
        let firsts = parallel::map_ranges(count, TASK, |range| {
            let firsts = range.filter(|&position| is_first(position));
            firsts.map(|position| position as u32).collect()
        });
        let mut before = 0;
        let starts = firsts.iter().map(|of_range: &Vec<u32>| {
            before += of_range.len() as u32;
            before - of_range.len() as u32
        });
        let starts: Vec<u32> = starts.collect();
        let firsts = parallel::concat(firsts);
        if firsts.len() == count {
            return Ok(Self {
                firsts,
                copies: None,
            });
        }
        // First positions before each position: the number of a string at its first position.
        let ranks = parallel::collect_ranges(count, TASK, |range| {
            let mut next = starts[range.start / TASK];
            range.map(move |position| {
                next += u32::from(is_first(position));
                next - u32::from(is_first(position))
            })
        });
        let number = |position: usize| ranks[leaders[position] as usize];
        let numbers = parallel::map_places(count, TASK, number);
        drop((leaders, ranks));
        let mut starts = vec![0; firsts.len() + 1];
        for &number in &numbers {
            starts[number as usize + 1] += 1;
        }
        for number in 0..firsts.len() {
            starts[number + 1] += starts[number];
        }
        let (mut ends, mut positions) = (starts.clone(), vec![0; numbers.len()]);
        for (&number, position) in numbers.iter().zip(0..) {
            let end = &mut ends[number as usize];
            positions[*end as usize] = position;
            *end += 1;
        }
        Ok(Self {
            firsts,
            copies: Some(Copies {
                numbers,
                starts,
                positions,
            }),
        })
    }

    pub(super) fn len(&self) -> usize {
        self.firsts.len()
    }

    pub(super) fn first(&self, number: u32) -> usize {
        self.firsts[number as usize] as usize
    }

    /// Number of the distinct string at a position.
    pub(super) fn number(&self, position: usize) -> u32 {
        match &self.copies {
            Some(copies) => copies.numbers[position],
            None => position as u32,
        }
    }

    /// Numbers of the distinct strings at some positions, if strings have copies.
    pub(super) fn numbers(&self, positions: Range<usize>) -> &[u32] {
        let copies = self.copies.as_ref();
        copies.map_or(&[], |copies| &copies.numbers[positions])
    }

    /// Number of the distinct strings that occur before a position.
    pub(super) fn count_before(&self, position: usize) -> usize {
        let is_before = |&first: &u32| (first as usize) < position;
        self.firsts.partition_point(is_before)
    }

    /// Positions of all copies, ascending.
    pub(super) fn copies(&self, number: u32) -> &[u32] {
        let number = number as usize;
        match &self.copies {
            Some(copies) => {
                let [start, end] = [copies.starts[number], copies.starts[number + 1]];
                &copies.positions[start as usize..end as usize]
            }
            None => &self.firsts[number..=number],
        }
    }

    pub(super) fn has_copies(&self) -> bool {
        self.copies.is_some()
    }

    /// Pairs of equal strings that are of a shard.
    pub(super) fn equal_pairs(&self, shard: Shard) -> u128 {
        let pairs = |number: u32| {
            let copies = self.copies(number).len() as u128;
            copies * (copies - 1) / 2
        };
        if self.has_copies() {
            shard.numbers(self.len()).map(pairs).sum()
        } else {
            0
        }
    }

    /// Bytes of the tables of this number of strings, and the most beside them while they are made.
    pub(super) fn size_bytes(strings: usize) -> (u64, u64) {
        (strings as u64 * 16, strings as u64 * 28)
    }
}

/// Position of the first equal string of the group, by position.
fn leaders(
    strings: List<'_>,
    group: impl Fn(usize) -> u32 + Sync,
    control: &Control,
) -> Result<Vec<u32>> {
    let count = strings.len();
    let hash = |position: usize| {
        let of_group = hash::mix(group(position).into());
        let of_string = match strings.string(position) {
            Typed::Bytes(bytes) => hash::of_bytes(bytes),
            string => hash::hash(string),
        };
        hash::mix(of_string ^ of_group)
    };
    let mut hashes: Vec<u64> = parallel::map_places(count, TASK, hash);
    control.check()?;
    let mut positions: Vec<u32> = (0..count as u32).collect();
    // Parts by the highest bits, each of few enough strings for a table in a cache.
    let bits = match count {
        0..=TASK => 0,
        _ if count < MAX_FEW => 8,
        _ => 16,
    };
    if bits > 0 {
        let high = u64::MAX << (u64::BITS - bits);
        (hashes, positions) =
            sort::cpu::sort(&hashes, Some(&positions), high, &control.unreported())?;
    }
    let start = |part: u64| match part >> bits {
        0 => hashes.partition_point(|hash| hash.rotate_left(bits) & ((1 << bits) - 1) < part),
        _ => count,
    };
    let leaders: Vec<AtomicU32> = (0..count as u32).map(AtomicU32::new).collect();
    parallel::for_each(1 << bits, |part| {
        let part = start(part as u64)..start(part as u64 + 1);
        let (hashes, positions) = (&hashes[part.clone()], &positions[part]);
        // Indices of distinct strings plus 1, by the lowest bits of their hashes; linear probing.
        let mut table = vec![0u32; (2 * hashes.len()).next_power_of_two()];
        for (index, (&hash, &position)) in hashes.iter().zip(positions).enumerate() {
            let mut slot = hash as usize & (table.len() - 1);
            while let Some(first) = (table[slot] as usize).checked_sub(1) {
                let [leader, copy] = [positions[first], position].map(|one| one as usize);
                let is_equal = hashes[first] == hash
                    && group(leader) == group(copy)
                    && strings.string(leader) == strings.string(copy);
                if is_equal {
                    leaders[copy].store(leader as u32, Ordering::Relaxed);
                    break;
                }
                slot = (slot + 1) & (table.len() - 1);
            }
            if table[slot] == 0 {
                table[slot] = index as u32 + 1;
            }
        }
    });
    Ok(leaders.into_iter().map(AtomicU32::into_inner).collect())
}
