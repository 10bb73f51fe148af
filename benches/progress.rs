//! Accuracy of progress reports: the remaining time according to the reported fraction, against the
//! actual one.
//!
//! `cargo bench -p swath-bench --bench progress -- [--device D] [--only NAME] [--shrink N] [--json
//! FILE]`. A row is marked if, in the second half of a call, its estimated end is off by more than
//! a quarter of the call's time, if the fraction decreases, or if it does not end at 1. The last
//! two fail the benchmark, as machine load does not excuse them.

use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::json;
use swath::parenthesization::{MatrixChain, Method as TreeMethod};
use swath::supersequence::Method as ScsMethod;
use swath::{Control, Edit, Engine, Lcs, Parenthesize, Result, Scs};
use swath_bench::genomes::of_tests;
use swath_bench::inputs::{edited, letters};
use swath_bench::{Bench, native};

/// Maximum error of the estimated end, as a fraction of the call's time.
const MAX_OFF: f64 = 0.25;

/// A call with progress reports.
type Call<'a> = Box<dyn Fn(&Engine, &Control) -> Result<()> + 'a>;

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    let engines = [("cpu", Some(native(None))), ("gpu", bench.engine())];
    for (place, engine) in engines
        .iter()
        .filter_map(|(place, engine)| Some((place, engine.as_ref()?)))
    {
        // Sizes that take seconds there.
        let scale = if *place == "cpu" { 1 } else { 8 };
        for (name, call) in calls(&bench, scale) {
            let case = format!("{place} {name}");
            if bench.wants(&case) {
                row(&mut bench, &case, engine, &call);
            }
        }
    }
    bench.finish()
}

fn calls<'a>(bench: &Bench, scale: usize) -> Vec<(String, Call<'a>)> {
    let n = bench.size(600_000 * scale);
    let (a, b) = (letters(n, 4, 1), letters(n, 4, 2));
    let near = edited(&letters(2 * n, 4, 1), 1, 50, 3);
    let far = letters(2 * n, 4, 1);
    let (rows, leaves) = (bench.size(30_000 * scale), bench.size(2_000 * scale));
    let short = (letters(rows, 26, 1), letters(rows, 26, 2));
    let chain = MatrixChain::new((0..leaves as u64).map(|leaf| 1 + leaf * 7 % 13).collect());
    let random = Arc::new((a, b));
    let pair = || random.clone();
    let (subsequence, alignment, length) = (pair(), pair(), pair());
    let genes = Arc::new(of_tests());
    let of_genes = genes.clone();
    vec![
        (
            format!("length {n} x {n}"),
            Box::new(move |e, c| e.run_with(&Lcs::of(&length.0, &length.1), c).map(drop)),
        ),
        (
            format!("subsequence {n} x {n}"),
            Box::new(move |e, c| {
                e.run_with(&Lcs::of(&subsequence.0, &subsequence.1).path(), c)
                    .map(drop)
            }),
        ),
        (
            format!("alignment {n} x {n}"),
            Box::new(move |e, c| {
                e.run_with(&Edit::of(&alignment.0, &alignment.1).path(), c)
                    .map(drop)
            }),
        ),
        (
            format!("alignment {0} x {0}, 2 % apart", 2 * n),
            Box::new(move |e, c| e.run_with(&Edit::of(&far, &near).path(), c).map(drop)),
        ),
        (
            "subsequence, H. pylori genomes".to_string(),
            Box::new(move |e, c| e.run_with(&Lcs::of(&genes.0, &genes.1).path(), c).map(drop)),
        ),
        (
            "alignment, H. pylori genomes".to_string(),
            Box::new(move |e, c| {
                e.run_with(&Edit::of(&of_genes.0, &of_genes.1).path(), c)
                    .map(drop)
            }),
        ),
        (
            format!("supersequence, row by row, {rows} x {rows}"),
            Box::new(move |e, c| {
                e.run_with(
                    &Scs::of(&short.0, &short.1)
                        .method(ScsMethod::RowWise)
                        .path(),
                    c,
                )
                .map(drop)
            }),
        ),
        (
            format!("matrix chain of {leaves}, tiled"),
            Box::new(move |e, c| {
                e.run_with(&Parenthesize::of(&chain).method(TreeMethod::Tiled), c)
                    .map(drop)
            }),
        ),
    ]
}

fn row(bench: &mut Bench, case: &str, engine: &Engine, call: &Call<'_>) {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let seen = reports.clone();
    let started = Instant::now();
    let control = Control::default().on_progress(move |progress| {
        seen.lock()
            .expect("unharmed")
            .push((started.elapsed().as_secs_f64(), progress.fraction));
    });
    if let Err(error) = call(engine, &control) {
        println!("{case:60} {error}");
        return;
    }
    let time = started.elapsed().as_secs_f64();
    let reports = reports.lock().expect("unharmed");
    let late = reports
        .iter()
        .filter(|(at, fraction)| *at > time / 2.0 && *fraction > 0.0);
    let off = late
        .map(|(at, fraction)| (at / fraction - time).abs() / time)
        .fold(0.0, f64::max);
    let falls = reports.windows(2).any(|pair| pair[1].1 < pair[0].1);
    let ended = reports.last().is_some_and(|(_, fraction)| *fraction == 1.0);
    let marks = [
        (off > MAX_OFF, "OFF"),
        (falls, "FALLS"),
        (!ended, "NOT 1 AT THE END"),
    ];
    let marks: Vec<_> = marks
        .into_iter()
        .filter_map(|(bad, name)| bad.then_some(name))
        .collect();
    println!(
        "{case:60} {time:7.2} s, {:6} reports, the end is told within {:4.1} % from the middle on {}",
        reports.len(),
        100.0 * off,
        marks.join(", ")
    );
    bench.require(!falls && ended);
    bench.keep(json!({ "case": case, "seconds": time, "off": off, "reports": reports.len(), "marks": marks }));
}
