//! Alignments with bounds of their own for substitutions and gaps, and of patterns that stick out
//! of the text.
//!
//! Every end of such an alignment is an end of an unrestricted one in which the symbols that stick
//! out cost nothing, and so a sweep finds it. From there the alignments are read back to the start:
//! for every number of edits, or of substitutions and of gaps, the furthest row of each diagonal
//! (Ukkonen 1985, doi:10.1016/S0019-9958(85)80046-2). Of two points on a diagonal with equal numbers
//! of both, the further one is at least as good: an alignment from the nearer one either passes
//! through it, or makes at least as many gaps of one kind as lead from the further one to it.

use std::cmp::Reverse;

use super::ops::{Ops, push};
use super::options::SearchOptions;
use crate::edit_distance::Op;
use crate::error::{Error, Result};
use crate::sequences::codes::Symbol;

/// Maximum cells of all diagonals.
const MAX_CELLS: usize = 1 << 24;
/// A diagonal that no alignment reaches.
const NONE: u32 = u32::MAX;

/// Bounds that alignments keep, and the cost of symbols that stick out.
pub(super) struct Rules {
    within: usize,
    substitutions: usize,
    gaps: usize,
    /// True if substitutions and gaps have bounds of their own. Otherwise only an end at which the
    /// pattern may stick out has another cost than in a sweep.
    pub(super) are_apart: bool,
    /// Cost of a symbol that sticks out in thousandths of an edit; `None` if none may.
    overhang: Option<u32>,
    /// By cost, then by number of gaps.
    layers: Vec<Layer>,
}

/// Alignments with equal numbers of edits, or of substitutions and of gaps.
#[derive(Clone, Copy)]
struct Layer {
    cost: usize,
    /// The layers with one substitution less, and with one gap less.
    substitution: Option<usize>,
    gap: Option<usize>,
}

/// Cost of this many symbols outside of a text on one side, of which each costs this many thousandths
/// of an edit, or a whole one.
pub(super) fn outside_cost(symbols: usize, thousandths: Option<u32>) -> u64 {
    symbols as u64 * u64::from(thousandths.unwrap_or(1000)) / 1000
}

impl Rules {
    /// The rules of a search; `None` if all alignments within the bound are allowed.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for an overhang that costs nothing or more than an edit, and for bounds
    /// of too many diagonals.
    pub(super) fn new(options: &SearchOptions) -> Result<Option<Self>> {
        let SearchOptions {
            within,
            max_substitutions,
            max_gaps,
            overhang,
            ..
        } = *options;
        if let Some(cost) = overhang.filter(|cost| !(1..=1000).contains(cost)) {
            return Err(Error::OutOfRange {
                what: "the cost of a symbol that sticks out, in thousandths of an edit",
                given: cost.into(),
                allowed: "1 to 1000".to_string(),
            });
        }
        let bounds =
            [max_substitutions, max_gaps].map(|bound| bound.map(|bound| bound.min(within)));
        if bounds == [None; 2] && overhang.is_none() {
            return Ok(None);
        }
        let [substitutions, gaps] = bounds.map(|bound| bound.unwrap_or(within));
        let are_apart = bounds != [None; 2];
        let width = u128::from(gaps) * 2 + 1;
        let pairs = (u128::from(substitutions) + 1) * (u128::from(gaps) + 1);
        let layers = if are_apart {
            pairs
        } else {
            u128::from(within) + 1
        };
        if layers * width > MAX_CELLS as u128 {
            return Err(Error::OutOfRange {
                what: "the bound beside bounds of substitutions or gaps, or an overhang",
                given: within,
                allowed: format!(
                    "fewer edits: {layers} numbers of edits on {width} diagonals exceed {MAX_CELLS}; lower the bound, or that of the gaps"
                ),
            });
        }
        let [within, substitutions, gaps] =
            [within, substitutions, gaps].map(|bound| bound as usize);
        Ok(Some(Self {
            within,
            substitutions,
            gaps,
            are_apart,
            overhang,
            layers: if are_apart {
                Self::apart(within, substitutions, gaps)
            } else {
                let edit = |cost: usize| Layer {
                    cost,
                    substitution: cost.checked_sub(1),
                    gap: cost.checked_sub(1),
                };
                (0..=within).map(edit).collect()
            },
        }))
    }

    /// A layer for each number of substitutions and of gaps.
    fn apart(within: usize, max_substitutions: usize, max_gaps: usize) -> Vec<Layer> {
        let mut layers: Vec<Layer> = Vec::new();
        let mut first_of_cost = Vec::new();
        let least_gaps = |cost: usize| cost.saturating_sub(max_substitutions);
        for cost in 0..=within.min(max_substitutions + max_gaps) {
            first_of_cost.push(layers.len());
            for gaps in least_gaps(cost)..=max_gaps.min(cost) {
                let before = |gaps: usize| {
                    let cost = cost - 1;
                    let is_one = (least_gaps(cost)..=max_gaps.min(cost)).contains(&gaps);
                    is_one.then(|| first_of_cost[cost] + gaps - least_gaps(cost))
                };
                layers.push(Layer {
                    cost,
                    substitution: (gaps < cost).then(|| before(gaps)).flatten(),
                    gap: gaps.checked_sub(1).and_then(before),
                });
            }
        }
        layers
    }

    /// True if an alignment keeps the bounds of substitutions and gaps.
    pub(super) fn allow(&self, ops: &[(Op, usize)]) -> bool {
        let (mut substitutions, mut gaps) = (0, 0);
        for &(op, count) in ops {
            match op {
                Op::Equal => {}
                Op::Substitute => substitutions += count,
                Op::Insert | Op::Delete => gaps += count,
            }
        }
        substitutions <= self.substitutions && gaps <= self.gaps
    }

    /// Cost of this many symbols that stick out on one side.
    fn cost_of(&self, symbols: usize) -> usize {
        outside_cost(symbols, self.overhang) as usize
    }

    /// Most symbols that may stick out on one side.
    pub(super) fn max_overhang(&self) -> usize {
        let of = |cost: u32| ((self.within as u64 + 1) * 1000 - 1) / u64::from(cost);
        self.overhang.map_or(0, of) as usize
    }
}

/// A pattern and the part of a text before its end, or after it, that a place may have.
#[derive(Clone, Copy)]
pub(super) struct Window<'a, S> {
    pub(super) body: &'a [S],
    pub(super) text: &'a [S],
    /// True if `text` ends at the end; otherwise it starts there.
    pub(super) is_suffix: bool,
    /// True if the pattern may stick out at the end, and at the other side of `text`.
    pub(super) sticks_out: [bool; 2],
}

impl<S: Symbol> Window<'_, S> {
    /// True if these symbols match, counted from the end.
    fn is_match(&self, row: usize, column: usize) -> bool {
        let Self { body, text, .. } = self;
        if self.is_suffix {
            body[body.len() - 1 - row] == text[text.len() - 1 - column]
        } else {
            body[row] == text[column]
        }
    }
}

/// The best piece with an end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) cost: u32,
    /// Cost without symbols that stick out.
    pub(super) edits: u32,
    /// Symbols of the text.
    pub(super) len: usize,
    /// Symbols of the pattern that stick out at the end, and at the other side.
    pub(super) out: [usize; 2],
    /// Along the text, if they are asked for.
    pub(super) ops: Ops,
}

/// Where an alignment is complete.
#[derive(Clone, Copy)]
struct Goal {
    layer: usize,
    diagonal: usize,
    row: usize,
    /// With the symbols that stick out, and without.
    cost: usize,
    edits: usize,
    len: usize,
    out: [usize; 2],
}

impl Goal {
    /// Less is better: the least cost, the longest piece, the fewest edits, then the fewest symbols
    /// that stick out.
    fn key(&self) -> (usize, Reverse<usize>, usize, usize) {
        let outside = self.out[0] + self.out[1];
        (self.cost, Reverse(self.len), self.edits, outside)
    }
}

/// Memory for one window after the other.
#[derive(Default)]
pub(super) struct Fronts {
    /// Furthest row by layer and diagonal.
    rows: Vec<u32>,
}

impl Fronts {
    /// The best piece of a window, if one is within the bound.
    pub(super) fn best<S: Symbol>(
        &mut self,
        rules: &Rules,
        window: &Window<'_, S>,
        has_ops: bool,
    ) -> Option<Piece> {
        let most = if window.sticks_out[0] {
            rules.max_overhang().min(window.body.len())
        } else {
            0
        };
        let mut best: Option<Goal> = None;
        for out in 0..=most {
            let found = self.sweep(
                rules,
                window,
                out,
                best.map_or(rules.within, |one| one.cost),
            );
            best = best.into_iter().chain(found).min_by_key(Goal::key);
        }
        let best = best?;
        let mut ops = Ops::new();
        if has_ops {
            self.sweep(rules, window, best.out[0], best.cost);
            ops = self.traced(rules, window, &best);
        }
        Some(Piece {
            cost: best.cost as u32,
            edits: best.edits as u32,
            len: best.len,
            out: best.out,
            ops,
        })
    }

    /// Fills the diagonals for a pattern of which the first `out` symbols from the end stick out.
    /// Returns the best alignment that costs at most `bound`.
    fn sweep<S: Symbol>(
        &mut self,
        rules: &Rules,
        window: &Window<'_, S>,
        out: usize,
        mut bound: usize,
    ) -> Option<Goal> {
        let (rows, columns) = (window.body.len() - out, window.text.len());
        let base = rules.cost_of(out);
        let width = 2 * rules.gaps + 1;
        self.rows.clear();
        let mut best: Option<Goal> = None;
        for (number, layer) in rules.layers.iter().enumerate() {
            if base + layer.cost > bound {
                break;
            }
            for diagonal in 0..width {
                let is_near = diagonal.abs_diff(rules.gaps) <= layer.cost;
                let entry = is_near.then(|| self.entry(rules, rows, columns, number, diagonal));
                let Some((mut row, _)) = entry.flatten() else {
                    self.rows.push(NONE);
                    continue;
                };
                let mut column = row + diagonal - rules.gaps;
                while row < rows && column < columns && window.is_match(out + row, column) {
                    (row, column) = (row + 1, column + 1);
                }
                self.rows.push(row as u32);
                let is_out = row < rows && column == columns && window.sticks_out[1];
                let behind = rows - row;
                let goal = Goal {
                    layer: number,
                    diagonal,
                    row,
                    cost: base + layer.cost + if is_out { rules.cost_of(behind) } else { 0 },
                    edits: layer.cost,
                    len: column,
                    out: [out, behind],
                };
                let is_complete = (row == rows || is_out) && column > 0 && goal.cost <= bound;
                if is_complete && best.is_none_or(|best| goal.key() < best.key()) {
                    (best, bound) = (Some(goal), goal.cost);
                }
            }
        }
        best
    }

    /// The furthest row at which a layer comes to a diagonal, and the step to it; `None` if it does
    /// not.
    fn entry(
        &self,
        rules: &Rules,
        rows: usize,
        columns: usize,
        layer: usize,
        diagonal: usize,
    ) -> Option<(usize, Op)> {
        if layer == 0 {
            return (diagonal == rules.gaps).then_some((0, Op::Equal));
        }
        let Layer {
            substitution, gap, ..
        } = rules.layers[layer];
        let width = 2 * rules.gaps + 1;
        let before = |layer: Option<usize>, diagonal: Option<usize>| {
            let diagonal = diagonal.filter(|&diagonal| diagonal < width)?;
            let row = self.rows[layer? * width + diagonal];
            (row != NONE).then_some(row as usize)
        };
        let steps = [
            (before(substitution, Some(diagonal)), 1, Op::Substitute),
            (before(gap, diagonal.checked_add(1)), 1, Op::Insert),
            (before(gap, diagonal.checked_sub(1)), 0, Op::Delete),
        ];
        let steps = steps.into_iter().filter_map(|(before, more, op)| {
            let row = before? + more;
            let column = (row + diagonal).checked_sub(rules.gaps)?;
            (row <= rows && column <= columns).then_some((row, op))
        });
        // The first of equal steps.
        steps.reduce(|best, other| if other.0 > best.0 { other } else { best })
    }

    /// Steps of an alignment along the text.
    fn traced<S>(&self, rules: &Rules, window: &Window<'_, S>, goal: &Goal) -> Ops {
        let (rows, columns) = (window.body.len() - goal.out[0], window.text.len());
        let Goal {
            mut layer,
            mut diagonal,
            mut row,
            ..
        } = *goal;
        let mut ops = Ops::new();
        while let Some((entered, op)) = self.entry(rules, rows, columns, layer, diagonal) {
            push(&mut ops, Op::Equal, row - entered);
            if layer == 0 {
                break;
            }
            push(&mut ops, op, 1);
            let Layer {
                substitution, gap, ..
            } = rules.layers[layer];
            (layer, diagonal, row) = match op {
                Op::Substitute => (substitution.unwrap_or(0), diagonal, entered - 1),
                Op::Insert => (gap.unwrap_or(0), diagonal + 1, entered - 1),
                _ => (gap.unwrap_or(0), diagonal - 1, entered),
            };
        }
        if !window.is_suffix {
            ops.reverse();
        }
        ops
    }
}
