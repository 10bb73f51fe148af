//! The pairs of a call, and their division into rectangles.

use std::borrow::Cow;
use std::ops::Range;

use super::strings::List;
use crate::error::{Error, Result};

/// The pairs of a call, in the order of their values.
#[derive(Clone, Debug)]
pub enum Selection<'a> {
    /// Each query with each target, query by query.
    Cross,
    /// Each pair of one list once: the first with all later ones, and so on.
    Symmetric,
    /// The i-th query with the i-th target.
    Zip,
    /// These queries and targets.
    List(Cow<'a, [(u32, u32)]>),
}

/// A part of the pairs that is computed at once. Its values are consecutive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Queries and targets that are all paired; of a symmetric selection only targets behind their
    /// query.
    Rectangle(Range<usize>, Range<usize>),
    /// Pairs of a zip or a list, by position.
    Entries(Range<usize>),
}

pub(crate) fn check_share(share: u64, shares: u64) -> Result<()> {
    if share < shares {
        return Ok(());
    }
    Err(Error::OutOfRange {
        what: "the share",
        given: share,
        allowed: match shares {
            0 => "one of at least 1 shares".to_string(),
            _ => format!("less than {shares}, the number of shares"),
        },
    })
}

impl Selection<'_> {
    /// Number of pairs of these numbers of strings.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for lists of different lengths, and unknown strings.
    pub(super) fn count(&self, queries: usize, targets: usize) -> Result<u64> {
        match self {
            Self::Cross => {
                let pairs = (queries as u64).checked_mul(targets as u64);
                pairs.ok_or_else(|| Error::OutOfRange {
                    what: "the number of targets",
                    given: targets as u64,
                    allowed: format!(
                        "at most {}: there are {queries} queries",
                        u64::MAX / queries.max(1) as u64
                    ),
                })
            }
            Self::Symmetric => {
                let pairs = queries as u128 * (queries as u128).saturating_sub(1) / 2;
                u64::try_from(pairs).map_err(|_| Error::OutOfRange {
                    what: "the number of strings",
                    given: queries as u64,
                    allowed: "at most 6 billion".to_string(),
                })
            }
            Self::Zip if queries == targets => Ok(queries as u64),
            Self::Zip => Err(Error::OutOfRange {
                what: "the number of targets",
                given: targets as u64,
                allowed: format!("{queries}, the number of queries"),
            }),
            Self::List(pairs) => {
                for &(query, target) in &**pairs {
                    for (what, given, count) in [
                        ("a query of the list", query, queries),
                        ("a target of the list", target, targets),
                    ] {
                        if given as usize >= count {
                            let allowed = format!("less than {count}, the number of strings");
                            let given = given.into();
                            return Err(Error::OutOfRange {
                                what,
                                given,
                                allowed,
                            });
                        }
                    }
                }
                Ok(pairs.len() as u64)
            }
        }
    }

    /// First pair of a query, if the selection has rows.
    fn row_start(&self, row: usize, targets: usize) -> u64 {
        let (row, targets) = (row as u64, targets as u64);
        match self {
            Self::Symmetric if row == 0 => 0,
            Self::Symmetric => row * (targets - 1) - row * (row - 1) / 2,
            _ => row * targets,
        }
    }

    pub(super) fn pair(&self, position: u64, targets: usize) -> (usize, usize) {
        match self {
            Self::Zip => (position as usize, position as usize),
            Self::List(pairs) => {
                let (query, target) = pairs[position as usize];
                (query as usize, target as usize)
            }
            Self::Cross => (
                (position / targets as u64) as usize,
                (position % targets as u64) as usize,
            ),
            Self::Symmetric => {
                // The last row that starts at or before the pair.
                let (mut low, mut high) = (0, targets);
                while high - low > 1 {
                    let middle = low + (high - low) / 2;
                    if self.row_start(middle, targets) <= position {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                let column = position - self.row_start(low, targets);
                (low, low + 1 + column as usize)
            }
        }
    }

    /// Place of a pair of a selection with rows; `None` if it is not selected.
    pub(super) fn position(&self, query: usize, target: usize, targets: usize) -> Option<u64> {
        let column = match self {
            Self::Symmetric => target.checked_sub(query + 1)?,
            _ => target,
        };
        Some(self.row_start(query, targets) + column as u64)
    }

    /// The next part from pair `position` on, of at most `max_pairs` pairs (at least one) and before
    /// `end`: whole rows, or a piece of a row.
    pub(super) fn part(&self, position: u64, end: u64, max_pairs: u64, targets: usize) -> Part {
        let stop = end.min(position.saturating_add(max_pairs.max(1)));
        if matches!(self, Self::Zip | Self::List(_)) {
            return Part::Entries(position as usize..stop as usize);
        }
        let (row, column) = self.pair(position, targets);
        let row_end = self.row_start(row + 1, targets);
        let mut last = row + 1;
        if self.row_start(row, targets) != position || row_end > stop {
            let pairs = (row_end.min(stop) - position) as usize;
            return Part::Rectangle(row..last, column..column + pairs);
        }
        while self.row_start(last, targets) < stop && self.row_start(last + 1, targets) <= stop {
            last += 1;
        }
        Part::Rectangle(row..last, column..targets)
    }

    pub(super) fn pairs_of(&self, part: &Part) -> usize {
        match part {
            Part::Entries(positions) => positions.len(),
            Part::Rectangle(rows, columns) => {
                let dropped = match self {
                    Self::Symmetric => rows.len() * rows.len().saturating_sub(1) / 2,
                    _ => 0,
                };
                rows.len() * columns.len() - dropped
            }
        }
    }

    /// Cells of these pairs; an empty query counts as one symbol.
    pub(super) fn cells(
        &self,
        positions: Range<u64>,
        queries: List<'_>,
        targets: List<'_>,
    ) -> u128 {
        match self {
            Self::Zip | Self::List(_) => positions
                .map(|position| {
                    let (query, target) = self.pair(position, targets.len());
                    queries.len_of(query).max(1) as u128 * targets.len_of(target) as u128
                })
                .sum(),
            _ if positions.is_empty() => 0,
            _ => {
                let first = self.pair(positions.start, targets.len());
                let last = self.pair(positions.end - 1, targets.len());
                let of_row = |row: usize| {
                    let begin = match self {
                        _ if row == first.0 => first.1,
                        Self::Symmetric => row + 1,
                        _ => 0,
                    };
                    let end = if row == last.0 {
                        last.1 + 1
                    } else {
                        targets.len()
                    };
                    let symbols = targets.symbols_before(end) - targets.symbols_before(begin);
                    queries.len_of(row).max(1) as u128 * u128::from(symbols)
                };
                (first.0..=last.0).map(of_row).sum()
            }
        }
    }

    /// First pair of share `share` of `shares` equal shares of the cells.
    pub(super) fn shard_start(
        &self,
        share: u64,
        shares: u64,
        queries: List<'_>,
        targets: List<'_>,
        count: u64,
    ) -> u64 {
        if share == 0 {
            return 0;
        }
        if share == shares {
            return count;
        }
        if matches!(self, Self::Zip | Self::List(_)) {
            let cells = |position: &u64| {
                let (query, target) = self.pair(*position, targets.len());
                queries.len_of(query).max(1) as u128 * targets.len_of(target) as u128
            };
            let all: u128 = (0..count).map(|position| cells(&position)).sum();
            let wanted = all * u128::from(share) / u128::from(shares);
            let mut before = 0;
            let is_before = |position: &u64| {
                let is_before = before < wanted;
                before += cells(position);
                is_before
            };
            return (0..count).take_while(is_before).count() as u64;
        }
        let cells = |position: u64| self.cells(0..position, queries, targets);
        let all = cells(count);
        let wanted = all * u128::from(share) / u128::from(shares);
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            if cells(middle) < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of a part, in the order of its values.
    fn pairs(selection: &Selection<'_>, part: &Part) -> Vec<(usize, usize)> {
        match part {
            Part::Entries(positions) => positions
                .clone()
                .map(|position| selection.pair(position as u64, 0))
                .collect(),
            Part::Rectangle(rows, columns) => rows
                .clone()
                .flat_map(|row| columns.clone().map(move |column| (row, column)))
                .filter(|(row, column)| !matches!(selection, Selection::Symmetric) || row < column)
                .collect(),
        }
    }

    #[test]
    fn parts_of_any_size_have_all_pairs_in_order() {
        let list: Vec<_> = (0..13)
            .map(|position| (position * 5 % 7, position % 4))
            .collect();
        for (selection, queries, targets) in [
            (Selection::Cross, 5, 7),
            (Selection::Cross, 1, 9),
            (Selection::Cross, 0, 9),
            (Selection::Cross, 9, 0),
            (Selection::Symmetric, 8, 8),
            (Selection::Symmetric, 1, 1),
            (Selection::Symmetric, 0, 0),
            (Selection::Zip, 6, 6),
            (Selection::List(list.clone().into()), 7, 4),
        ] {
            let count = selection.count(queries, targets).expect("they fit");
            let all: Vec<_> = match &selection {
                Selection::Cross => (0..queries)
                    .flat_map(|row| (0..targets).map(move |column| (row, column)))
                    .collect(),
                Selection::Symmetric => (0..queries)
                    .flat_map(|row| (row + 1..targets).map(move |column| (row, column)))
                    .collect(),
                Selection::Zip => (0..queries).map(|position| (position, position)).collect(),
                Selection::List(list) => list
                    .iter()
                    .map(|&(query, target)| (query as usize, target as usize))
                    .collect(),
            };
            assert_eq!(count, all.len() as u64);
            let found: Vec<_> = (0..count)
                .map(|position| selection.pair(position, targets))
                .collect();
            assert_eq!(found, all);
            if let Selection::Cross | Selection::Symmetric = selection {
                let positions = all
                    .iter()
                    .map(|&(query, target)| selection.position(query, target, targets));
                assert!(positions.eq((0..count).map(Some)));
            }
            for max_pairs in [0, 1, 2, 6, 7, 8, 20, 1000] {
                for (first, end) in [(0, count), (count / 3, count - count / 4)] {
                    let (mut position, mut found) = (first, Vec::new());
                    while position < end {
                        let part = selection.part(position, end, max_pairs, targets);
                        let pairs = pairs(&selection, &part);
                        assert!(!pairs.is_empty() && pairs.len() as u64 <= max_pairs.max(1));
                        position += pairs.len() as u64;
                        found.extend(pairs);
                    }
                    assert_eq!(found, all[first as usize..end as usize], "{selection:?}");
                }
            }
        }
    }

    #[test]
    fn shards_are_contiguous_and_equal_in_cells() {
        let strings =
            crate::pairs::Strings::<u8>::from_slices((0..60).map(|len| vec![1; len * len % 97]));
        let list: Vec<_> = (0..900)
            .map(|position| (position * 7 % 60, position % 60))
            .collect();
        for selection in [
            Selection::Cross,
            Selection::Symmetric,
            Selection::Zip,
            Selection::List(list.into()),
        ] {
            let count = selection.count(60, 60).expect("they fit");
            let strings = List::Bytes(&strings);
            let start = |share| selection.shard_start(share, 7, strings, strings, count);
            let starts: Vec<_> = (0..=7).map(start).collect();
            assert_eq!((starts[0], starts[7]), (0, count));
            let cells = |first: u64, end: u64| -> usize {
                (first..end)
                    .map(|position| {
                        let (query, target) = selection.pair(position, 60);
                        strings.len_of(query).max(1) * strings.len_of(target)
                    })
                    .sum()
            };
            let share = cells(0, count) / 7;
            for shard in starts.windows(2) {
                let cells = cells(shard[0], shard[1]);
                assert!(
                    cells.abs_diff(share) <= 2 * 97 * 97,
                    "{selection:?} {cells} {share}"
                );
            }
        }
    }

    #[test]
    fn unknown_strings_and_ragged_lists_are_refused() {
        for (selection, queries, targets) in [
            (Selection::Zip, 3, 4),
            (Selection::List(vec![(0, 0), (3, 0)].into()), 3, 3),
            (Selection::List(vec![(0, 3)].into()), 3, 3),
        ] {
            let refused = selection.count(queries, targets);
            assert!(matches!(refused, Err(Error::OutOfRange { .. })));
        }
    }
}
