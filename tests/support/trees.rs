//! Parenthesization problems: inputs and checks against the reference.

use std::fmt::Debug;

use swath::parenthesization::Parenthesization;
use swath::parenthesization::{Arithmetic, Method, Node, Precision, Problem, Tree, Value};
use swath::unstable::parenthesization::{ParenthesizationOptions, Tuning, reference};
use swath::{Engine, Report};

use super::calls::Calls;
use super::inputs::Random;

/// Methods with a GPU implementation.
pub const GPU_METHODS: [Method; 3] = [Method::Tiled, Method::Adaptive, Method::ThreadPerSubproblem];

pub fn options(method: Method, tuning: Tuning) -> ParenthesizationOptions {
    let mut options = ParenthesizationOptions::default();
    (options.method, options.tuning) = (method, tuning);
    options
}

pub fn tuning(tile: u32, arithmetic: Option<Arithmetic>, checked_sums: bool) -> Tuning {
    let mut tuning = Tuning::default();
    (tuning.tile, tuning.arithmetic, tuning.checked_sums) = (Some(tile), arithmetic, checked_sums);
    tuning
}

/// The reference's cost in units of 1, and its tree.
pub fn expected<P: Problem>(problem: &P) -> (P::Value, Tree) {
    let (cost, tree) = reference::solve(problem).expect("it fits");
    (cost.scaled(problem.unit()), tree)
}

/// Requires the reference's cost, and its tree where the tie rule applies; prints `input` on
/// failure.
#[track_caller]
pub fn assert_answer<P: Problem>(
    engine: &Engine,
    problem: &P,
    options: &ParenthesizationOptions,
    input: &dyn Debug,
) -> Report<Parenthesization<P::Value>> {
    let expected = expected(problem);
    let answer = engine.parenthesize(problem, options);
    let answer = answer.unwrap_or_else(|error| panic!("{error}\n{}", shown(options, input)));
    assert_is(&answer, expected, problem, options, input);
    answer
}

/// Checks an existing answer as [`assert_answer`] does.
#[track_caller]
pub fn assert_is<P: Problem>(
    answer: &Report<Parenthesization<P::Value>>,
    (cost, tree): (P::Value, Tree),
    problem: &P,
    options: &ParenthesizationOptions,
    input: &dyn Debug,
) {
    let shown = || shown(options, input);
    let exact = !answer.arithmetic.is_approximate();
    assert_eq!(
        exact,
        options.precision == Precision::Exact || answer.arithmetic != Arithmetic::F32,
        "{}",
        shown()
    );
    assert!(
        answer
            .cost
            .agrees(cost, problem.leaves(), answer.arithmetic),
        "{} not {cost}\n{}",
        answer.cost,
        shown()
    );
    let replayed = replayed(problem, &answer.tree).scaled(problem.unit());
    assert!(
        replayed.agrees(cost, problem.leaves(), answer.arithmetic),
        "{}",
        shown()
    );
    if exact && !matches!(options.method, Method::Auto | Method::HuShing) {
        assert!(
            answer.tree == tree,
            "{:?}\nnot {tree:?}\n{}",
            answer.tree,
            shown()
        );
    }
    if options.method != Method::Auto {
        assert_eq!(answer.run.method, options.method.name());
    }
}

fn shown(options: &ParenthesizationOptions, input: &dyn Debug) -> String {
    format!(
        "{:?} {:?} {:?}\n{input:?}",
        options.method, options.precision, options.tuning
    )
}

/// Validates a tree and returns its cost by the recurrence; shares no code with the library's
/// verification.
pub fn replayed<P: Problem>(problem: &P, tree: &Tree) -> P::Value {
    fn range<P: Problem>(problem: &P, nodes: &[Node], i: usize, j: usize) -> P::Value {
        if j == i {
            return P::Value::ZERO;
        }
        if j == i + 1 {
            return problem.leaf(i);
        }
        let node = nodes
            .iter()
            .find(|node| (node.start, node.end) == (i, j))
            .expect("every range is a node");
        match node.split {
            Some(k) => {
                assert!(i < k && k < j);
                let parts = range(problem, nodes, i, k).plus(range(problem, nodes, k, j));
                parts.plus(problem.weight(i, k, j))
            }
            None => range(problem, nodes, i + 1, j - 1)
                .plus(problem.enclosure(i, j).expect("it may enclose")),
        }
    }
    assert!(
        tree.nodes().len() < problem.leaves().max(1),
        "no node is spare: {tree:?}"
    );
    range(problem, tree.nodes(), 0, problem.leaves())
}

/// Dimensions by kind: random, equal, increasing, decreasing, unimodal, alternating, few values.
pub fn dimensions(kind: usize, count: usize, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed * 31 + kind as u64);
    let count = count as u64;
    (0..count)
        .map(|place| match kind {
            0 => 1 + random.below(1_000),
            1 => 7,
            2 => 3 + place,
            3 => 3 + count - place,
            4 => 3 + place.min(count - place),
            5 => [2, 90][place as usize % 2],
            6 => 1 + random.below(4),
            _ => 3 + place.max(count - place),
        })
        .collect()
}
pub const KINDS: usize = 8;

/// Leaf counts around tile widths; there is one more point than leaves.
pub fn lengths(tile: usize) -> Vec<usize> {
    let mut lengths = vec![0, 1, 2, 3, 4, 5];
    for tiles in [1, 2, 3, 5] {
        lengths.extend([
            tiles * tile - 2,
            tiles * tile - 1,
            tiles * tile,
            tiles * tile + 1,
        ]);
    }
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

pub fn bases(count: usize, seed: u64) -> Vec<u8> {
    Random::new(seed)
        .symbols(count, 5)
        .into_iter()
        .map(|symbol| b"ACGUN"[symbol as usize])
        .collect()
}
