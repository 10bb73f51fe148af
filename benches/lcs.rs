//! LCS side by side: every case with its baseline in one run, every answer checked.
//!
//! `cargo bench --bench lcs -- [--device D] [--clock-ghz F] [--only NAME] [--json FILE]`. `benches/sweep.sh` runs it whole
//! and keeps the record.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use swath::lcs::{LcsOptions, Method, Tuning};
use swath::strips::gpu::tiling::Matching;
use swath::{DeviceChoice, DeviceInfo, Engine, Lcs, Options};

/// Integer lanes that one NVIDIA or AMD compute unit runs a cycle.
const LANES_PER_UNIT: f64 = 64.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let option =
        |name: &str| arguments.iter().position(|word| word == name).and_then(|at| arguments.get(at + 1)).cloned();
    let clock_ghz: f64 = option("--clock-ghz").map_or(1.98, |text| text.parse().expect("--clock-ghz takes a number"));
    let device = option("--device").unwrap_or_else(|| "auto".to_string());
    let choice: DeviceChoice = device.parse().unwrap_or_default();
    let mut bench = Bench::new(choice, clock_ghz, option("--only"));
    bench.run();
    if let Some(file) = option("--json") {
        let text = serde_json::to_string_pretty(&bench.record(&arguments)).expect("a record is JSON");
        std::fs::write(&file, text + "\n").unwrap_or_else(|error| panic!("cannot write {file}: {error}"));
    }
    if bench.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Bench {
    gpu: Option<(Engine, DeviceInfo)>,
    clock_ghz: f64,
    only: Option<String>,
    rows: Vec<Value>,
    wrong: usize,
}

/// One measured call, the fastest of some.
struct Timed {
    answer: Lcs,
    best: Duration,
}

impl Bench {
    fn new(choice: DeviceChoice, clock_ghz: f64, only: Option<String>) -> Self {
        let info = swath::devices().into_iter().find(|info| match &choice {
            DeviceChoice::Auto => info.auto && info.kind != "CPU",
            DeviceChoice::Cpu => false,
            DeviceChoice::Name(part) => info.name.to_lowercase().contains(&part.to_lowercase()),
            other => info.selector == other.to_string(),
        });
        let gpu = info.map(|info| {
            let mut options = Options::default();
            options.device = info.selector.parse().unwrap_or_default();
            (Engine::new(options).unwrap_or_else(|error| panic!("{error}")), info)
        });
        println!("device  {}", gpu.as_ref().map_or("none", |(_, info)| &info.name));
        Self { gpu, clock_ghz, only, rows: Vec::new(), wrong: 0 }
    }

    fn run(&mut self) {
        if self.gpu.is_some() {
            self.against_conditional_sum();
            self.lengths();
            self.paths();
        }
        self.on_the_cpu();
    }

    fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only))
    }

    /// 100 k and 1 M against the seed's method on the same device; each checks the other.
    fn against_conditional_sum(&mut self) {
        for n in [100_000, 1_000_000] {
            let name = format!("length {n} x {n}, 4 letters");
            if !self.wants(&name) {
                continue;
            }
            let (a, b) = (letters(n, 4, 1), letters(n, 4, 2));
            let seed = self.time(&a, &b, &options(Method::ConditionalSum, false), 2);
            let ours = self.time(&a, &b, &options(Method::BitParallel, false), 5);
            self.report(
                &name,
                &ours,
                Some(("conditional-sum, same device", &seed)),
                ours.answer.length == seed.answer.length,
            );
        }
    }

    /// Longer pairs; a sweep of other tiles, with planes instead of tables, checks the answer.
    fn lengths(&mut self) {
        for (n, symbols) in [(4_000_000, 4), (10_000_000, 4), (1_000_000, 26), (10_000_000, 26), (1_000_000, 200)] {
            let name = format!("length {n} x {n}, {symbols} letters");
            if !self.wants(&name) {
                continue;
            }
            let (a, b) = (letters(n, symbols, 3), letters(n, symbols, 4));
            let ours = self.time(&a, &b, &options(Method::BitParallel, false), 3);
            let mut other = options(Method::BitParallel, false);
            other.tuning = Tuning { limbs: Some(4), matching: Some(Matching::Planes), ..Tuning::default() };
            let check = self.time(&a, &b, &other, 1);
            self.report(&name, &ours, Some(("bit planes, 4 limbs", &check)), ours.answer.length == check.answer.length);
        }
    }

    /// A path against the length of the same pair. The certificate has proven every path that comes back.
    fn paths(&mut self) {
        for n in [100_000, 1_000_000, 4_600_000, 10_000_000] {
            let name = format!("path {n} x {n}, 4 letters");
            if !self.wants(&name) {
                continue;
            }
            let (a, b) = (letters(n, 4, 5), letters(n, 4, 6));
            let length = self.time(&a, &b, &options(Method::BitParallel, false), 3);
            let path = self.time(&a, &b, &options(Method::BitParallel, true), 3);
            self.report(&name, &path, Some(("its length alone", &length)), path.answer.length == length.answer.length);
        }
    }

    /// One thread against rapidfuzz, and two threads against one.
    fn on_the_cpu(&mut self) {
        let engine = |threads: usize| {
            let mut options = Options::default();
            (options.device, options.threads) = (DeviceChoice::Cpu, Some(threads));
            Engine::new(options).unwrap_or_else(|error| panic!("{error}"))
        };
        let (one, two) = (engine(1), engine(2));
        for symbols in [4, 26, 200] {
            let name = format!("cpu length 100000 x 100000, {symbols} letters");
            if !self.wants(&name) {
                continue;
            }
            let (a, b) = (letters(100_000, symbols, 7), letters(100_000, symbols, 8));
            let asked = options(Method::BitParallel, false);
            let ours = time(&one, &a, &b, &asked, 9);
            let started = Instant::now();
            let theirs = rapidfuzz::distance::lcs_seq::similarity(a.iter().copied(), b.iter().copied()) as u64;
            let rapidfuzz = started.elapsed();
            let right = ours.answer.length == theirs;
            self.row(&format!("{name}, 1 thread"), &ours, Some(("rapidfuzz, 1 thread", rapidfuzz)), right);
            let both = time(&two, &a, &b, &asked, 9);
            let right = both.answer.length == theirs;
            self.row(&format!("{name}, 2 threads"), &both, Some(("1 thread", ours.best)), right);
        }
    }

    fn time(&self, a: &[u8], b: &[u8], options: &LcsOptions, times: usize) -> Timed {
        let (engine, _) = self.gpu.as_ref().expect("GPU cases run with a GPU");
        time(engine, a, b, options, times)
    }

    fn report(&mut self, name: &str, ours: &Timed, baseline: Option<(&str, &Timed)>, right: bool) {
        self.row(name, ours, baseline.map(|(name, timed)| (name, timed.best)), right);
    }

    fn row(&mut self, name: &str, ours: &Timed, baseline: Option<(&str, Duration)>, right: bool) {
        let rate = ours.answer.run.cells as f64 / ours.best.as_secs_f64();
        let ratio = baseline.map(|(_, time)| time.as_secs_f64() / ours.best.as_secs_f64());
        let share = (ours.answer.run.device != "cpu").then(|| self.ceiling()).flatten().map(|ceiling| rate / ceiling);
        let verdict = if right { "right" } else { "WRONG" };
        self.wrong += usize::from(!right);
        let percent = share.map_or(String::new(), |share| format!(", {:.0} % of the integer ceiling", 100.0 * share));
        let against = match (baseline, ratio) {
            (Some((other, time)), Some(ratio)) => format!("; {ratio:.2}x {other} ({:.2} ms)", millis(time)),
            _ => String::new(),
        };
        println!("{name}: {:.2} ms, {:.3} TCUPS{percent}{against}; {verdict}", millis(ours.best), rate / 1e12);
        let phases: Vec<_> =
            ours.answer.run.phases.iter().map(|(phase, time)| format!("{phase} {:.2}", millis(*time))).collect();
        println!("    ms by phase, last call: {}", phases.join(", "));
        self.rows.push(json!({
            "case": name, "seconds": ours.best.as_secs_f64(), "cells_per_second": rate, "share_of_ceiling": share,
            "baseline": baseline.map(|(other, _)| other), "baseline_seconds": baseline.map(|(_, time)| time.as_secs_f64()),
            "ratio": ratio, "right": right, "path_mode": ours.answer.run.path_mode, "length": ours.answer.length,
            "phases": ours.answer.run.phases.iter().map(|(phase, time)| json!([phase, time.as_secs_f64()])).collect::<Vec<_>>(),
        }));
    }

    /// Cells a second if integer instructions were all that a device issued and the recurrence all that they did: four
    /// instructions for the 31 rows of a limb.
    fn ceiling(&self) -> Option<f64> {
        let (_, info) = self.gpu.as_ref()?;
        let (_, units) = info.capabilities.iter().find(|(name, _)| *name == "compute_units")?;
        Some(units.parse::<f64>().ok()? * LANES_PER_UNIT * self.clock_ghz * 1e9 * 31.0 / 4.0)
    }

    fn record(&self, arguments: &[String]) -> Value {
        let info = self.gpu.as_ref().map(|(_, info)| info);
        json!({
            "schema": "swath/bench/1",
            "command": arguments[1..],
            "commit": option_env!("SWATH_COMMIT").or(std::env::var("SWATH_COMMIT").ok().as_deref()),
            "device": info.map(|info| &info.name), "driver": info.map(|info| &info.driver), "clock_ghz": self.clock_ghz,
            "rows": self.rows,
        })
    }
}

fn time(engine: &Engine, a: &[u8], b: &[u8], options: &LcsOptions, times: usize) -> Timed {
    let mut best = Duration::MAX;
    let mut answer = None;
    // The first call builds pipelines and fills the pool of buffers.
    for _ in 0..=times {
        let started = Instant::now();
        let now = engine.lcs_with(a, b, options).unwrap_or_else(|error| panic!("{error}"));
        if answer.is_some() {
            best = best.min(started.elapsed());
        }
        answer = Some(now);
    }
    Timed { answer: answer.expect("at least one call"), best }
}

fn options(method: Method, path: bool) -> LcsOptions {
    let mut options = LcsOptions::default();
    (options.method, options.path) = (method, path);
    options
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Random symbols by xorshift, `symbols` of them.
fn letters(count: usize, symbols: u64, seed: u64) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed);
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 20) % symbols) as u8
    };
    std::iter::repeat_with(next).take(count).collect()
}
