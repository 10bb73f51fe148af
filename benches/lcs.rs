//! LCS: every case with its baseline in one run, every answer checked.
//!
//! `cargo bench -p swath-bench --bench lcs -- [--device D] [--clock-ghz F] [--only NAME] [--shrink
//! N] [--json FILE] [--against FILE]`. `benches/sweep.sh` runs all cases and keeps the record.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use swath::lcs::{CommonSubsequence, Method};
use swath::unstable::kernels::bit_parallel::Matching;
use swath::unstable::lcs::{LcsOptions, Tuning};
use swath::{Engine, Lcs, Report};
use swath_bench::calls::Calls;
use swath_bench::ceiling::Work;
use swath_bench::inputs::letters;
use swath_bench::reads::two_reads;
use swath_bench::record::Row;
use swath_bench::timing::{Timed, best_in_turns, best_of, once, without_and_with};
use swath_bench::{Bench, native};

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    if let Some(gpu) = bench.engine() {
        against_conditional_sum(&mut bench, &gpu);
        lengths(&mut bench, &gpu);
        paths(&mut bench, &gpu);
    }
    on_the_cpu(&mut bench);
    let ours =
        |engine: &Engine, a: &[u8], b: &[u8]| engine.run(&Lcs::of(a, b)).map(|found| found.length);
    let theirs =
        |a: &[u8], b: &[u8]| rapidfuzz::distance::lcs_seq::similarity(a.iter(), b.iter()) as u64;
    two_reads(&mut bench, "length", Work::LcsCells, ours, theirs);
    bench.finish()
}

/// Pairs of 100 k and 1 M symbols against conditional-sum on the same device; each checks the
/// other. Short calls are repeated more often.
fn against_conditional_sum(bench: &mut Bench, gpu: &Engine) {
    for (n, times) in [(100_000, 25), (1_000_000, 5)] {
        let n = bench.size(n);
        let name = format!("length {n} x {n}, 4 letters");
        if bench.wants(&name) {
            let pair = &(letters(n, 4, 1), letters(n, 4, 2));
            let seed = time(gpu, pair, &options(Method::ConditionalSum, false), 2);
            let ours = time(gpu, pair, &options(Method::BitParallel, false), times);
            let right = ours.answer.length == seed.answer.length;
            row(
                bench,
                &name,
                &ours,
                ("conditional-sum, same device", seed.best()),
                right,
            );
        }
    }
}

/// Longer pairs against other tiles and against planes instead of tables; the CPU checks the
/// answer.
fn lengths(bench: &mut Bench, gpu: &Engine) {
    for (n, symbols) in [
        (4_000_000, 4),
        (10_000_000, 4),
        (1_000_000, 26),
        (10_000_000, 26),
        (1_000_000, 200),
    ] {
        let n = bench.size(n);
        let name = format!("length {n} x {n}, {symbols} letters");
        if bench.wants(&name) {
            let pair = &(letters(n, symbols, 3), letters(n, symbols, 4));
            let ours = time(gpu, pair, &options(Method::BitParallel, false), 3);
            let mut other = options(Method::BitParallel, false);
            other.tuning = Tuning {
                limbs: Some(4),
                matching: Some(Matching::Planes),
                ..Tuning::default()
            };
            let planes = time(gpu, pair, &other, 1);
            let right = [ours.answer.length, planes.answer.length] == [native_length(pair); 2];
            row(
                bench,
                &name,
                &ours,
                ("bit planes, 4 limbs", planes.best()),
                right,
            );
            by_default(bench, gpu, &name, pair, &ours);
        }
    }
}

/// A path against the length of the same pair. The certificate proves every path, the CPU that none
/// is longer.
fn paths(bench: &mut Bench, gpu: &Engine) {
    let alike = [100_000, 1_000_000, 4_600_000, 10_000_000].map(|n| (n, n));
    // The path of the last pair begins with a long gap.
    for (rows, cols) in alike.into_iter().chain([(5_000_000, 1_000_000)]) {
        let (rows, cols) = (bench.size(rows), bench.size(cols));
        let name = format!("path {rows} x {cols}, 4 letters");
        if bench.wants(&name) {
            let pair = &(letters(rows, 4, 5), letters(cols, 4, 6));
            let ask = |path| gpu.lcs_with(&pair.0, &pair.1, &options(Method::BitParallel, path));
            let [length, path] = without_and_with(ask);
            let right = [path.answer.length, length.answer.length] == [native_length(pair); 2];
            row(
                bench,
                &name,
                &path,
                ("its length alone", length.best()),
                right,
            );
            by_default(bench, gpu, &name, pair, &path);
        }
    }
}

/// The default method, which sweeps a band if it proves the answer, against the whole table, which
/// checks it.
fn by_default(
    bench: &mut Bench,
    gpu: &Engine,
    name: &str,
    pair: &(Vec<u8>, Vec<u8>),
    whole: &Timed<Report<CommonSubsequence>>,
) {
    let path = whole.answer.subsequence.is_some();
    let ours = time(gpu, pair, &options(Method::Auto, path), 3);
    let right = ours.answer.length == whole.answer.length
        && ours.answer.subsequence == whole.answer.subsequence;
    row(
        bench,
        &format!("{name}, auto"),
        &ours,
        ("the whole table", whole.best()),
        right,
    );
}

/// Compares one thread with rapidfuzz, and two threads with one. Two independent calls at the same
/// time show the greatest gain that this machine allows from two threads.
fn on_the_cpu(bench: &mut Bench) {
    for symbols in [4, 26, 200] {
        let n = bench.size(100_000);
        let name = format!("cpu length {n} x {n}, {symbols} letters");
        if bench.wants(&name) {
            let (a, b) = (letters(n, symbols, 7), letters(n, symbols, 8));
            let call =
                |engine: &Engine| engine.lcs_with(&a, &b, &options(Method::BitParallel, false));
            let [single, other, double] = [1, 1, 2].map(|threads| native(Some(threads)));
            let mut together = || at_once(|| call(&single), || call(&other));
            let time = Duration::from_secs(4);
            let [one, two, both] = best_in_turns(
                25,
                time,
                [&mut || call(&single), &mut || call(&double), &mut together],
            );
            let theirs =
                once(|| rapidfuzz::distance::lcs_seq::similarity(a.iter(), b.iter()) as u64);
            let right =
                |timed: &Timed<Report<CommonSubsequence>>| timed.answer.length == theirs.answer;
            let baseline = ("rapidfuzz, 1 thread", theirs.best());
            row(
                bench,
                &format!("{name}, 1 thread"),
                &one,
                baseline,
                right(&one),
            );
            row(
                bench,
                &format!("{name}, 2 threads"),
                &two,
                ("1 thread", one.best()),
                right(&two),
            );
            let case = format!("{name}, 2 calls at once");
            let baseline = ("one after the other", 2 * one.best());
            let of_one = measured(&case, &both, baseline, right(&both));
            bench.row(Row {
                count: 2 * of_one.count,
                computed: 2 * of_one.computed,
                ..of_one
            });
        }
    }
}

/// Runs two calls on one thread each and returns the first answer; both must agree.
fn at_once(
    first: impl FnOnce() -> swath::Result<Report<CommonSubsequence>>,
    second: impl FnOnce() -> swath::Result<Report<CommonSubsequence>> + Send,
) -> swath::Result<Report<CommonSubsequence>> {
    std::thread::scope(|scope| {
        let second = scope.spawn(second);
        let first = first()?;
        let second = second
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        assert_eq!(first.length, second.length);
        Ok(first)
    })
}

fn native_length(pair: &(Vec<u8>, Vec<u8>)) -> u64 {
    let answer = native(None).lcs_with(&pair.0, &pair.1, &options(Method::BitParallel, false));
    answer.unwrap_or_else(|error| panic!("{error}")).length
}

fn time(
    engine: &Engine,
    (a, b): &(Vec<u8>, Vec<u8>),
    options: &LcsOptions,
    times: usize,
) -> Timed<Report<CommonSubsequence>> {
    best_of(times, || engine.lcs_with(a, b, options))
}

fn options(method: Method, path: bool) -> LcsOptions {
    let mut options = LcsOptions::default();
    (options.method, options.path) = (method, path);
    options
}

fn row(
    bench: &mut Bench,
    case: &str,
    ours: &Timed<Report<CommonSubsequence>>,
    baseline: (&str, Duration),
    right: bool,
) {
    bench.row(measured(case, ours, baseline, right));
}

fn measured<'a>(
    case: &'a str,
    ours: &'a Timed<Report<CommonSubsequence>>,
    baseline: (&'a str, Duration),
    right: bool,
) -> Row<'a> {
    let run = &ours.answer.run;
    let share = run.computed_cells as f64 / run.cells as f64;
    Row {
        case,
        times: ours.times(),
        count: run.cells,
        computed: run.computed_cells,
        work: Work::LcsCells,
        device: &run.device,
        baseline: Some(baseline),
        right,
        remark: format!("{:?}, {:.1} % of the cells", run.method, 100.0 * share),
        path_mode: Some(run.path_mode),
        phases: &run.phases,
        members: json!({ "length": ours.answer.length, "method": run.method, "share_computed": share }),
    }
}
