//! Reference method: the plain table, the oracle of all other methods. Shares no code with them.

use super::problem::{Goal, Problem};
use super::tree::{Node, Tree};
use super::value::Value;

/// The best cost in the problem's [unit](Problem::unit), and its tree; `None` if the cost
/// overflows. No leaves cost zero. Tie-break: an enclosure if it is best, else the least `k`. Cost:
/// `leaves^3 / 6` steps, `leaves^2` costs and splits.
pub fn solve<P: Problem>(problem: &P) -> Option<(P::Value, Tree)> {
    let leaves = problem.leaves();
    let points = leaves + 1;
    let mut cost = vec![P::Value::ZERO; points * points];
    // Split of each range; 0 for an enclosure, as no range is split at 0.
    let mut split = vec![0usize; points * points];
    for i in 0..leaves {
        cost[i * points + i + 1] = problem.leaf(i);
    }
    for length in 2..=leaves {
        for i in 0..=leaves - length {
            let j = i + length;
            let mut best = problem
                .enclosure(i, j)
                .map(|weight| (cost[(i + 1) * points + j - 1].plus(weight), 0));
            for k in i + 1..j {
                let candidate = cost[i * points + k]
                    .plus(cost[k * points + j])
                    .plus(problem.weight(i, k, j));
                let better = match (best, P::GOAL) {
                    (None, _) => true,
                    (Some((best, _)), Goal::Least) => candidate < best,
                    (Some((best, _)), Goal::Greatest) => candidate > best,
                };
                if better {
                    best = Some((candidate, k));
                }
            }
            (cost[i * points + j], split[i * points + j]) = best?;
        }
    }
    let best = cost[leaves];
    if best.overflowed() {
        return None;
    }
    let mut nodes = Vec::new();
    let mut open = vec![(0, leaves)];
    while let Some((i, j)) = open.pop().filter(|_| leaves > 0) {
        if j < i + 2 {
            continue;
        }
        match split[i * points + j] {
            0 => {
                nodes.push(Node {
                    start: i,
                    end: j,
                    split: None,
                });
                open.push((i + 1, j - 1));
            }
            k => {
                nodes.push(Node {
                    start: i,
                    end: j,
                    split: Some(k),
                });
                open.extend([(k, j), (i, k)]);
            }
        }
    }
    Some((best, Tree::from_nodes(leaves, nodes)))
}
