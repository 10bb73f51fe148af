//! Witness of a parenthesization: a tree over the leaves, and its verification.

use std::cmp::Reverse;

use super::problem::Problem;
use super::value::{Arithmetic, Value};
use crate::error::{Error, Result};

/// Inner node: a range of two or more leaves, and its split.
///
/// ```
/// use swath::parenthesization::{MatrixChain, Node};
/// use swath::{Engine, Options, Parenthesize};
///
/// let chain = MatrixChain::new(vec![10, 100, 5, 50]);
/// let report = Engine::new(Options::default())?.run(&Parenthesize::of(&chain))?;
/// // (0 1) 2: all three leaves are split before leaf 2, the first two before leaf 1.
/// let [root, left] = report.tree.nodes() else { unreachable!("three leaves, two inner nodes") };
/// assert_eq!(*root, Node { start: 0, end: 3, split: Some(2) });
/// assert_eq!(*left, Node { start: 0, end: 2, split: Some(1) });
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Node {
    /// First leaf.
    pub start: usize,
    /// One past the last leaf.
    pub end: usize,
    /// First leaf of the right part; `None` if the first and last leaf enclose the rest.
    pub split: Option<usize>,
}

/// Tree over the leaves `0..n`: its inner nodes in preorder, left before right.
///
/// ```
/// use swath::parenthesization::{MatrixChain, Tree};
///
/// let tree = Tree::in_order(3);
/// assert_eq!((tree.leaves(), tree.nodes().len()), (3, 2));
/// assert_eq!(tree.cost(&MatrixChain::new(vec![10, 100, 5, 50]))?, 7_500);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Tree {
    leaves: usize,
    nodes: Vec<Node>,
}

impl Tree {
    /// The tree of these nodes, in any order; [`verify`](Self::verify) checks them. Nodes that are
    /// too few for the leaves keep their order. Cost: linear in the nodes.
    pub fn from_nodes(leaves: usize, mut nodes: Vec<Node>) -> Self {
        // m nodes cover at most 2 m + 1 leaves: a split adds a range, an enclosure takes two
        // leaves.
        if leaves / 2 > nodes.len() {
            return Self { leaves, nodes };
        }
        // Preorder: start ascending, then end descending.
        let end = |place: u32| leaves - nodes[place as usize].end.min(leaves);
        let start = |place: u32| nodes[place as usize].start.min(leaves);
        let order = u32::try_from(nodes.len()).map(|count| {
            let by_end = counting_sort(0..count, leaves + 1, end);
            counting_sort(by_end.into_iter(), leaves + 1, start)
        });
        match order {
            Ok(order) => permute(&mut nodes, order),
            Err(_) => nodes.sort_unstable_by_key(|node| (node.start, Reverse(node.end))),
        }
        Self { leaves, nodes }
    }

    /// The tree whose ranges of two or more leaves are these, in any order, each split in two.
    /// Cost: linear.
    pub(crate) fn from_ranges(leaves: usize, ranges: &[(usize, usize)]) -> Self {
        let nodes = ranges
            .iter()
            .map(|&(start, end)| Node {
                start,
                end,
                split: None,
            })
            .collect();
        let mut tree = Self::from_nodes(leaves, nodes);
        let ranges = tree.nodes.clone();
        // In preorder the left part follows its parent unless it is a leaf.
        for (index, node) in tree.nodes.iter_mut().enumerate() {
            let left = ranges
                .get(index + 1)
                .filter(|next| next.start == node.start);
            node.split = Some(left.map_or(node.start + 1, |left| left.end));
        }
        tree
    }

    /// The left-deep tree `((0 1) 2) 3`.
    pub fn in_order(leaves: usize) -> Self {
        let nodes = (2..=leaves).rev().map(|end| Node {
            start: 0,
            end,
            split: Some(end - 1),
        });
        Self {
            leaves,
            nodes: nodes.collect(),
        }
    }

    /// Cost of [`in_order`](Self::in_order), without building the tree.
    pub(crate) fn cost_in_order<P: Problem>(problem: &P) -> P::Value {
        let leaves = problem.leaves();
        // Summation order of `cost`: sums of real weights depend on it.
        let weights = (2..=leaves)
            .rev()
            .map(|end| problem.weight(0, end - 1, end));
        weights
            .chain((0..leaves).map(|leaf| problem.leaf(leaf)))
            .fold(P::Value::ZERO, P::Value::plus)
    }

    /// Inner nodes in preorder.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// Calls `visit` at every step of an in-order walk. Ends early if the nodes are no tree over
    /// the leaves.
    pub fn walk<E>(&self, mut visit: impl FnMut(Step) -> Result<(), E>) -> Result<(), E> {
        enum Open {
            Range(usize, usize),
            Between(Node),
            Close(Node),
        }
        let mut nodes = self.nodes.iter();
        let mut open = vec![Open::Range(0, self.leaves)];
        while let Some(next) = open.pop() {
            match next {
                Open::Between(node) => visit(Step::Between(node))?,
                Open::Close(node) => visit(Step::Close(node))?,
                Open::Range(i, j) if j <= i => {}
                Open::Range(i, j) if j == i + 1 => visit(Step::Leaf(i))?,
                Open::Range(..) => {
                    let Some(&node) = nodes.next() else {
                        return Ok(());
                    };
                    visit(Step::Open(node))?;
                    open.push(Open::Close(node));
                    match node.split {
                        Some(k) => {
                            open.extend([
                                Open::Range(k, node.end),
                                Open::Between(node),
                                Open::Range(node.start, k),
                            ]);
                        }
                        None => open.push(Open::Range(
                            node.start.saturating_add(1),
                            node.end.saturating_sub(1),
                        )),
                    }
                }
            }
        }
        Ok(())
    }

    /// Cost of the tree by the problem's weights, in its [unit](Problem::unit). Checks that every
    /// node is a range left by its parent.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] if it is no tree over the problem's leaves.
    pub fn cost<P: Problem>(&self, problem: &P) -> Result<P::Value> {
        if self.leaves != problem.leaves() {
            let reason = format!(
                "the tree has {} leaves instead of {}",
                self.leaves,
                problem.leaves()
            );
            return Err(Error::CertificateFailed(reason));
        }
        let broken =
            |node: &Node| Error::CertificateFailed(format!("{node:?} is no part of a tree"));
        let mut nodes = self.nodes.iter();
        let mut open = vec![(0, self.leaves)];
        let mut cost = P::Value::ZERO;
        while let Some((i, j)) = open.pop() {
            match j.saturating_sub(i) {
                0 => {}
                1 => cost = cost.plus(problem.leaf(i)),
                _ => {
                    let node = nodes.next().ok_or_else(|| {
                        broken(&Node {
                            start: i,
                            end: j,
                            split: None,
                        })
                    })?;
                    if (node.start, node.end) != (i, j) {
                        return Err(broken(node));
                    }
                    match node.split {
                        Some(k) if i < k && k < j => {
                            cost = cost.plus(problem.weight(i, k, j));
                            open.extend([(k, j), (i, k)]);
                        }
                        Some(_) => return Err(broken(node)),
                        None => {
                            cost = cost.plus(problem.enclosure(i, j).ok_or_else(|| broken(node))?);
                            open.push((i + 1, j - 1));
                        }
                    }
                }
            }
        }
        nodes.next().map_or(Ok(cost), |node| Err(broken(node)))
    }

    /// Verifies that the tree's cost equals `claimed`, both in the problem's [unit](Problem::unit);
    /// returns the tree's cost.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`].
    pub fn verify<P: Problem>(
        &self,
        problem: &P,
        claimed: P::Value,
        arithmetic: Arithmetic,
    ) -> Result<P::Value> {
        let cost = self.cost(problem)?;
        if cost.agrees(claimed, self.leaves, arithmetic) {
            return Ok(cost);
        }
        Err(Error::CertificateFailed(format!(
            "the tree costs {cost} and not {claimed}"
        )))
    }

    /// A minimal range of the tree whose cost overflows.
    pub(crate) fn overflowing<P: Problem>(&self, problem: &P) -> Option<(usize, usize)> {
        let mut costs: Vec<P::Value> = Vec::new();
        // In reverse preorder every part precedes its whole, left part last.
        for node in self.nodes.iter().rev() {
            let mut part = |i: usize, j: usize| match j.saturating_sub(i) {
                0 => P::Value::ZERO,
                1 => problem.leaf(i),
                _ => costs.pop().unwrap_or(P::Value::ZERO),
            };
            let (i, j) = (node.start, node.end);
            let cost = match node.split {
                Some(k) => part(i, k).plus(part(k, j)).plus(problem.weight(i, k, j)),
                None => part(i + 1, j - 1).plus(problem.enclosure(i, j).unwrap_or(P::Value::ZERO)),
            };
            if cost.scaled(problem.unit()).overflowed() {
                return Some((i, j));
            }
            costs.push(cost);
        }
        None
    }
}

/// Step of [`Tree::walk`].
///
/// ```
/// use swath::parenthesization::{Step, Tree};
///
/// let mut text = String::new();
/// Tree::in_order(3).walk(|step| {
///     match step {
///         Step::Open(_) => text.push('('),
///         Step::Between(_) => text.push(' '),
///         Step::Leaf(leaf) => text += &leaf.to_string(),
///         Step::Close(_) => text.push(')'),
///     }
///     Ok::<(), swath::Error>(())
/// })?;
/// assert_eq!(text, "((0 1) 2)");
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A range begins.
    Open(Node),
    /// Between the left and the right part of a split range.
    Between(Node),
    /// A leaf by its index.
    Leaf(usize),
    /// A range ends.
    Close(Node),
}

/// Stable counting sort of indices by keys below `keys`.
fn counting_sort(
    numbers: impl ExactSizeIterator<Item = u32> + Clone,
    keys: usize,
    key: impl Fn(u32) -> usize,
) -> Vec<u32> {
    let mut places = vec![0u32; keys + 1];
    numbers
        .clone()
        .for_each(|number| places[key(number) + 1] += 1);
    let mut before = 0;
    for start in &mut places {
        before += *start;
        *start = before;
    }
    let mut sorted = vec![0; numbers.len()];
    for number in numbers {
        let start = &mut places[key(number)];
        sorted[*start as usize] = number;
        *start += 1;
    }
    sorted
}

/// Permutes in place by an index permutation; allocating a second array costs more.
fn permute<T>(things: &mut [T], mut order: Vec<u32>) {
    for first in 0..order.len() {
        let mut index = first;
        loop {
            let from = std::mem::replace(&mut order[index], index as u32) as usize;
            if from == first {
                break;
            }
            things.swap(index, from);
            index = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parenthesization::{MatrixChain, PointPolygon};

    #[test]
    fn cost_in_order_equals_the_cost_of_the_tree() {
        fn assert_same<P: Problem>(problem: &P) {
            let tree = Tree::in_order(problem.leaves());
            assert!(tree.cost(problem).expect("it is a tree") == Tree::cost_in_order(problem));
        }
        for leaves in [0, 1, 2, 3, 40] {
            assert_same(&MatrixChain::new(
                (0..=leaves).map(|k| k * 7 % 11 + 1).collect(),
            ));
            let corners = (0..=leaves).map(|k| [k as f64 * 0.3, (k as f64 * 1.7).sin()]);
            assert_same(&PointPolygon::new(corners.collect()).expect("they are finite"));
        }
    }

    #[test]
    fn from_nodes_sorts_nodes_into_preorder() {
        for leaves in [2, 3, 50, 1000] {
            let chain =
                MatrixChain::new((0..=leaves).map(|k| (k * 7919 % 61 + 1) as u64).collect());
            let tree =
                crate::parenthesization::hu_shing::tree(chain.dimensions().expect("it has some"))
                    .expect("it fits");
            let mut nodes = tree.nodes.clone();
            let orders: [fn(&Node) -> Option<usize>; 3] = [
                |node| node.split,
                |node| Some(node.end),
                |node| Some(usize::MAX - node.start),
            ];
            for by in orders {
                nodes.sort_by_key(by);
                assert_eq!(Tree::from_nodes(leaves, nodes.clone()), tree);
            }
        }
    }

    #[test]
    fn verify_refuses_the_tree_of_another_problem() {
        let chain = MatrixChain::new(vec![10, 100, 5, 50]);
        for leaves in [0, 1, 2, 4, 9] {
            let cost = Tree::in_order(leaves).cost(&chain);
            assert!(
                matches!(cost, Err(Error::CertificateFailed(_))),
                "{leaves}: {cost:?}"
            );
        }
    }

    #[test]
    fn invalid_trees_can_be_walked_and_are_refused() {
        let node = |start, end, split| Node { start, end, split };
        let chain = MatrixChain::new(vec![10, 100, 5, 50]);
        for (leaves, nodes) in [
            (usize::MAX, vec![]),
            (
                usize::MAX,
                vec![node(0, usize::MAX, None), node(usize::MAX, 0, None)],
            ),
            (3, vec![node(usize::MAX, 0, None), node(0, 3, None)]),
            (3, vec![node(0, 3, None), node(0, 3, Some(usize::MAX))]),
            (3, vec![node(0, 3, Some(2)); 5]),
            (3, vec![node(0, 3, Some(7)), node(0, 7, Some(1))]),
        ] {
            let tree = Tree::from_nodes(leaves, nodes);
            assert!(
                tree.verify(&chain, 7_500, Arithmetic::U64).is_err(),
                "{tree:?}"
            );
            let mut opened = 0;
            let walked = tree.walk(|step| {
                opened += usize::from(matches!(step, Step::Open(_)));
                Ok::<(), Error>(())
            });
            assert!(walked.is_ok() && opened <= tree.nodes().len(), "{tree:?}");
        }
        // Two nodes with as many leaves as they can cover: each encloses, the inner one a single
        // leaf.
        let tree = Tree::from_nodes(5, vec![node(1, 4, None), node(0, 5, None)]);
        assert_eq!(tree.nodes(), [node(0, 5, None), node(1, 4, None)]);
    }
}
