//! The canonical shortest common supersequence, and checks of answers.

use std::fmt::Debug;

use super::calls::Calls;
use super::inputs::paste;
use swath::supersequence::Method;
use swath::unstable::supersequence::{ScsOptions, reference};
use swath::{Engine, Symbol};

pub fn options(method: Method, path: bool) -> ScsOptions {
    let mut options = ScsOptions::default();
    (options.method, options.path) = (method, path);
    options
}

/// The canonical string: both inputs merged along the canonical common subsequence.
pub fn expected<S: Symbol>(a: &[S], b: &[S]) -> Vec<S> {
    let mut string = Vec::new();
    let (mut i, mut j) = (0, 0);
    for run in super::expected(a, b).blocks() {
        string.extend(&a[i..run.a]);
        string.extend(&b[j..run.b]);
        string.extend(&a[run.a..run.a + run.len]);
        (i, j) = (run.a + run.len, run.b + run.len);
    }
    string.extend(&a[i..]);
    string.extend(&b[j..]);
    string
}

/// Requires the length and the canonical string from all methods.
#[track_caller]
pub fn assert_strings<S: Symbol + Debug>(
    engine: &Engine,
    methods: &[Method],
    (a, b): (&[S], &[S]),
    input: &dyn Debug,
) {
    let (length, string) = (reference::length(a, b), expected(a, b));
    assert_eq!(
        string.len() as u64,
        length,
        "the canonical string is a shortest one: {input:?}"
    );
    for &method in methods {
        for path in [false, true] {
            let shown = || format!("{method:?} {path} {input:?} {}", paste(a, b));
            let answer = engine
                .scs_with(a, b, &options(method, path))
                .unwrap_or_else(|e| panic!("{e} {}", shown()));
            assert_eq!(
                (answer.length, answer.lower_bound, answer.exact),
                (length, length, true),
                "{}",
                shown()
            );
            if method != Method::Auto {
                assert_eq!(answer.run.method, method.name());
            }
            let found = answer
                .answer
                .supersequence
                .map(|found| found.symbols(&[a, b]).expect("they are its inputs"));
            assert!(
                found == path.then(|| string.clone()),
                "{found:?}\nnot {string:?}\n{}",
                shown()
            );
        }
    }
}
