//! Edit distance side by side: every case with its baseline in one run, every answer checked.
//!
//! `cargo bench --bench edit_distance -- [--device D] [--only NAME] [--json FILE]`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use swath::edit_distance::{EditDistance, EditOptions, Method};
use swath::lcs::Tuning;
use swath::strips::gpu::tiling::Matching;
use swath::{DeviceChoice, Engine, Options};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let option =
        |name: &str| arguments.iter().position(|word| word == name).and_then(|at| arguments.get(at + 1)).cloned();
    let device: DeviceChoice = option("--device").unwrap_or_else(|| "auto".to_string()).parse().unwrap_or_default();
    let mut bench = Bench { only: option("--only"), rows: Vec::new(), wrong: 0 };
    bench.on_the_cpu();
    let found = swath::devices().into_iter().find(|info| match &device {
        DeviceChoice::Auto => info.auto && info.kind != "CPU",
        DeviceChoice::Cpu => false,
        DeviceChoice::Name(part) => info.name.to_lowercase().contains(&part.to_lowercase()),
        other => info.selector == other.to_string(),
    });
    println!("device  {}", found.as_ref().map_or("none", |info| &info.name));
    if let Some(info) = &found {
        bench.on_a_gpu(&engine(info.selector.parse().unwrap_or_default(), None));
    }
    if let Some(file) = option("--json") {
        let record = json!({
            "schema": "swath/bench/1",
            "command": arguments[1..],
            "commit": option_env!("SWATH_COMMIT").or(std::env::var("SWATH_COMMIT").ok().as_deref()),
            "device": found.as_ref().map(|info| &info.name), "driver": found.as_ref().map(|info| &info.driver),
            "rows": bench.rows,
        });
        let text = serde_json::to_string_pretty(&record).expect("a record is JSON");
        std::fs::write(&file, text + "\n").unwrap_or_else(|error| panic!("cannot write {file}: {error}"));
    }
    if bench.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Bench {
    only: Option<String>,
    rows: Vec<Value>,
    wrong: usize,
}

/// One measured call, the fastest of some.
struct Timed {
    answer: EditDistance,
    best: Duration,
}

impl Bench {
    fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only))
    }

    /// One thread against rapidfuzz on random strings, and alignments of similar ones against the distance alone.
    fn on_the_cpu(&mut self) {
        let one = engine(DeviceChoice::Cpu, Some(1));
        for symbols in [4, 26, 200] {
            let name = format!("cpu distance 100000 x 100000, {symbols} letters, 1 thread");
            if !self.wants(&name) {
                continue;
            }
            let (a, b) = (letters(100_000, symbols, 7), letters(100_000, symbols, 8));
            let started = Instant::now();
            let theirs = rapidfuzz::distance::levenshtein::distance(a.iter().copied(), b.iter().copied()) as u64;
            let rapidfuzz = Some(("rapidfuzz, 1 thread", started.elapsed()));
            for method in [Method::BitParallel, Method::Auto] {
                let ours = time(&one, (&a, &b), &options(method, false), 5);
                let right = ours.answer.distance.exactly() == Some(theirs);
                self.row(&format!("{name}, {}", method.name()), &ours, rapidfuzz, right);
            }
        }
        for percent in [1, 5, 15] {
            self.similar(&one, "cpu, 1 thread,", 1_000_000, percent);
        }
    }

    fn on_a_gpu(&mut self, gpu: &Engine) {
        for n in [150_000, 1_000_000, 10_000_000] {
            let name = format!("distance {n} x {n}, 4 letters");
            if !self.wants(&name) {
                continue;
            }
            let (a, b) = (letters(n, 4, 1), letters(n, 4, 2));
            let ours = time(gpu, (&a, &b), &options(Method::BitParallel, false), 3);
            let (other, mut asked) = match n < 1_000_000 {
                true => ("anti-diagonal, same device", options(Method::AntiDiagonal, false)),
                false => ("bit planes, 4 limbs", options(Method::BitParallel, false)),
            };
            if asked.method == Method::BitParallel {
                asked.tuning = Tuning { limbs: Some(4), matching: Some(Matching::Planes), ..Tuning::default() };
            }
            let check = time(gpu, (&a, &b), &asked, 1);
            let right = check.answer.distance == ours.answer.distance;
            self.row(&name, &ours, Some((other, check.best)), right);
        }
        let name = "path 5000000 x 5000000, 4 letters";
        if self.wants(name) {
            let (a, b) = (letters(5_000_000, 4, 3), letters(5_000_000, 4, 4));
            let distance = time(gpu, (&a, &b), &options(Method::BitParallel, false), 2);
            let path = time(gpu, (&a, &b), &options(Method::BitParallel, true), 2);
            let right = path.answer.distance == distance.answer.distance;
            self.row(name, &path, Some(("its distance alone", distance.best)), right);
        }
        for (n, percent) in [(1_000_000, 1), (1_000_000, 5), (1_000_000, 15), (5_000_000, 1)] {
            self.similar(gpu, "", n, percent);
        }
    }

    /// The alignment of similar strings and its CIGAR, against the distance alone.
    fn similar(&mut self, engine: &Engine, on: &str, n: usize, percent: u64) {
        let name = format!("{on} alignment {n}, {percent} % apart");
        let name = name.trim_start();
        if !self.wants(name) {
            return;
        }
        let a = letters(n, 4, 9);
        let b = edited(&a, percent, 10);
        let distance = time(engine, (&a, &b), &options(Method::Auto, false), 2);
        let mut path = time(engine, (&a, &b), &options(Method::Auto, true), 2);
        let started = Instant::now();
        let cigar = path.answer.alignment.as_ref().map_or(String::new(), |alignment| alignment.cigar_extended(&a, &b));
        path.best += started.elapsed();
        let right = path.answer.distance == distance.answer.distance && !cigar.is_empty();
        self.row(name, &path, Some(("its distance alone", distance.best)), right);
    }

    fn row(&mut self, name: &str, ours: &Timed, baseline: Option<(&str, Duration)>, right: bool) {
        let run = &ours.answer.run;
        let rate = run.cells as f64 / ours.best.as_secs_f64();
        let ratio = baseline.map(|(_, time)| time.as_secs_f64() / ours.best.as_secs_f64());
        self.wrong += usize::from(!right);
        let against = match (baseline, ratio) {
            (Some((other, time)), Some(ratio)) => format!("; {ratio:.2}x {other} ({:.2} ms)", millis(time)),
            _ => String::new(),
        };
        let share = 100.0 * run.computed_cells as f64 / run.cells as f64;
        let verdict = if right { "right" } else { "WRONG" };
        println!(
            "{name}: {:.2} ms, {:.3} TCUPS, {:?}, distance {:?}, {share:.1} % of the cells on {}{against}; {verdict}",
            millis(ours.best),
            rate / 1e12,
            run.method,
            ours.answer.distance,
            run.device
        );
        let phases: Vec<_> = run.phases.iter().map(|(phase, time)| format!("{phase} {:.2}", millis(*time))).collect();
        println!("    ms by phase, last call: {}", phases.join(", "));
        self.rows.push(json!({
            "case": name, "seconds": ours.best.as_secs_f64(), "cells_per_second": rate,
            "baseline": baseline.map(|(other, _)| other), "baseline_seconds": baseline.map(|(_, time)| time.as_secs_f64()),
            "ratio": ratio, "right": right, "method": run.method.name(), "device": run.device,
            "path_mode": run.path_mode, "distance": ours.answer.distance.exactly(), "share_computed": share / 100.0,
            "phases": run.phases.iter().map(|(phase, time)| json!([phase, time.as_secs_f64()])).collect::<Vec<_>>(),
        }));
    }
}

fn engine(device: DeviceChoice, threads: Option<usize>) -> Engine {
    let mut options = Options::default();
    (options.device, options.threads) = (device, threads);
    Engine::new(options).unwrap_or_else(|error| panic!("{error}"))
}

fn time(engine: &Engine, (a, b): (&[u8], &[u8]), options: &EditOptions, times: usize) -> Timed {
    let mut best = Duration::MAX;
    let mut answer = None;
    // The first call builds pipelines and fills the pool of buffers.
    for _ in 0..=times {
        let started = Instant::now();
        let now = engine.edit_distance_with(a, b, options).unwrap_or_else(|error| panic!("{error}"));
        if answer.is_some() {
            best = best.min(started.elapsed());
        }
        answer = Some(now);
    }
    Timed { answer: answer.expect("at least one call"), best }
}

fn options(method: Method, path: bool) -> EditOptions {
    let mut options = EditOptions::default();
    (options.method, options.path) = (method, path);
    options
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A stream of numbers (xorshift, Marsaglia 2003).
fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed);
    move |limit| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) % limit
    }
}

fn letters(count: usize, symbols: u64, seed: u64) -> Vec<u8> {
    let mut number = numbers(seed);
    std::iter::repeat_with(|| number(symbols) as u8).take(count).collect()
}

/// A copy with this share of the symbols replaced, dropped or followed by another, each as often.
fn edited(symbols: &[u8], percent: u64, seed: u64) -> Vec<u8> {
    let mut number = numbers(seed);
    let mut copy = Vec::with_capacity(symbols.len());
    for &symbol in symbols {
        if number(100) >= percent {
            copy.push(symbol);
            continue;
        }
        match number(3) {
            0 => copy.push((symbol + 1 + number(3) as u8) % 4),
            1 => {}
            _ => copy.extend([symbol, number(4) as u8]),
        }
    }
    copy
}
