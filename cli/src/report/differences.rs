//! Differences of two aligned sequences: a list, and figures.

use std::ops::Range;

use swath::Block;
use swath::edit_distance::Op;

const WINDOW: usize = 1000;

/// One substituted symbol, or one gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Substitution, insertion or deletion, from the reference to the other sequence.
    pub kind: &'static str,
    /// Replaced symbols of the reference; empty for an insertion.
    pub a: Range<usize>,
    /// Symbols of the other sequence, as turned, in their place; empty for a deletion.
    pub b: Range<usize>,
}

/// Runs with their ranges in the query, from 0, and in the target.
pub fn runs(
    ops: &[(Op, usize)],
    target_start: usize,
) -> impl Iterator<Item = (Op, Range<usize>, Range<usize>)> {
    let (mut query, mut target) = (0, target_start);
    ops.iter().map(move |&(op, len)| {
        let (query_start, target_start) = (query, target);
        query += if op == Op::Delete { 0 } else { len };
        target += if op == Op::Insert { 0 } else { len };
        (op, query_start..query, target_start..target)
    })
}

/// The query is the other sequence and the target the reference.
pub fn differences(ops: &[(Op, usize)]) -> impl Iterator<Item = Difference> {
    runs(ops, 0).flat_map(|(op, b, a)| {
        // A run of substitutions is a difference for each symbol, a gap is one.
        let (kind, count) = match op {
            Op::Equal => ("", 0),
            Op::Substitute => ("substitution", a.len()),
            Op::Insert => ("insertion", 1),
            Op::Delete => ("deletion", 1),
        };
        (0..count).map(move |before| {
            let after = count - 1 - before;
            Difference {
                kind,
                a: a.start + before..a.end - after,
                b: b.start + before..b.end - after,
            }
        })
    })
}

pub fn equal_runs(ops: &[(Op, usize)], target_start: usize) -> Vec<Block> {
    let equal = runs(ops, target_start).filter(|(op, ..)| *op == Op::Equal);
    equal
        .map(|(_, a, b)| Block {
            a: a.start,
            b: b.start,
            len: a.len(),
        })
        .collect()
}

/// Divides pairs anew into equal and unequal ones. The alignment begins at the start of both
/// sequences.
pub fn redivided(
    ops: &[(Op, usize)],
    query: &[u8],
    target: &[u8],
    is_equal: impl Fn(Op, u8, u8) -> bool,
) -> Vec<(Op, usize)> {
    let mut divided: Vec<(Op, usize)> = Vec::with_capacity(ops.len());
    let mut push = |op, len| match divided.last_mut() {
        Some(last) if last.0 == op => last.1 += len,
        _ => divided.push((op, len)),
    };
    for (op, q, t) in runs(ops, 0) {
        match op {
            Op::Equal | Op::Substitute => {
                for (&x, &y) in query[q].iter().zip(&target[t]) {
                    let op = if is_equal(op, x, y) {
                        Op::Equal
                    } else {
                        Op::Substitute
                    };
                    push(op, 1);
                }
            }
            Op::Insert => push(op, q.len()),
            Op::Delete => push(op, t.len()),
        }
    }
    divided
}

/// Symbols in gaps, and the number of gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GapCount {
    pub gaps: usize,
    pub symbols: usize,
}

impl GapCount {
    fn add(&mut self, other: Self) {
        self.gaps += other.gaps;
        self.symbols += other.symbols;
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    pub equal: usize,
    pub substitutions: usize,
    pub insertions: GapCount,
    pub deletions: GapCount,
    /// Minimum share of equal pairs in 1,000 consecutive columns, or in all if they are fewer; `None`
    /// without columns.
    pub worst: Option<f64>,
}

impl Figures {
    pub fn of(ops: &[(Op, usize)]) -> Self {
        let mut figures = Self {
            worst: worst_window(ops),
            ..Self::default()
        };
        for &(op, symbols) in ops {
            let gap = GapCount { gaps: 1, symbols };
            match op {
                Op::Equal => figures.equal += symbols,
                Op::Substitute => figures.substitutions += symbols,
                Op::Insert => figures.insertions.add(gap),
                Op::Delete => figures.deletions.add(gap),
            }
        }
        figures
    }

    pub fn add(&mut self, other: &Self) {
        self.equal += other.equal;
        self.substitutions += other.substitutions;
        self.insertions.add(other.insertions);
        self.deletions.add(other.deletions);
        let both = self.worst.zip(other.worst);
        self.worst = both
            .map(|(one, other)| one.min(other))
            .or(self.worst)
            .or(other.worst);
    }

    pub fn edits(&self) -> usize {
        self.substitutions + self.insertions.symbols + self.deletions.symbols
    }

    pub fn columns(&self) -> usize {
        self.equal + self.edits()
    }

    /// Share of the symbols of both sequences that are in equal pairs; 1 without symbols.
    pub fn identity(&self) -> f64 {
        let symbols = 2 * (self.equal + self.substitutions)
            + self.insertions.symbols
            + self.deletions.symbols;
        match symbols {
            0 => 1.0,
            _ => 2.0 * self.equal as f64 / symbols as f64,
        }
    }

    /// `-10 log10` of edits per column; `None` without edits.
    pub fn quality(&self) -> Option<f64> {
        let edits = self.edits() as f64;
        (edits > 0.0).then(|| 10.0 * (self.columns() as f64 / edits).log10())
    }

    /// Edits per column with every gap as one.
    pub fn gap_compressed_divergence(&self) -> f64 {
        let gaps = self.insertions.gaps + self.deletions.gaps;
        let edits = self.substitutions + gaps;
        edits as f64 / (self.equal + edits).max(1) as f64
    }
}

/// One of the worst windows begins or ends at a run.
fn worst_window(ops: &[(Op, usize)]) -> Option<f64> {
    let mut ends = Vec::with_capacity(ops.len() + 1);
    let (mut columns, mut equal) = (0, 0);
    ends.push((0, 0));
    for &(op, len) in ops {
        columns += len;
        equal += if op == Op::Equal { len } else { 0 };
        ends.push((columns, equal));
    }
    // Equal columns before a column.
    let before = |column: usize| {
        let run = ends.partition_point(|&(end, _)| end <= column);
        let (start, equal) = ends[run - 1];
        let is_equal = ops.get(run - 1).is_some_and(|&(op, _)| op == Op::Equal);
        equal + if is_equal { column - start } else { 0 }
    };
    let width = columns.min(WINDOW);
    let starts = ends
        .iter()
        .flat_map(|&(end, _)| [end, end.saturating_sub(width)]);
    let equal = starts
        .filter(|start| start + width <= columns)
        .map(|start| before(start + width) - before(start));
    equal
        .min()
        .filter(|_| width > 0)
        .map(|equal| equal as f64 / width as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_window_is_that_of_all_windows() {
        let mut state = 1u64;
        let mut below = |limit: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % limit
        };
        for _ in 0..60 {
            let mut ops: Vec<(Op, usize)> = Vec::new();
            for _ in 0..below(12) {
                let kinds = [Op::Equal, Op::Substitute, Op::Insert, Op::Delete];
                let op = kinds[below(4) as usize];
                if ops.last().is_none_or(|last| last.0 != op) {
                    ops.push((op, 1 + below(900) as usize));
                }
            }
            let expanded: Vec<bool> = ops
                .iter()
                .flat_map(|&(op, len)| std::iter::repeat_n(op == Op::Equal, len))
                .collect();
            let width = expanded.len().clamp(1, WINDOW);
            let equal = expanded.windows(width);
            let equal = equal.map(|part| part.iter().filter(|&&equal| equal).count());
            let expected = equal.min().map(|equal| equal as f64 / width as f64);
            assert_eq!(worst_window(&ops), expected, "{ops:?}");
        }
    }

    #[test]
    fn figures_count_symbols_and_gaps() {
        let ops = [
            (Op::Equal, 90),
            (Op::Substitute, 2),
            (Op::Insert, 3),
            (Op::Equal, 4),
            (Op::Delete, 1),
        ];
        let figures = Figures::of(&ops);
        assert_eq!((figures.edits(), figures.columns()), (6, 100));
        assert_eq!(figures.identity(), 188.0 / 196.0);
        assert_eq!(figures.worst, Some(0.94));
        assert!((figures.quality().expect("edits") - 12.218).abs() < 0.001);
        assert_eq!(figures.gap_compressed_divergence(), 4.0 / 98.0);
        let found: Vec<_> = differences(&ops)
            .map(|one| (one.kind, one.a, one.b))
            .collect();
        assert_eq!(
            found,
            [
                ("substitution", 90..91, 90..91),
                ("substitution", 91..92, 91..92),
                ("insertion", 92..92, 92..95),
                ("deletion", 96..97, 99..99),
            ]
        );
    }
}
