//! What the suites of the edit distance share.

use swath::Block;
use swath::edit_distance::{EditDistance, Method};
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
