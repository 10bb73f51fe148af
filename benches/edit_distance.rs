//! Edit distance: every case with its baseline in one run, every answer checked.
//!
//! `cargo bench -p swath-bench --bench edit_distance -- [--device D] [--clock-ghz F] [--only NAME]
//! [--shrink N] [--json FILE] [--against FILE]`.

use std::process::ExitCode;
use std::time::Duration;

use rapidfuzz::distance::levenshtein;
use serde_json::json;
use swath::edit_distance::{EditDistance, Method};
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::kernels::bit_parallel::Matching;
use swath::unstable::lcs::Tuning;
use swath::{Edit, Engine, Report};
use swath_bench::calls::Calls;
use swath_bench::ceiling::Work;
use swath_bench::inputs::{edited, letters};
use swath_bench::reads::two_reads;
use swath_bench::record::Row;
use swath_bench::timing::{Timed, best_of, once, without_and_with};
use swath_bench::{Bench, native};

type Pair = (Vec<u8>, Vec<u8>);

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    on_the_cpu(&mut bench);
    let ours = |engine: &Engine, a: &[u8], b: &[u8]| {
        // No bound was requested.
        engine
            .run(&Edit::of(a, b))
            .map(|found| found.distance.exactly().unwrap_or(u64::MAX))
    };
    let theirs = |a: &[u8], b: &[u8]| levenshtein::distance(a.iter(), b.iter()) as u64;
    two_reads(&mut bench, "distance", Work::EditCells, ours, theirs);
    if let Some(gpu) = bench.engine() {
        distances(&mut bench, &gpu);
        path(&mut bench, &gpu);
        for (n, percent) in [
            (1_000_000, 1),
            (1_000_000, 5),
            (1_000_000, 15),
            (5_000_000, 1),
        ] {
            similar(&mut bench, &gpu, "", n, percent);
        }
        for (n, of) in [
            (1_000_000, 10_000),
            (1_000_000, 1000),
            (5_000_000, 10_000),
            (5_000_000, 1000),
            (5_000_000, 300),
        ] {
            very_similar(&mut bench, &gpu, n, of);
        }
    }
    bench.finish()
}

/// One thread against rapidfuzz on random strings; alignments of similar strings against the
/// distance alone.
fn on_the_cpu(bench: &mut Bench) {
    let one = native(Some(1));
    for symbols in [4, 26, 200] {
        let n = bench.size(100_000);
        let name = format!("cpu distance {n} x {n}, {symbols} letters, 1 thread");
        if bench.wants(&name) {
            let pair = &(letters(n, symbols, 7), letters(n, symbols, 8));
            let theirs = once(|| levenshtein::distance(pair.0.iter(), pair.1.iter()) as u64);
            for method in [Method::BitParallel, Method::Auto] {
                let ours = time(&one, pair, &options(method, false), 5);
                let right = ours.answer.distance.exactly() == Some(theirs.answer);
                let baseline = Some(("rapidfuzz, 1 thread", theirs.best()));
                row(
                    bench,
                    &format!("{name}, {}", method.name()),
                    &ours,
                    baseline,
                    right,
                );
            }
        }
    }
    for percent in [1, 5, 15] {
        similar(bench, &one, "cpu, 1 thread,", 1_000_000, percent);
    }
    small_searches(bench);
}

/// Searches for reads in reads, with their alignments: all threads against one, which should take
/// no longer.
fn small_searches(bench: &mut Bench) {
    let name = "cpu 10,000 searches, reads of 150 in reads of 150, alignments";
    if !bench.wants(name) {
        return;
    }
    let reads: Vec<Vec<u8>> = (1..=200).map(|seed| letters(150, 4, seed)).collect();
    let (queries, targets) = reads.split_at(100);
    let all = |engine: &Engine| {
        let pairs = queries
            .iter()
            .flat_map(|query| targets.iter().map(move |target| (query, target)));
        pairs
            .map(|(query, target)| {
                let found = engine.run(&Edit::of(&query[..], &target[..]).infix().path())?;
                Ok(found.distance.exactly().unwrap_or(u64::MAX))
            })
            .sum::<swath::Result<u64>>()
    };
    let (default, one) = (native(None), native(Some(1)));
    let (ours, theirs) = (best_of(3, || all(&default)), best_of(3, || all(&one)));
    let cells = 100 * 100 * 150 * 150;
    bench.row(Row {
        case: name,
        times: ours.times(),
        count: cells,
        computed: cells,
        work: Work::EditCells,
        device: "cpu",
        baseline: Some(("1 thread", theirs.best())),
        right: ours.answer == theirs.answer,
        remark: String::new(),
        path_mode: None,
        phases: &[],
        members: json!({ "distances": ours.answer }),
    });
}

/// Random strings against the anti-diagonal method, or against other tiles where that takes too
/// long. The CPU checks the answer, or the other tiles do where it takes minutes. Short calls are
/// repeated more often.
fn distances(bench: &mut Bench, gpu: &Engine) {
    for (full, times) in [(150_000, 25), (1_000_000, 3), (10_000_000, 3)] {
        let n = bench.size(full);
        let name = format!("distance {n} x {n}, 4 letters");
        if bench.wants(&name) {
            let pair = &(letters(n, 4, 1), letters(n, 4, 2));
            let ours = time(gpu, pair, &options(Method::BitParallel, false), times);
            let (other, mut call_options) = match full < 1_000_000 {
                true => (
                    "anti-diagonal, same device",
                    options(Method::AntiDiagonal, false),
                ),
                false => ("bit planes, 4 limbs", options(Method::BitParallel, false)),
            };
            if call_options.method == Method::BitParallel {
                call_options.tuning = Tuning {
                    limbs: Some(4),
                    matching: Some(Matching::Planes),
                    ..Tuning::default()
                };
            }
            let baseline = time(gpu, pair, &call_options, 1);
            let found = [&ours, &baseline].map(|timed| timed.answer.distance.exactly());
            let right = found
                == [if n < 10_000_000 {
                    native_distance(pair)
                } else {
                    found[1]
                }; 2]
                && found[1].is_some();
            row(bench, &name, &ours, Some((other, baseline.best())), right);
            by_default(bench, gpu, &name, pair, &ours);
        }
    }
}

/// The default method, which sweeps a band if it proves the answer, against the whole table, which
/// checks it.
fn by_default(
    bench: &mut Bench,
    gpu: &Engine,
    name: &str,
    pair: &Pair,
    whole: &Timed<Report<EditDistance>>,
) {
    let ours = time(
        gpu,
        pair,
        &options(Method::Auto, whole.answer.alignment.is_some()),
        3,
    );
    let right = ours.answer.distance == whole.answer.distance
        && ours.answer.alignment == whole.answer.alignment;
    row(
        bench,
        &format!("{name}, auto"),
        &ours,
        Some(("the whole table", whole.best())),
        right,
    );
}

/// A path against the distance of the same pair. The certificate proves its cost, the CPU that none
/// is less.
fn path(bench: &mut Bench, gpu: &Engine) {
    let n = bench.size(5_000_000);
    let name = format!("path {n} x {n}, 4 letters");
    if bench.wants(&name) {
        let pair = &(letters(n, 4, 3), letters(n, 4, 4));
        let ask =
            |path| gpu.edit_distance_with(&pair.0, &pair.1, &options(Method::BitParallel, path));
        let [distance, path] = without_and_with(ask);
        let right = [&path, &distance].map(|timed| timed.answer.distance.exactly())
            == [native_distance(pair); 2];
        row(
            bench,
            &name,
            &path,
            Some(("its distance alone", distance.best())),
            right,
        );
        by_default(bench, gpu, &name, pair, &path);
    }
}

/// Alignment and CIGAR of similar strings, against the distance alone. The certificate proves the
/// cost, rapidfuzz that none is less.
fn similar(bench: &mut Bench, engine: &Engine, on: &str, n: usize, percent: u64) {
    let n = bench.size(n);
    let name = format!("{on} alignment {n}, {percent} % apart");
    let name = name.trim_start();
    if bench.wants(name) {
        let a = letters(n, 4, 9);
        let pair = &(a.clone(), edited(&a, percent, 100, 10));
        let ask = |path| engine.edit_distance_with(&pair.0, &pair.1, &options(Method::Auto, path));
        let [distance, mut path] = without_and_with(ask);
        let alignment = path.answer.alignment.as_ref();
        let written = || alignment.and_then(|found| found.cigar_extended(&pair.0, &pair.1).ok());
        let cigar = once(|| written().unwrap_or_default());
        path.prolong(cigar.best());
        let found = [&path, &distance].map(|timed| timed.answer.distance.exactly());
        let right = found == [distance_within(pair, found[0]); 2] && !cigar.answer.is_empty();
        row(
            bench,
            name,
            &path,
            Some(("its distance alone", distance.best())),
            right,
        );
    }
}

/// Alignment of strings with one edit in `of` symbols, by default and by wavefronts, against bands
/// on the same device.
fn very_similar(bench: &mut Bench, engine: &Engine, n: usize, of: u64) {
    let n = bench.size(n);
    let name = format!("alignment {n}, 1 edit in {of}");
    if bench.wants(&name) {
        let a = letters(n, 4, 9);
        let pair = &(a.clone(), edited(&a, 1, of, 10));
        let bands = time(engine, pair, &options(Method::Banded, true), 3);
        for method in [Method::Auto, Method::Wavefront] {
            let ours = time(engine, pair, &options(method, true), 3);
            let right = ours.answer.distance == bands.answer.distance
                && ours.answer.alignment == bands.answer.alignment;
            let name = format!("{name}, {}", method.name());
            row(bench, &name, &ours, Some(("bands", bands.best())), right);
        }
    }
}

/// The distance on the CPU.
fn native_distance(pair: &Pair) -> Option<u64> {
    let answer =
        native(None).edit_distance_with(&pair.0, &pair.1, &options(Method::BitParallel, false));
    answer
        .unwrap_or_else(|error| panic!("{error}"))
        .distance
        .exactly()
}

/// The distance by rapidfuzz, `None` if it exceeds `max`.
fn distance_within((a, b): &Pair, max: Option<u64>) -> Option<u64> {
    let max = max? as usize;
    let within = levenshtein::Args::default()
        .score_hint(max)
        .score_cutoff(max);
    levenshtein::distance_with_args(a.iter(), b.iter(), &within).map(|distance| distance as u64)
}

fn time(
    engine: &Engine,
    (a, b): &Pair,
    options: &EditOptions,
    times: usize,
) -> Timed<Report<EditDistance>> {
    best_of(times, || engine.edit_distance_with(a, b, options))
}

fn options(method: Method, path: bool) -> EditOptions {
    let mut options = EditOptions::default();
    (options.method, options.path) = (method, path);
    options
}

fn row(
    bench: &mut Bench,
    case: &str,
    ours: &Timed<Report<EditDistance>>,
    baseline: Option<(&str, Duration)>,
    right: bool,
) {
    let (run, distance) = (&ours.answer.run, ours.answer.distance);
    let share = run.computed_cells as f64 / run.cells as f64;
    let percent = 100.0 * share;
    bench.row(Row {
        case,
        times: ours.times(),
        count: run.cells,
        computed: run.computed_cells,
        work: Work::EditCells,
        device: &run.device,
        baseline,
        right,
        remark: format!("{:?}, distance {distance:?}, {percent:.1} % of the cells on {}", run.method, run.device),
        path_mode: Some(run.path_mode),
        phases: &run.phases,
        members: json!({
            "method": run.method, "device": run.device, "distance": distance.exactly(), "share_computed": share,
        }),
    });
}
