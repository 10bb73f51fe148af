//! What the suites of the edit distance share.

use swath::Block;
use swath::edit_distance::{EditDistance, Gaps, Method};
use swath::unstable::edit_distance::reference;

use super::calls::Calls;
use swath::unstable::edit_distance::EditOptions;
use swath::{Engine, Report, Symbol};

pub fn options(method: Method, path: bool) -> EditOptions {
    let mut options = EditOptions::default();
    (options.method, options.path) = (method, path);
    options
}

pub fn with(mut options: EditOptions, change: impl FnOnce(&mut EditOptions)) -> EditOptions {
    change(&mut options);
    options
}

pub fn solved<S: Symbol>(engine: &Engine, a: &[S], b: &[S], options: &EditOptions) -> Report<EditDistance> {
    engine.edit_distance_with(a, b, options).unwrap_or_else(|error| panic!("{error}\n{options:?}"))
}

/// The canonical alignment: the common prefix and then the common suffix are paired, and between them the reference table
/// decides, its rows the longer side.
pub fn expected<S: PartialEq>(a: &[S], b: &[S]) -> Vec<Block> {
    let prefix = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (left_a, left_b) = (&a[prefix..], &b[prefix..]);
    let suffix = left_a.iter().rev().zip(left_b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (left_a, left_b) = (&left_a[..left_a.len() - suffix], &left_b[..left_b.len() - suffix]);
    let between = match left_b.len() > left_a.len() {
        true => reference::path(left_b, left_a).as_slice().iter().map(|run| (run.b, run.a, run.len)).collect(),
        false => {
            reference::path(left_a, left_b).as_slice().iter().map(|run| (run.a, run.b, run.len)).collect::<Vec<_>>()
        }
    };
    let mut runs: Vec<Block> = Vec::new();
    let between = between.into_iter().map(|(a, b, len)| Block { a: a + prefix, b: b + prefix, len });
    let ends = [Block { a: 0, b: 0, len: prefix }, Block { a: a.len() - suffix, b: b.len() - suffix, len: suffix }];
    for run in ends[..1].iter().copied().chain(between).chain(ends[1..].iter().copied()).filter(|run| run.len > 0) {
        match runs.last_mut() {
            Some(last) if last.a + last.len == run.a && last.b + last.len == run.b => last.len += run.len,
            _ => runs.push(run),
        }
    }
    runs
}

/// Whether no gap of a path over `a` and `b` can go further to its side: through a pair of equal symbols one of which enters it
/// while an equal one leaves it.
pub fn gaps_are_at<S: PartialEq>(side: Gaps, blocks: &[Block], a: &[S], b: &[S]) -> bool {
    let ends = [Block { a: 0, b: 0, len: 0 }, Block { a: a.len(), b: b.len(), len: 0 }];
    let all: Vec<Block> = ends[..1].iter().chain(blocks).chain(&ends[1..]).copied().collect();
    all.windows(2).all(|pair| {
        let (before, after) = (pair[0], pair[1]);
        let gap_a = before.a + before.len..after.a;
        let gap_b = before.b + before.len..after.b;
        let enters = if side == Gaps::Left { before.len > 0 } else { after.len > 0 };
        match (gap_a.is_empty(), gap_b.is_empty(), side) {
            _ if !enters => true,
            (false, true, Gaps::Left) => a[gap_a.start - 1] != a[gap_a.end - 1],
            (false, true, Gaps::Right) => a[gap_a.end] != a[gap_a.start],
            (true, false, Gaps::Left) => b[gap_b.start - 1] != b[gap_b.end - 1],
            (true, false, Gaps::Right) => b[gap_b.end] != b[gap_b.start],
            _ => true,
        }
    })
}
