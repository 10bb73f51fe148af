//! Common substring searches on a device and by an engine, and their checks.

use std::fmt::Debug;

use swath::substring::{self, Place};
use swath::unstable::backend::Backend;
use swath::unstable::engine::Device;
use swath::unstable::papers::sort_and_scan;
use swath::unstable::substring::search::alphabet::Alphabet;
use swath::unstable::substring::search::{SearchOutcome, Settings};
use swath::unstable::substring::{Code, LongestSubstrings, SubstringQuery, gpu, reference};
use swath::{Engine, Error, Substring, Symbol};

/// Device memory of the tests.
pub const BUDGET: u64 = 1 << 30;

/// Methods with a GPU implementation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    Cascade,
    SortAndScan,
}

pub const METHODS: [Method; 2] = [Method::Cascade, Method::SortAndScan];

/// Methods that the settings apply to: only the cascade has a first length.
pub fn methods(settings: &Settings) -> impl Iterator<Item = Method> {
    let is_first =
        settings.tuning.start_length.is_some() && settings.tuning.chunk_symbols.is_none();
    METHODS
        .into_iter()
        .filter(move |&method| method == Method::Cascade || !is_first)
}

/// Runs a search on a device.
pub fn on_backend<C: Code>(
    backend: &dyn Backend,
    method: Method,
    query: SubstringQuery<'_, C>,
    settings: &Settings,
    budget_bytes: u64,
) -> Result<SearchOutcome, Error> {
    let device = Device {
        budget_bytes,
        ..crate::device(backend)
    };
    let alphabet = Alphabet::of(query.texts);
    let answer = match method {
        Method::Cascade => pollster::block_on(gpu::on_gpu(&device, query, alphabet, settings)),
        Method::SortAndScan => {
            pollster::block_on(sort_and_scan::on_gpu(&device, query, alphabet, settings))
        }
    };
    answer.map(|(answer, _)| answer)
}

pub fn found(answer: SearchOutcome) -> LongestSubstrings {
    match answer {
        SearchOutcome::Found(found) => found,
        SearchOutcome::Undecided => panic!("undecided"),
    }
}

/// Requires the reference's answer of `methods`.
#[track_caller]
pub fn assert_reference<C: Code>(
    backend: &dyn Backend,
    methods: impl Iterator<Item = Method>,
    texts: &[&[C]],
    inputs: usize,
    settings: &Settings,
) {
    let query = SubstringQuery { texts, inputs };
    let expected = reference::longest(texts, inputs, || true).expect("nothing ends it");
    for method in methods {
        let answer = on_backend(backend, method, query, settings, BUDGET);
        let answer = found(answer.expect("it runs"));
        assert_eq!(
            answer,
            expected,
            "{method:?}, {inputs} of {} texts, {settings:?}",
            texts.len()
        );
    }
}

/// Length, and text and position of all occurrences of each longest substring.
pub type Places = (usize, Vec<Vec<(usize, usize)>>);

pub fn longest<S: Symbol>(
    engine: &Engine,
    texts: &[&[S]],
    inputs: u64,
    method: substring::Method,
) -> Places {
    let task = Substring::of_many(texts.to_vec())
        .in_at_least(inputs)
        .method(method);
    let report = engine.run(&task).expect("it is answered");
    let places = |places: &[Place]| {
        places
            .iter()
            .map(|place| (place.input, place.start))
            .collect()
    };
    (
        report.length,
        report
            .substrings
            .iter()
            .map(|substring| places(&substring.places))
            .collect(),
    )
}

/// Requires the reference's answers from all methods, for any number of texts.
#[track_caller]
pub fn assert_longest<S: Symbol>(
    engine: &Engine,
    methods: &[substring::Method],
    texts: &[&[S]],
    context: impl Debug,
) {
    for inputs in 2..=texts.len() {
        let found = reference::longest(texts, inputs, || true).expect("nobody cancels");
        for &method in methods {
            let answer = longest(engine, texts, inputs as u64, method);
            assert_eq!(
                answer,
                (found.length, found.occurrences.clone()),
                "{method} in {inputs}: {context:?}"
            );
        }
    }
}

pub fn matches<S: Symbol>(
    engine: &Engine,
    (a, b): (&[S], &[S]),
    least: usize,
    method: substring::Method,
) -> Vec<(usize, usize, usize)> {
    let task = Substring::of(a, b).min_length(least as u64).method(method);
    let report = engine.run(&task).expect("it is answered");
    report
        .matches
        .iter()
        .map(|found| (found.a.start, found.b.start, found.length))
        .collect()
}

/// Requires the reference's matches from all methods.
#[track_caller]
pub fn assert_matches<S: Symbol>(
    engine: &Engine,
    methods: &[substring::Method],
    (a, b): (&[S], &[S]),
    least: usize,
    context: impl Debug,
) {
    let expected = reference::matches(a, b, least, || true).expect("nobody cancels");
    for &method in methods {
        let found = matches(engine, (a, b), least, method);
        assert_eq!(found, expected, "{method}, at least {least}: {context:?}");
    }
}
