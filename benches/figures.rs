//! Estimates of single-threaded methods that are selected by name, against measured times: the
//! rates in `engine::profile::cpu` that no other benchmark measures. Every answer is checked by
//! another method.
//!
//! `cargo bench -p swath-bench --bench figures -- [--device D] [--only NAME] [--shrink N] [--json
//! FILE] [--against FILE]`. The baseline of a row is its plan's estimate.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use swath::Phase;
use swath::supersequence::CommonSupersequence;
use swath::{Edit, Lcs, Report, Run, Scs, Substring, Task};
use swath::{edit_distance, lcs, substring, supersequence};
use swath_bench::ceiling::Work;
use swath_bench::inputs::{edited, letters};
use swath_bench::record::Row;
use swath_bench::supersequences::holds_all;
use swath_bench::timing::{best_of, shortest};
use swath_bench::{Bench, native};

/// Name of the estimate in a row.
const PLAN: &str = "its plan";
/// Alphabet sizes of most inputs.
const ALPHABETS: [u64; 2] = [4, 26];

type Pair = (Vec<u8>, Vec<u8>);

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    for symbols in ALPHABETS {
        for (n, calls) in [(4_000, 10), (8_000, 5)] {
            reference(&mut bench, (n, symbols), calls);
        }
        for (n, calls) in [(2_000, 5), (5_000, 2)] {
            substring_reference(&mut bench, (n, symbols), calls);
        }
        for (n, calls) in [(2_000, 20), (8_000, 5), (20_000, 3)] {
            tiled(&mut bench, (n, symbols), calls);
            anti_diagonals(&mut bench, (n, symbols), calls);
            row_wise(&mut bench, (n, symbols), calls);
        }
    }
    anti_diagonals(&mut bench, (60_000, 4), 2);
    anchors(&mut bench);
    for (inputs, n) in [(2, 3_000), (3, 100), (3, 300), (4, 25), (4, 60), (6, 10)] {
        k_dimensional(&mut bench, inputs, n);
    }
    for (inputs, n) in [
        (6, 200),
        (6, 5_000),
        (6, 20_000),
        (24, 200),
        (24, 2_000),
        (100, 500),
    ] {
        heuristics(&mut bench, inputs, n);
    }
    bench.finish()
}

/// Lengths and paths by the plain pairwise tables.
fn reference(bench: &mut Bench, (n, symbols): (usize, u64), calls: usize) {
    let ((a, b), size) = pair(bench, n, symbols);
    let cells = cells(&[&a, &b]);
    for path in [false, true] {
        let what = if path { "path" } else { "length" };
        let case =
            |problem: &str| Case::new(format!("reference, {problem} {what} {size}"), calls, cells);
        let task = Lcs::of(&a, &b).with_path(path);
        measure(
            bench,
            &case("lcs"),
            &task.clone().method(lcs::Method::Reference),
            |found| {
                let other = answer(&task);
                (found.length, &found.subsequence) == (other.length, &other.subsequence)
            },
        );
        let task = Edit::of(&a, &b).with_path(path);
        measure(
            bench,
            &case("edit"),
            &task.clone().method(edit_distance::Method::Reference),
            |found| {
                let other = answer(&task);
                (found.distance, &found.alignment) == (other.distance, &other.alignment)
            },
        );
        let task = Scs::of(&a, &b).with_path(path);
        let right = |found: &Report<_>| is_same(found, &answer(&task));
        measure(
            bench,
            &case("scs"),
            &task.clone().method(supersequence::Method::Reference),
            right,
        );
    }
}

/// Longest common substring by the plain table.
fn substring_reference(bench: &mut Bench, (n, symbols): (usize, u64), calls: usize) {
    let ((a, b), size) = pair(bench, n, symbols);
    let all = (a.len() + b.len()) as u128;
    let case = Case::new(format!("reference, substring {size}"), calls, all * all);
    let task = Substring::of(&a, &b);
    measure(
        bench,
        &case,
        &task.clone().method(substring::Method::Reference),
        |found| found.substrings == answer(&task).substrings,
    );
}

/// Edit distances by tiles.
fn tiled(bench: &mut Bench, (n, symbols): (usize, u64), calls: usize) {
    let ((a, b), size) = pair(bench, n, symbols);
    let case = Case::new(
        format!("tiled, edit length {size}"),
        calls,
        cells(&[&a, &b]),
    );
    let task = Edit::of(&a, &b);
    measure(
        bench,
        &case,
        &task.clone().method(edit_distance::Method::Tiled),
        |found| found.distance == answer(&task).distance,
    );
}

/// Edit distances and supersequences by anti-diagonals.
fn anti_diagonals(bench: &mut Bench, (n, symbols): (usize, u64), calls: usize) {
    let ((a, b), size) = pair(bench, n, symbols);
    let case = |what: &str| {
        Case::new(
            format!("anti-diagonal, {what} {size}"),
            calls,
            cells(&[&a, &b]),
        )
    };
    let task = Edit::of(&a, &b);
    measure(
        bench,
        &case("edit length"),
        &task.clone().method(edit_distance::Method::AntiDiagonal),
        |found| found.distance == answer(&task).distance,
    );
    for path in [false, true] {
        let task = Scs::of(&a, &b).with_path(path);
        let by_diagonals = task.clone().method(supersequence::Method::AntiDiagonal);
        let case = case(if path { "scs path" } else { "scs length" });
        measure(bench, &case, &by_diagonals, |found| {
            is_same(found, &answer(&task))
        });
    }
}

/// Row-wise supersequences, and the segments of their paths alone.
fn row_wise(bench: &mut Bench, (n, symbols): (usize, u64), calls: usize) {
    let ((a, b), size) = pair(bench, n, symbols);
    let task = Scs::of(&a, &b);
    let [length, path] = [false, true].map(|path| {
        task.clone()
            .with_path(path)
            .method(supersequence::Method::RowWise)
    });
    let case = |what: &str| {
        Case::new(
            format!("row-wise, scs {what} {size}"),
            calls,
            cells(&[&a, &b]),
        )
    };
    measure(bench, &case("length"), &length, |found| {
        is_same(found, &answer(&task))
    });
    measure(bench, &case("path"), &path, |found| {
        is_same(found, &answer(&task.clone().path()))
    });
    let case = case("segments");
    if bench.wants(&case.name) {
        let engine = native(Some(1));
        let mut times = Vec::new();
        let ours = best_of(calls, || {
            let found = engine.run(&path)?;
            times.extend(
                found
                    .run
                    .phases
                    .iter()
                    .filter(|(phase, _)| *phase == Phase::Trace)
                    .map(|(_, time)| *time),
            );
            Ok(found)
        });
        let run = &ours.answer.run;
        let case = Case {
            count: run.computed_cells - run.cells,
            ..case
        };
        let right = is_same(&ours.answer, &answer(&task.clone().path()));
        row(bench, &case, &times, None, run, right);
    }
}

/// All maximal matches of random texts, and of texts with one edit in a thousand symbols.
fn anchors(bench: &mut Bench) {
    for (n, calls) in [(100_000, 20), (1_000_000, 5), (10_000_000, 2)] {
        let n = bench.size(n);
        for (what, symbols, least) in [
            ("random", 4, 20),
            ("random", 26, 20),
            ("one edit in 1000,", 4, 20),
            ("one edit in 1000,", 4, 1_000),
        ] {
            let name = format!("anchors, {what} {n} x {n}, {symbols} letters, {least} or more");
            let case = Case {
                work: Work::Windows,
                ..Case::new(name, calls, 2 * n as u128)
            };
            if bench.wants(&case.name) {
                let a = letters(n, symbols, 3);
                let b = if what == "random" {
                    letters(n, symbols, 4)
                } else {
                    edited(&a, 1, 1_000, 6)
                };
                let task = Substring::of(&a, &b).min_length(least);
                measure(bench, &case, &task, |found| {
                    found.matches
                        == answer(&task.clone().method(substring::Method::SuffixArray)).matches
                });
            }
        }
    }
}

/// The exact table of several inputs.
fn k_dimensional(bench: &mut Bench, inputs: usize, n: usize) {
    let (texts, size) = several(bench, inputs, n);
    let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    let cells = texts.iter().map(|text| text.len() as u128 + 1).product();
    let case = Case::new(format!("k-dimensional, {size}"), 3, cells);
    let task = Scs::of_all(texts.iter().copied()).path();
    measure(
        bench,
        &case,
        &task.clone().method(supersequence::Method::KDimensional),
        |found| {
            let other = answer(&task.clone().method(supersequence::Method::MergeTree));
            found.exact
                && holds_all(found, &texts)
                && (other.lower_bound..=other.length).contains(&found.length)
        },
    );
}

/// Heuristics for several inputs, counted in the cells of all pairs.
fn heuristics(bench: &mut Bench, inputs: usize, n: usize) {
    let (texts, size) = several(bench, inputs, n);
    let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    for method in [
        supersequence::Method::MergeTree,
        supersequence::Method::MajorityMerge,
    ] {
        let case = Case::new(format!("{}, {size}", method.name()), 3, cells(&texts));
        let task = Scs::of_all(texts.iter().copied()).path().method(method);
        measure(bench, &case, &task, |found| {
            holds_all(found, &texts) && found.lower_bound <= found.length
        });
    }
}

/// Name and number of calls of a row, and the cells or symbols per call.
struct Case {
    name: String,
    calls: usize,
    count: u128,
    work: Work,
}

impl Case {
    fn new(name: String, calls: usize, count: u128) -> Self {
        Self {
            name: format!("{name}, 1 thread"),
            calls,
            count,
            work: Work::LcsCells,
        }
    }
}

/// Measures the calls of a row against their plan.
fn measure<T: Task>(
    bench: &mut Bench,
    case: &Case,
    task: &T,
    right: impl FnOnce(&Report<T::Answer>) -> bool,
) {
    if bench.wants(&case.name) {
        let engine = native(Some(1));
        let plan = engine.plan(task).unwrap_or_else(|error| panic!("{error}"));
        let ours = best_of(case.calls, || engine.run(task));
        let right = right(&ours.answer);
        row(
            bench,
            case,
            ours.times(),
            Some((PLAN, plan.expected)),
            &ours.answer.run,
            right,
        );
    }
}

fn row(
    bench: &mut Bench,
    case: &Case,
    times: &[Duration],
    baseline: Option<(&str, Duration)>,
    run: &Run,
    right: bool,
) {
    bench.row(Row {
        case: &case.name,
        times,
        count: case.count,
        computed: run.computed_cells,
        work: case.work,
        device: &run.device,
        baseline,
        right,
        remark: format!(
            "{:.1} a microsecond",
            1e-6 * case.count as f64 / shortest(times).as_secs_f64()
        ),
        path_mode: Some(run.path_mode),
        phases: &run.phases,
        members: json!({}),
    });
}

/// Answer by the engine's default method, or by the task's.
fn answer<T: Task>(task: &T) -> Report<T::Answer> {
    native(None)
        .run(task)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn is_same(found: &CommonSupersequence, other: &CommonSupersequence) -> bool {
    (found.length, &found.supersequence) == (other.length, &other.supersequence)
}

/// Random inputs, and their name.
fn pair(bench: &Bench, n: usize, symbols: u64) -> (Pair, String) {
    let n = bench.size(n);
    (
        (letters(n, symbols, 1), letters(n, symbols, 2)),
        format!("{n} x {n}, {symbols} letters"),
    )
}

fn several(bench: &Bench, inputs: usize, n: usize) -> (Vec<Vec<u8>>, String) {
    let n = bench.size(n);
    (
        (1..=inputs as u64)
            .map(|seed| letters(n, 4, seed))
            .collect(),
        format!("{inputs} inputs of {n}, 4 letters"),
    )
}

/// Cells of the tables of all pairs.
fn cells(texts: &[&[u8]]) -> u128 {
    let total: u128 = texts.iter().map(|text| text.len() as u128).sum();
    let squares: u128 = texts.iter().map(|text| (text.len() as u128).pow(2)).sum();
    (total * total - squares) / 2
}
