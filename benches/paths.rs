//! Paths beside their lengths, by default methods: genomes, rearranged genomes, random sequences
//! with edits.
//!
//! `cargo bench -p swath-bench --bench paths -- [--device D] [--only NAME] [--shrink N] [--json
//! FILE]`. `SWATH_GENOMES=A:B` names FASTA files to rearrange besides the pair of *H. pylori*.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use swath::orientation::reverse_complement;
use swath::{Edit, Engine, Lcs, Phase};
use swath_bench::genomes::{genome, of_tests};
use swath_bench::inputs::{edited, letters};
use swath_bench::timing::{Timed, millis, without_and_with};
use swath_bench::{Bench, native};

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    let engine = bench.engine().unwrap_or_else(|| native(None));
    if bench.wants("H. pylori") {
        let (a, b) = of_tests();
        rows(&mut bench, &engine, "H. pylori", &a, &b);
    }
    if let Ok(files) = std::env::var("SWATH_GENOMES") {
        let (a, b) = files.split_once(':').expect("SWATH_GENOMES is A:B");
        let (a, b) = (genome(a.as_ref()), genome(b.as_ref()));
        for (name, a) in rearranged(&a) {
            rows(&mut bench, &engine, &name, &a, &b);
        }
    }
    for n in [1_000_000, 5_000_000, 10_000_000].map(|n| bench.size(n)) {
        let a = letters(n, 4, 1);
        for percent in [1, 5, 15] {
            let b = edited(&a, percent, 100, 3);
            rows(&mut bench, &engine, &format!("{n}, {percent} %"), &a, &b);
        }
        rows(
            &mut bench,
            &engine,
            &format!("{n}, random"),
            &a,
            &letters(n, 4, 2),
        );
    }
    bench.finish()
}

/// A genome on the other strand with its origin moved, and parts of it moved, turned, inserted or
/// deleted.
fn rearranged(a: &[u8]) -> Vec<(String, Vec<u8>)> {
    let turned = |a: &[u8]| reverse_complement(a).expect("the genome is DNA");
    // A share of the length in kilobases of a genome of 4.6 million.
    let kb = |count: usize| count * a.len() / 4600;
    let rotated = |count: usize| [&a[kb(count)..], &a[..kb(count)]].concat();
    let inserted: Vec<u8> = letters(kb(600), 4, 9)
        .into_iter()
        .map(|code| b"ACGT"[usize::from(code)])
        .collect();
    let mut all = vec![
        ("as it lies".to_string(), a.to_vec()),
        ("reverse complement".to_string(), turned(a)),
    ];
    for count in [200, 400, 800] {
        all.push((format!("rotated by {count} kb"), rotated(count)));
    }
    let (first, rest) = a.split_at(kb(1500));
    let (middle, last) = rest.split_at(kb(1000));
    all.push((
        "1 Mb inverted".to_string(),
        [first, &turned(middle), last].concat(),
    ));
    all.push((
        "600 kb inserted in front, 400 kb deleted".to_string(),
        [&inserted, first, &rest[kb(400)..]].concat(),
    ));
    all.push((
        "600 kb moved".to_string(),
        [
            first,
            &rest[kb(600)..kb(2000)],
            &rest[..kb(600)],
            &rest[kb(2000)..],
        ]
        .concat(),
    ));
    all
}

/// Rows of both problems.
fn rows(bench: &mut Bench, engine: &Engine, name: &str, a: &[u8], b: &[u8]) {
    let case = format!("LCS, {name}");
    if bench.wants(&case) {
        row(bench, &case, |path| {
            let found = engine.run(&Lcs::of(a, b).with_path(path))?;
            Ok((found.length, found.run.method, found.run.phases))
        });
    }
    let case = format!("edits, {name}");
    if bench.wants(&case) {
        row(bench, &case, |path| {
            let found = engine.run(&Edit::of(a, b).with_path(path))?;
            Ok((
                found.distance.exactly().expect("there is no bound"),
                found.run.method,
                found.run.phases,
            ))
        });
    }
}

type Answer = (u64, &'static str, Vec<(Phase, Duration)>);

fn row(bench: &mut Bench, case: &str, solve: impl Fn(bool) -> swath::Result<Answer>) {
    let [without, with] = without_and_with(solve);
    let ratio = with.best().as_secs_f64() / without.best().as_secs_f64();
    let phases = |timed: &Timed<Answer>| {
        let phases = timed.answer.2.iter();
        let phases = phases.map(|(phase, time)| format!("{phase:?} {:.1}", millis(*time)));
        phases.collect::<Vec<_>>().join(" ")
    };
    println!(
        "{case}: {:.1} ms by {}, with path {:.1} ms by {}: {ratio:.2}",
        millis(without.best()),
        without.answer.1,
        millis(with.best()),
        with.answer.1,
    );
    println!("    {}\n    {}", phases(&without), phases(&with));
    bench.require(without.answer.0 == with.answer.0);
    bench.keep(json!({
        "case": case,
        "seconds": with.best().as_secs_f64(),
        "seconds_without_path": without.best().as_secs_f64(),
        "ratio": ratio,
        "method": with.answer.1,
        "value": with.answer.0,
    }));
}
