//! Supersequences side by side, and the methods that fill a whole table: every case with its baseline in one run, every answer
//! checked.
//!
//! `cargo bench --bench supersequence -- [--device D] [--clock-ghz F] [--only NAME] [--json FILE]`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use swath::anti_diagonal::{self, Recurrence};
use swath::backend::wgpu::{Gpu, adapter};
use swath::edit_distance::{tiled, tiled_cpu};
use swath::engine::Device;
use swath::phases::Phases;
use swath::supersequence::Method;
use swath::{Control, DeviceChoice, DeviceInfo, Engine, Options, Scs, ScsOptions};

/// Integer lanes that one NVIDIA or AMD compute unit runs a cycle.
const LANES_PER_UNIT: f64 = 64.0;
/// Symbols of each input, letters of the alphabet: the size of the source's largest table.
const SOURCE: (usize, u64) = (60_000, 26);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let option =
        |name: &str| arguments.iter().position(|word| word == name).and_then(|at| arguments.get(at + 1)).cloned();
    let clock_ghz: f64 = option("--clock-ghz").map_or(1.98, |text| text.parse().expect("--clock-ghz takes a number"));
    let choice: DeviceChoice = option("--device").unwrap_or_else(|| "auto".to_string()).parse().unwrap_or_default();
    let mut bench = Bench::new(choice, clock_ghz, option("--only"));
    bench.run();
    if let Some(file) = option("--json") {
        let text = serde_json::to_string_pretty(&bench.record(&arguments)).expect("a record is JSON");
        std::fs::write(&file, text + "\n").unwrap_or_else(|error| panic!("cannot write {file}: {error}"));
    }
    if bench.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Bench {
    gpu: Option<DeviceInfo>,
    clock_ghz: f64,
    only: Option<String>,
    rows: Vec<Value>,
    wrong: usize,
}

/// One measured call, the fastest of some.
struct Timed {
    answer: Scs,
    best: Duration,
}

impl Bench {
    fn new(choice: DeviceChoice, clock_ghz: f64, only: Option<String>) -> Self {
        let gpu = swath::devices().into_iter().find(|info| match &choice {
            DeviceChoice::Auto => info.auto && info.kind != "CPU",
            DeviceChoice::Cpu => false,
            DeviceChoice::Name(part) => info.name.to_lowercase().contains(&part.to_lowercase()),
            other => info.selector == other.to_string(),
        });
        println!("device  {}", gpu.as_ref().map_or("none", |info| &info.name));
        Self { gpu, clock_ghz, only, rows: Vec::new(), wrong: 0 }
    }

    fn run(&mut self) {
        if let Some(info) = self.gpu.clone() {
            let mut options = Options::default();
            options.device = info.selector.parse().unwrap_or_default();
            let engine = Engine::new(options).unwrap_or_else(|error| panic!("{error}"));
            self.pairs(&engine, "", SOURCE, 5);
            self.pairs(&engine, "", (1_000_000, 4), 0);
            drop(engine);
            self.edit_distances(&info, 150_000);
        }
        let mut options = Options::default();
        options.device = DeviceChoice::Cpu;
        let engine = Engine::new(options).unwrap_or_else(|error| panic!("{error}"));
        self.pairs(&engine, "cpu ", (20_000, 26), 2);
        self.several(&engine);
        self.edit_distances_over_threads(20_000);
    }

    fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only))
    }

    /// Length and string by default against the source's methods on the same device, which check each other. Those run
    /// `tables` times, where that is not 0.
    fn pairs(&mut self, engine: &Engine, place: &str, (n, symbols): (usize, u64), tables: usize) {
        let case = format!("{place}length {n} x {n}, {symbols} letters");
        let string_case = format!("{place}string {n} x {n}, {symbols} letters");
        if !self.wants(&case) && !self.wants(&string_case) {
            return;
        }
        let (a, b) = (letters(n, symbols, 1), letters(n, symbols, 2));
        let ours = time(engine, &a, &b, Method::BitParallel, false, 7);
        let string = time(engine, &a, &b, Method::BitParallel, true, 5);
        let same = |other: &Timed| other.answer.length == ours.answer.length;
        let same_string = |other: &Timed| other.answer.supersequence == string.answer.supersequence;
        self.row(&string_case, &string, Some(("its length alone", ours.best)), same(&string));
        if tables == 0 {
            self.row(&case, &ours, None, same(&string));
            return;
        }
        let row_wise = time(engine, &a, &b, Method::RowWise, false, tables);
        self.row(&case, &ours, Some(("row-wise, same device", row_wise.best)), same(&row_wise));
        let diagonals = time(engine, &a, &b, Method::AntiDiagonal, false, tables);
        let against = Some(("anti-diagonal, same device", diagonals.best));
        self.row(&format!("{case}, row-wise"), &row_wise, against, same(&diagonals));
        let row_wise_string = time(engine, &a, &b, Method::RowWise, true, tables.min(2));
        let against = Some(("its length alone", row_wise.best));
        self.row(&format!("{string_case}, row-wise"), &row_wise_string, against, same_string(&row_wise_string));
        let diagonals_string = time(engine, &a, &b, Method::AntiDiagonal, true, 1);
        let against = Some(("its length alone", diagonals.best));
        self.row(&format!("{string_case}, anti-diagonal"), &diagonals_string, against, same_string(&diagonals_string));
    }

    /// Several inputs by both heuristics; the certificate has proven every answer that comes back.
    fn several(&mut self, engine: &Engine) {
        let name = "cpu 24 inputs of 2000, 4 letters";
        if !self.wants(name) {
            return;
        }
        let inputs: Vec<Vec<u8>> = (1..=24).map(|seed| letters(2000, 4, seed)).collect();
        let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        let solve = |method: Method| {
            let mut options = ScsOptions::default();
            (options.method, options.path) = (method, true);
            let started = Instant::now();
            let answer = engine.scs_many(&inputs, &options).unwrap_or_else(|error| panic!("{error}"));
            Timed { answer, best: started.elapsed() }
        };
        let (tree, majority) = (solve(Method::MergeTree), solve(Method::MajorityMerge));
        for (method, timed) in [("merge-tree", &tree), ("majority-merge", &majority)] {
            let (length, bound) = (timed.answer.length, timed.answer.lower_bound);
            println!("{name}, {method}: length {length}, at least {bound}");
            self.row(&format!("{name}, {method}"), timed, None, bound <= length);
        }
    }

    /// The two table methods of edit distance on the device, each checking the other.
    fn edit_distances(&mut self, info: &DeviceInfo, n: usize) {
        let name = format!("edit distance {n} x {n}, 4 letters, tiled");
        if !self.wants(&name) {
            return;
        }
        let choice = info.selector.parse().unwrap_or_default();
        let candidate = adapter::choose(&choice).ok().flatten().expect("it was listed");
        let gpu = Gpu::open(&candidate, false).unwrap_or_else(|error| panic!("{error}"));
        let (control, phases) = (Control::default(), Phases::start());
        let slice = Duration::from_millis(60);
        let device = Device { backend: &gpu, budget_bytes: 1 << 30, slice, control: &control, phases: &phases };
        let (a, b) = (codes(n, 3), codes(n, 4));
        let (diagonals, seed) =
            best_of(2, || pollster::block_on(anti_diagonal::last_cell(&device, Recurrence::EditDistance, &a, &b)));
        let (tiles, ours) = best_of(3, || pollster::block_on(tiled::distance(&device, &a, &b)));
        self.line(&name, (n * n) as f64, ours, Some(("anti-diagonal, same device", seed)), tiles == diagonals);
    }

    /// The same over threads.
    fn edit_distances_over_threads(&mut self, n: usize) {
        let name = format!("cpu edit distance {n} x {n}, 4 letters, tiled");
        if !self.wants(&name) {
            return;
        }
        let (a, b) = (codes(n, 3), codes(n, 4));
        let control = Control::default();
        let (diagonals, seed) =
            best_of(2, || anti_diagonal::cpu::last_cell(Recurrence::EditDistance, &a, &b, &control));
        let (tiles, ours) = best_of(2, || tiled_cpu::distance(&a, &b, &control));
        self.line(&name, (n * n) as f64, ours, Some(("anti-diagonal, same threads", seed)), tiles == diagonals);
    }

    fn row(&mut self, name: &str, ours: &Timed, baseline: Option<(&str, Duration)>, right: bool) {
        let run = &ours.answer.run;
        self.line(name, run.cells as f64, ours.best, baseline, right);
        let phases: Vec<_> = run.phases.iter().map(|(phase, time)| format!("{phase} {:.2}", millis(*time))).collect();
        println!("    {}; ms by phase, last call: {}", run.path_mode, phases.join(", "));
    }

    fn line(&mut self, name: &str, cells: f64, time: Duration, baseline: Option<(&str, Duration)>, right: bool) {
        let rate = cells / time.as_secs_f64();
        let share = (!name.starts_with("cpu")).then(|| self.ceiling()).flatten().map(|ceiling| rate / ceiling);
        let ratio = baseline.map(|(_, other)| other.as_secs_f64() / time.as_secs_f64());
        let verdict = if right { "right" } else { "WRONG" };
        self.wrong += usize::from(!right);
        let percent = share.map_or(String::new(), |share| format!(", {:.1} % of the integer ceiling", 100.0 * share));
        let against = match (baseline, ratio) {
            (Some((other, time)), Some(ratio)) => format!("; {ratio:.2}x {other} ({:.2} ms)", millis(time)),
            _ => String::new(),
        };
        println!("{name}: {:.2} ms, {:.4} TCUPS{percent}{against}; {verdict}", millis(time), rate / 1e12);
        self.rows.push(json!({
            "case": name, "seconds": time.as_secs_f64(), "cells_per_second": rate, "share_of_ceiling": share,
            "baseline": baseline.map(|(other, _)| other), "baseline_seconds": baseline.map(|(_, time)| time.as_secs_f64()),
            "ratio": ratio, "right": right,
        }));
    }

    /// Cells a second if integer instructions were all that a device issued and the bit-parallel recurrence all that they
    /// did: four instructions for the 31 rows of a limb.
    fn ceiling(&self) -> Option<f64> {
        let (_, units) = self.gpu.as_ref()?.capabilities.iter().find(|(name, _)| *name == "compute_units")?;
        Some(units.parse::<f64>().ok()? * LANES_PER_UNIT * self.clock_ghz * 1e9 * 31.0 / 4.0)
    }

    fn record(&self, arguments: &[String]) -> Value {
        let info = self.gpu.as_ref();
        json!({
            "schema": "swath/bench/1",
            "command": arguments[1..],
            "commit": option_env!("SWATH_COMMIT").or(std::env::var("SWATH_COMMIT").ok().as_deref()),
            "device": info.map(|info| &info.name), "driver": info.map(|info| &info.driver), "clock_ghz": self.clock_ghz,
            "rows": self.rows,
        })
    }
}

fn time(engine: &Engine, a: &[u8], b: &[u8], method: Method, path: bool, times: usize) -> Timed {
    let mut options = ScsOptions::default();
    (options.method, options.path) = (method, path);
    // The first call builds pipelines and fills the pool of buffers.
    let warm = engine.scs_with(a, b, &options).unwrap_or_else(|error| panic!("{error}"));
    let mut timed = Timed { answer: warm, best: Duration::MAX };
    for _ in 0..times {
        let started = Instant::now();
        timed.answer = engine.scs_with(a, b, &options).unwrap_or_else(|error| panic!("{error}"));
        timed.best = timed.best.min(started.elapsed());
    }
    timed
}

fn best_of(times: usize, solve: impl Fn() -> swath::Result<u64>) -> (u64, Duration) {
    let mut best = Duration::MAX;
    let mut answer = solve().unwrap_or_else(|error| panic!("{error}"));
    for _ in 0..times {
        let started = Instant::now();
        answer = solve().unwrap_or_else(|error| panic!("{error}"));
        best = best.min(started.elapsed());
    }
    (answer, best)
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

fn codes(count: usize, seed: u64) -> Vec<u32> {
    letters(count, 4, seed).into_iter().map(u32::from).collect()
}
