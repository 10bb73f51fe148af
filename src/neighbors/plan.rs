//! Choice of keys by length.
//!
//! Strings of one length go through levels of keys, from few and frequent ones to many and rare
//! ones. A key with more strings than the next level costs is not joined: its strings go on to the
//! next level, which finds all neighbours among them. The last level has no such limit, so that
//! every pair is found.

use std::collections::{BTreeMap, HashMap};

use super::deletions;
use super::pieces::Patterns;
use crate::host::parallel;

/// Rough times in seconds, by which keys are chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs {
    /// To add a key to an index, and to look one up.
    pub(super) index_key: f64,
    pub(super) lookup: f64,
    /// To compare a pair of a list without keys, and a candidate.
    pub(super) listed_pair: f64,
    pub(super) candidate: f64,
    /// Maximum unchanged pieces of a key.
    pub(super) max_kept: usize,
}

impl Costs {
    /// On one thread.
    pub(super) const CPU: Self = Self {
        index_key: 4e-8,
        lookup: 2e-8,
        listed_pair: 3e-9,
        candidate: 3e-8,
        max_kept: usize::MAX,
    };
}

/// Keys of the strings of one length, and seconds for all of them.
#[derive(Clone, Copy, Debug, Default)]
struct KeyCost {
    /// Of a string in the index.
    keys: f64,
    /// To add them to the index, and to look up those of the rows, with what follows from them.
    index: f64,
    lookup: f64,
}

impl KeyCost {
    fn seconds(self) -> f64 {
        self.index + self.lookup
    }
}

/// Maximum keys of a string in one level.
const MAX_KEYS: usize = 1 << 14;
/// Maximum edits for which pieces are considered: their patterns grow as the square.
pub(super) const MAX_PIECES_EDITS: usize = 64;
/// Least limit of the strings of a key.
const MIN_LIMIT: u32 = 8;

/// Strings that a thread counts at once.
const TASK: usize = 1 << 16;

/// Number of strings by length.
pub(super) type Lengths = BTreeMap<usize, usize>;

/// Counts strings by length. Runs on the current thread pool.
pub(super) fn lengths(strings: usize, len_of: impl Fn(usize) -> usize + Sync) -> Lengths {
    let of_ranges = parallel::map_ranges(strings, TASK, |range| {
        let mut lengths = Lengths::new();
        // Most strings are short.
        let mut short = [0; 1 << 9];
        range.map(&len_of).for_each(|len| match short.get_mut(len) {
            Some(count) => *count += 1,
            None => *lengths.entry(len).or_default() += 1,
        });
        let short = short.into_iter().enumerate();
        lengths.extend(short.filter(|&(_, count)| count > 0));
        lengths
    });
    let mut all = Lengths::new();
    for (len, count) in of_ranges.into_iter().flatten() {
        *all.entry(len).or_default() += count;
    }
    all
}

/// Rows of all lengths within reach of the columns, about as many as these.
pub(super) fn any_rows(columns: &Lengths, k: usize) -> Lengths {
    let mut rows = Lengths::new();
    for (&len, &count) in columns {
        for near in len.saturating_sub(k)..=len.saturating_add(k) {
            *rows.entry(near).or_default() += count.div_ceil(2 * k + 1);
        }
    }
    rows
}

/// Keys of the strings of one length in one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scheme {
    /// This number of unchanged pieces.
    Pieces(usize),
    Deletions,
    /// No keys: every string of about the same length is a candidate. With groups `Pieces(0)`
    /// stands for it.
    All,
}

pub(super) struct LengthPlan {
    pub(super) len: usize,
    pub(super) count: usize,
    levels: Vec<LevelPlan>,
}

struct LevelPlan {
    scheme: Scheme,
    /// Maximum strings of a key.
    limit: u32,
    /// Keys of a string in the index.
    keys: f64,
}

impl LengthPlan {
    /// The scheme in a level that strings of this length are part of.
    pub(super) fn scheme(&self, level: usize) -> Option<Scheme> {
        self.levels.get(level).map(|level| level.scheme)
    }

    /// Maximum strings of a key in a level.
    pub(super) fn limit(&self, level: usize) -> u32 {
        self.levels.get(level).map_or(u32::MAX, |level| level.limit)
    }
}

/// Forced choices, for tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tuning {
    pub(super) schemes: Option<Vec<Scheme>>,
    pub(super) limit: Option<u32>,
    pub(super) parts: Option<u32>,
}

impl Scheme {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pieces(0) | Self::All => "all-pairs",
            Self::Pieces(_) => "pieces",
            Self::Deletions => "deletions",
        }
    }
}

/// Levels of all lengths, and the patterns of their pieces.
pub(super) struct Plan {
    pub(super) k: usize,
    /// Ascending.
    pub(super) lengths: Vec<LengthPlan>,
    pub(super) levels: usize,
    /// Expected seconds to make the keys of the first level, and to look them up.
    pub(super) index_seconds: f64,
    pub(super) lookup_seconds: f64,
    costs: Costs,
    pub(super) tuning: Tuning,
    /// Share of all pairs whose strings are of one group; `None` without groups.
    group_share: Option<f64>,
    rows: Lengths,
    /// As [`patterns`](Self::patterns); `None` if there are too many.
    patterns: BTreeMap<(usize, Option<i32>), Option<Patterns>>,
}

impl Plan {
    /// Plan for neighbours of `rows` among `columns`; `is_same` if each pair counts once.
    pub(super) fn new(
        k: usize,
        rows: Lengths,
        columns: &Lengths,
        is_same: bool,
        group_share: Option<f64>,
        costs: Costs,
        tuning: &Tuning,
    ) -> Self {
        let mut plan = Self {
            k,
            lengths: Vec::new(),
            levels: 0,
            index_seconds: 0.0,
            lookup_seconds: 0.0,
            costs,
            tuning: tuning.clone(),
            group_share,
            rows,
            patterns: BTreeMap::new(),
        };
        for (&len, &count) in columns {
            let length = plan.length(len, count, is_same);
            plan.levels = plan.levels.max(length.levels.len());
            plan.lengths.push(length);
        }
        plan
    }

    pub(super) fn seconds(&self) -> f64 {
        self.index_seconds + self.lookup_seconds
    }

    /// Name of the first scheme of most strings.
    pub(super) fn method(&self) -> &'static str {
        let mut counts: HashMap<&'static str, usize> = HashMap::new();
        for length in &self.lengths {
            if let Some(scheme) = length.scheme(0) {
                *counts.entry(scheme.name()).or_default() += length.count;
            }
        }
        let most = counts
            .into_iter()
            .max_by_key(|&(name, count)| (count, name));
        most.map_or(Scheme::All.name(), |(name, _)| name)
    }

    /// Expected entries of the index of a level with these numbers of strings by index of the length.
    pub(super) fn entries(&self, level: usize, members: impl Fn(usize) -> usize) -> f64 {
        let of_length = |(index, length): (usize, &LengthPlan)| {
            members(index) as f64 * length.levels.get(level).map_or(0.0, |level| level.keys)
        };
        self.lengths.iter().enumerate().map(of_length).sum()
    }

    fn length(&mut self, len: usize, count: usize, is_same: bool) -> LengthPlan {
        let near: f64 = self.near(len).map(|(_, rows)| rows as f64).sum();
        let mut length = LengthPlan {
            len,
            count,
            levels: Vec::new(),
        };
        // Equal strings are collapsed before.
        if near == 0.0 || (is_same && self.k == 0) {
            return length;
        }
        let share = if is_same { 0.5 } else { 1.0 };
        let pairs = near * count as f64 * share;
        let all = match self.group_share {
            None => {
                let lookup = pairs * self.costs.listed_pair;
                let cost = KeyCost {
                    lookup,
                    ..KeyCost::default()
                };
                (Scheme::All, cost)
            }
            Some(of_group) => {
                let scheme = Scheme::Pieces(0);
                let mut cost = self.cost(scheme, len, count).unwrap_or_default();
                cost.lookup += pairs * of_group * self.costs.candidate;
                (scheme, cost)
            }
        };
        let mut costs = Vec::new();
        if let Some(schemes) = self.tuning.schemes.clone() {
            for scheme in schemes {
                if let Some(cost) = self.cost(scheme, len, count) {
                    costs.push((scheme, cost));
                }
            }
            if costs
                .last()
                .is_none_or(|(scheme, _)| matches!(scheme, Scheme::Pieces(_)))
            {
                costs.push(all);
            }
        } else {
            let last = match self.cost(Scheme::Deletions, len, count) {
                Some(cost) if cost.seconds() < all.1.seconds() => (Scheme::Deletions, cost),
                _ => all,
            };
            let mut kept = 1;
            while let Some(cost) = self.cost(Scheme::Pieces(kept), len, count)
                && cost.seconds() < last.1.seconds() / 2.0
            {
                costs.push((Scheme::Pieces(kept), cost));
                kept *= 2;
            }
            costs.push(last);
        }
        self.index_seconds += costs[0].1.index;
        self.lookup_seconds += costs[0].1.lookup;
        for (level, &(scheme, KeyCost { keys, .. })) in costs.iter().enumerate() {
            let limit = match costs.get(level + 1) {
                None => u32::MAX,
                Some((Scheme::All, _)) => (count / 4) as u32,
                Some((_, cost)) => {
                    let of_string = cost.seconds() / (near + count as f64);
                    (2.0 * of_string / self.costs.candidate) as u32
                }
            };
            let limit = self.tuning.limit.map_or(limit.max(MIN_LIMIT), |forced| {
                if limit == u32::MAX { limit } else { forced }
            });
            length.levels.push(LevelPlan {
                scheme,
                limit,
                keys,
            });
        }
        length
    }

    /// Lengths of rows within reach of a length, as differences, and their counts.
    fn near(&self, len: usize) -> impl Iterator<Item = (i32, usize)> + '_ {
        let reach = len.saturating_sub(self.k)..=len.saturating_add(self.k);
        let difference = move |row: usize| row as i64 - len as i64;
        self.rows
            .range(reach)
            .map(move |(&row, &count)| (difference(row) as i32, count))
    }

    /// Cost of the keys of a length; `None` if the scheme has no keys, or too many.
    fn cost(&mut self, scheme: Scheme, len: usize, count: usize) -> Option<KeyCost> {
        let k = self.k;
        let near: Vec<(i32, usize)> = self.near(len).collect();
        let (keys, lookups) = match scheme {
            Scheme::All => return None,
            Scheme::Pieces(kept) => {
                let has_pieces =
                    k <= MAX_PIECES_EDITS && kept <= self.costs.max_kept && k + kept <= len;
                if kept > 0 && !has_pieces {
                    return None;
                }
                let keys = self.patterns_of(kept, None)?;
                let mut lookups = 0.0;
                for (longer, rows) in near {
                    lookups += rows as f64 * self.patterns_of(kept, Some(longer))?;
                }
                (keys, lookups)
            }
            Scheme::Deletions => {
                let groups = near.iter().filter(|(longer, _)| *longer > 0);
                let groups = groups.map(|(longer, _)| len + *longer as usize);
                let keys: f64 = std::iter::once(len)
                    .chain(groups)
                    .map(|group| deletions::count(len, group, k))
                    .sum();
                let of_row = |&(longer, rows): &(i32, usize)| {
                    let row = (len as i64 + i64::from(longer)) as usize;
                    rows as f64 * deletions::count(row, row.max(len), k)
                };
                let lookups: f64 = near.iter().map(of_row).sum();
                let rows: usize = near.iter().map(|(_, rows)| rows).sum();
                if keys > MAX_KEYS as f64 || lookups > (rows * MAX_KEYS) as f64 {
                    return None;
                }
                (keys, lookups)
            }
        };
        Some(KeyCost {
            keys,
            index: count as f64 * keys * self.costs.index_key,
            lookup: lookups * self.costs.lookup,
        })
    }

    /// Number of [`patterns`](Self::patterns), which are made; `None` if they are too many.
    fn patterns_of(&mut self, kept: usize, longer: Option<i32>) -> Option<f64> {
        let patterns = self.patterns.entry((kept, longer));
        let patterns = patterns.or_insert_with(|| Patterns::new(self.k, kept, longer, MAX_KEYS));
        Some(patterns.as_ref()?.len() as f64)
    }

    /// Index in `lengths` of the first length that is at least this.
    pub(super) fn index_of(&self, len: usize) -> usize {
        self.lengths.partition_point(|length| length.len < len)
    }

    pub(super) fn within_reach(&self, len: usize) -> std::ops::Range<usize> {
        let end = len.saturating_add(self.k).saturating_add(1);
        self.index_of(len.saturating_sub(self.k))..self.index_of(end)
    }

    /// Patterns of `kept` pieces, of neighbours that are `longer` symbols longer or of the strings that
    /// are cut.
    pub(super) fn patterns(&self, kept: usize, longer: Option<i32>) -> Option<&Patterns> {
        self.patterns.get(&(kept, longer))?.as_ref()
    }

    /// Groups of deletion neighbourhoods of a string: its length, and those of longer rows.
    pub(super) fn groups(&self, len: usize) -> impl Iterator<Item = usize> + '_ {
        let longer = self
            .rows
            .range(len + 1..len.saturating_add(self.k).saturating_add(1))
            .map(|(&row, _)| row);
        std::iter::once(len).chain(longer)
    }
}
