//! Every problem by every method.

use std::fmt::Debug;

use swath::edit_distance::{self, Mode};
use swath::parenthesization::{
    self, MatrixChain, PointPolygon, Precision, Problem, RnaFold, SearchTree,
};
use swath::sort::RadixSort;
use swath::{Edit, Lcs, Parenthesize, Scs, Substring, Task, lcs, substring, supersequence};

use crate::inputs::Random;
use crate::tier::combinations;
use crate::trees;

/// Two sequences and how they are related.
pub type Pair = (&'static str, Vec<u32>, Vec<u32>);

/// The parts of a plan that its call has, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planned {
    All,
    /// Not its path mode, which depends on the answer.
    Device,
    /// Not which of two heuristics is better.
    Heuristic,
}

pub trait Visitor {
    /// False for tasks that take too long.
    fn takes(&self, _case: &str) -> bool {
        true
    }

    fn visit<T: Task>(&mut self, case: &str, task: &T, planned: Planned);
}

fn visit<T: Task>(visitor: &mut impl Visitor, case: String, task: T, planned: Planned) {
    if visitor.takes(&case) {
        visitor.visit(&case, &task, planned);
    }
}

/// Visits tasks of all problems: subsequences and distances of whole pairs, all others of parts of
/// some pairs of at most these lengths.
pub fn visit_all(
    visitor: &mut impl Visitor,
    pairs: &[Pair],
    parts: impl Iterator<Item = usize>,
    max: [usize; 2],
) {
    for [pair, path, method] in combinations([pairs.len(), 2, lcs::Method::ALL.len()]) {
        let ((kind, a, b), path, method) = (&pairs[pair], path == 1, lcs::Method::ALL[method]);
        let task = Lcs::of(a, b).method(method).with_path(path);
        let case = format!("lcs, {kind}, {method:?}, path {path}");
        visit(visitor, case, task, Planned::All);
    }
    let methods = edit_distance::Method::ALL;
    for [pair, path, bound, method] in combinations([pairs.len(), 2, 2, methods.len()]) {
        let ((kind, a, b), path, method) = (&pairs[pair], path == 1, methods[method]);
        let task = Edit::of(a, b).method(method).with_path(path);
        let case = format!("edit, {kind}, {method:?}, path {path}, bound {bound}");
        match bound {
            0 => visit(visitor, case, task, Planned::All),
            _ => visit(visitor, case, task.within(40), Planned::Device),
        }
    }
    for part in parts {
        let (kind, a, b) = &pairs[part];
        let (a, b) = (&a[..a.len().min(max[0])], &b[..b.len().min(max[1])]);
        visit_pieces(visitor, kind, a, b);
        visit_supersequences(visitor, kind, a, b);
        visit_substrings(visitor, kind, a, b);
    }
    for leaves in [0, 1, 2, 7, 70, 150] {
        visit_trees(visitor, leaves);
    }
    for keys in [0, 1, 300, 70_000] {
        visit_sorts(visitor, keys);
    }
}

fn visit_pieces(visitor: &mut impl Visitor, kind: &str, a: &[u32], b: &[u32]) {
    let methods = edit_distance::Method::ALL;
    for [mode, path, bound, method] in combinations([2, 2, 3, methods.len()]) {
        let (mode, path) = ([Mode::Prefix, Mode::Infix][mode], path == 1);
        let (bound, method) = ([None, Some(0), Some(20)][bound], methods[method]);
        let task = Edit::of(a, b).mode(mode).method(method).with_path(path);
        let task = bound.into_iter().fold(task, Edit::within);
        let case = format!("{mode} within {bound:?}, {kind}, {method:?}, path {path}");
        visit(visitor, case, task, Planned::Device);
    }
}

fn visit_supersequences(visitor: &mut impl Visitor, kind: &str, a: &[u32], b: &[u32]) {
    let first = |part: &'_ [u32]| part[..12.min(part.len())].to_vec();
    // A pair, an input that is removed, a small table, and intermediate merges.
    let inputs = [
        vec![a.to_vec(), b.to_vec()],
        vec![a.to_vec(), b.to_vec(), a.to_vec()],
        [a, b, &b[b.len() / 2..]].map(first).to_vec(),
        a.chunks(30).take(8).map(<[u32]>::to_vec).collect(),
    ];
    let methods = supersequence::Method::ALL;
    for [list, path, method] in combinations([inputs.len(), 2, methods.len()]) {
        let (inputs, path, method) = (&inputs[list], path == 1, methods[method]);
        let task = Scs::of_all(inputs).method(method).with_path(path);
        let case = format!("scs of {}, {kind}, {method:?}, path {path}", inputs.len());
        let planned = if list == 0 {
            Planned::All
        } else {
            Planned::Heuristic
        };
        visit(visitor, case, task, planned);
    }
}

fn visit_substrings(visitor: &mut impl Visitor, kind: &str, a: &[u32], b: &[u32]) {
    for method in substring::Method::ALL {
        for inputs in [vec![a, b], vec![a, b, &a[a.len() / 2..]]] {
            let case = format!("substring of {}, {kind}, {method:?}", inputs.len());
            let task = Substring::of_many(inputs).in_at_least(2).method(method);
            visit(visitor, case, task, Planned::All);
        }
        let task = Substring::of(a, b).min_length(9).method(method);
        let case = format!("matches, {kind}, {method:?}");
        visit(visitor, case, task, Planned::All);
    }
}

fn visit_trees(visitor: &mut impl Visitor, leaves: usize) {
    let numbers = trees::dimensions(0, leaves + 1, 1);
    let corner = |corner: usize| [corner as f64, (corner * corner % 11) as f64];
    let corners = (0..leaves + 3).map(corner).collect();
    let search = SearchTree::new(numbers.clone(), vec![]).expect("weights");
    let fold = RnaFold::new(&trees::bases(leaves, 2), 3).expect("letters");
    visit_tree(visitor, "chain", &MatrixChain::new(numbers));
    visit_tree(
        visitor,
        "polygon",
        &PointPolygon::new(corners).expect("corners"),
    );
    visit_tree(visitor, "fold", &fold);
    visit_tree(visitor, "search tree", &search);
}

fn visit_tree<P: Problem>(visitor: &mut impl Visitor, name: &str, problem: &P) {
    let methods = parenthesization::Method::ALL;
    for [method, precision] in combinations([methods.len(), Precision::ALL.len()]) {
        let (method, precision) = (methods[method], Precision::ALL[precision]);
        let task = Parenthesize::of(problem)
            .method(method)
            .precision(precision);
        let leaves = problem.leaves();
        let case = format!("{name} of {leaves}, {method:?}, {precision:?}");
        visit(visitor, case, task, Planned::All);
    }
}

fn visit_sorts(visitor: &mut impl Visitor, count: usize) {
    let keys = Random::new(14).symbols(count, 1 << 20);
    let wide: Vec<u64> = keys.iter().map(|&key| u64::from(key) << 21).collect();
    let equal = vec![7u32; count];
    let more = &equal[1.min(count)..];
    let narrow = || RadixSort::of(&keys);
    let case = |kind: &dyn Debug| format!("sort of {count} keys, {kind:?}");
    visit(visitor, case(&"narrow"), narrow(), Planned::All);
    visit(visitor, case(&"wide"), RadixSort::of(&wide), Planned::All);
    visit(visitor, case(&"equal"), RadixSort::of(&equal), Planned::All);
    visit(
        visitor,
        case(&"pairs"),
        narrow().with_payload(&equal),
        Planned::All,
    );
    visit(
        visitor,
        case(&"a payload too short"),
        narrow().with_payload(more),
        Planned::All,
    );
    visit(
        visitor,
        case(&"no bits"),
        narrow().key_bits(0),
        Planned::All,
    );
}
