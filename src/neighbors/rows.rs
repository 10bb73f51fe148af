//! Rows of a block of a join: its distinct strings.

use std::collections::HashMap;
use std::ops::Range;

use super::blocks::RowsOf;
use super::join::Row;
use super::unique::Unique;
use crate::host::parallel;

/// Rows that a thread handles at once.
pub(super) const TASK: usize = 1 << 14;

/// Distinct strings of consecutive rows in order of their first occurrence there, and the index of
/// each row among them. Runs on the current thread pool.
pub(super) fn block_rows(
    unique: &Unique,
    range: Range<usize>,
    rows_of: RowsOf,
    is_same: bool,
) -> (Vec<u32>, Vec<Row>) {
    let row = |index: usize, number: u32, above: usize| Row {
        index: index as u32,
        number,
        above: is_same.then_some(above as u32),
    };
    let map = |rows, of: &(dyn Fn(usize) -> Row + Sync)| parallel::map_places(rows, TASK, of);
    if rows_of == RowsOf::Numbers || !unique.has_copies() {
        let first = range.start;
        let rows = map(range.len(), &|index| {
            row(index, (first + index) as u32, first + index)
        });
        return ((0..range.len() as u32).collect(), rows);
    }
    if range.start == 0 {
        // Strings are numbered in order of their first positions.
        let rows = map(unique.count_before(range.end), &|index| {
            row(index, index as u32, unique.first(index as u32))
        });
        return (unique.numbers(range).to_vec(), rows);
    }
    const NONE: u32 = u32::MAX;
    let mut by_number = ByNumber::of(range.len(), unique.len());
    let (mut places, mut rows) = (Vec::with_capacity(range.len()), Vec::new());
    for position in range {
        let number = unique.number(position);
        let index = by_number.get(number);
        if *index == NONE {
            *index = rows.len() as u32;
            rows.push(row(rows.len(), number, position));
        }
        places.push(*index);
    }
    (places, rows)
}

/// Places of distinct strings; `u32::MAX` for those without one.
enum ByNumber {
    /// Of few.
    Few(HashMap<u32, u32>),
    All(Vec<u32>),
}

impl ByNumber {
    fn of(rows: usize, strings: usize) -> Self {
        if rows < strings / 16 {
            Self::Few(HashMap::with_capacity(rows))
        } else {
            Self::All(vec![u32::MAX; strings])
        }
    }

    fn get(&mut self, number: u32) -> &mut u32 {
        match self {
            Self::Few(places) => places.entry(number).or_insert(u32::MAX),
            Self::All(places) => &mut places[number as usize],
        }
    }
}
