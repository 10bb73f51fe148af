//! Traceback from costs alone: splits are recomputed at the nodes of the tree.

use super::problem::{Problem, best_of, is_better};
use super::tree::{Node, Tree};
use super::value::Value;
use crate::call::control::Control;
use crate::error::Result;

/// The optimal tree; encloses if that is best, else splits at the smallest `k`. Cost: one row and one
/// column of the table per node.
pub(super) fn tree<P: Problem>(
    problem: &P,
    cost: &(dyn Fn(usize, usize) -> P::Value + Sync),
    control: &Control,
) -> Result<Tree> {
    let leaves = problem.leaves();
    let mut nodes = Vec::with_capacity(leaves);
    let mut open = vec![(0, leaves)];
    while let Some((i, j)) = open.pop() {
        if j < i + 2 {
            continue;
        }
        control.check()?;
        let split = split(problem, cost, i, j);
        nodes.push(Node {
            start: i,
            end: j,
            split,
        });
        match split {
            Some(k) => open.extend([(k, j), (i, k)]),
            None => open.push((i + 1, j - 1)),
        }
    }
    Ok(Tree::from_nodes(leaves, nodes))
}

fn split<P: Problem>(
    problem: &P,
    cost: &(dyn Fn(usize, usize) -> P::Value + Sync),
    i: usize,
    j: usize,
) -> Option<usize> {
    let candidate = |k: usize| cost(i, k).plus(cost(k, j)).plus(problem.weight(i, k, j));
    let (mut best, mut index) = (candidate(i + 1), i + 1);
    for k in i + 2..j {
        let cost = candidate(k);
        if is_better::<P>(cost, best) {
            (best, index) = (cost, k);
        }
    }
    let inside = || {
        if j == i + 2 {
            P::Value::ZERO
        } else {
            cost(i + 1, j - 1)
        }
    };
    let enclosed = problem.enclosure(i, j).map(|weight| inside().plus(weight));
    match enclosed {
        Some(enclosed) if best_of::<P>(enclosed, best) == enclosed => None,
        _ => Some(index),
    }
}

/// The least `j` for which the cost of `0..j` overflows. `row` has the costs of `0..1`, `0..2`, ...
pub(super) fn overflowing_end<V: Value>(row: &[V]) -> usize {
    row.iter()
        .position(|cost| cost.overflowed())
        .map_or(row.len(), |index| index + 1)
}

/// The greatest `i` for which the cost of `i..j` overflows. `column` has the costs of `0..j`,
/// `1..j`, ...
pub(super) fn overflowing_start<V: Value>(column: &[V]) -> usize {
    column
        .iter()
        .rposition(|cost| cost.overflowed())
        .unwrap_or_default()
}
