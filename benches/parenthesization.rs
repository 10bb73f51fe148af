//! Parenthesization side by side: every case with its baseline in one run, every answer checked.
//!
//! `cargo bench --bench parenthesization -- [--device D] [--clock-ghz F] [--only NAME] [--json FILE]`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use swath::parenthesization::{MatrixChain, Method, RnaFold, SearchTree, Tuning};
use swath::{DeviceChoice, DeviceInfo, Engine, Options, Parenthesization, ParenthesizationOptions, Problem};

/// Integer lanes that one NVIDIA or AMD compute unit runs a cycle.
const LANES_PER_UNIT: f64 = 64.0;
/// Integer instructions that a split of a 64-bit cost takes at least: a wide multiply-add, an addition of two, a minimum of three.
const INSTRUCTIONS: f64 = 6.0;

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
    cost: u64,
    answer: Parenthesization<u64>,
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
            self.against_thread_mappings();
            self.tiled();
            self.tiles_and_limbs();
        }
        self.table_on_the_cpu();
        self.hu_shing();
    }

    fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only))
    }

    /// Tiles and the adaptive mapping against one lane a range on the same device; Hu and Shing's method checks the cost.
    fn against_thread_mappings(&mut self) {
        for n in [1_024, 4_096] {
            let chain = MatrixChain::new(dimensions(n, 1_000, 1));
            let expected = cost_by_hu_shing(&chain);
            let names = ["adaptive", "tiled"].map(|method| format!("{method} chain {n}"));
            if !names.iter().any(|name| self.wants(name)) {
                continue;
            }
            let baseline = self.time(&chain, Method::ThreadPerSubproblem, Tuning::default(), 1);
            for (name, method) in names.iter().zip([Method::Adaptive, Method::Tiled]) {
                let ours = self.time(&chain, method, Tuning::default(), 3);
                let right = [ours.cost, baseline.cost] == [expected; 2] && ours.answer.tree == baseline.answer.tree;
                self.row(name, n, &ours, Some(("thread-per-subproblem, same device", baseline.best)), right);
            }
        }
    }

    /// Longer chains, and problems that Hu and Shing's method does not solve.
    fn tiled(&mut self) {
        for n in [8_192, 16_384, 32_768] {
            let name = format!("tiled chain {n}");
            if self.wants(&name) {
                let chain = MatrixChain::new(dimensions(n, 1_000, 2));
                let ours = self.time(&chain, Method::Tiled, Tuning::default(), 2);
                let right = ours.cost == cost_by_hu_shing(&chain);
                self.row(&name, n, &ours, None, right);
            }
        }
        let n = 4_096;
        let name = format!("tiled chain {n}, dimensions to 1000000");
        if self.wants(&name) {
            let chain = MatrixChain::new(dimensions(n, 1_000_000, 3));
            let ours = self.time(&chain, Method::Tiled, Tuning::default(), 3);
            let right = ours.cost == cost_by_hu_shing(&chain);
            self.row(&name, n, &ours, None, right);
        }
        let name = format!("tiled search tree {n}");
        if self.wants(&name) {
            let tree = SearchTree::new(dimensions(n - 2, 1_000, 4), dimensions(n - 1, 1_000, 5)).expect("weights");
            let adaptive = self.time(&tree, Method::Adaptive, Tuning::default(), 1);
            let ours = self.time(&tree, Method::Tiled, Tuning::default(), 3);
            let right = (ours.cost, &ours.answer.tree) == (adaptive.cost, &adaptive.answer.tree);
            self.row(&name, n, &ours, Some(("adaptive, same device", adaptive.best)), right);
        }
        let name = format!("tiled fold {n}");
        if self.wants(&name) {
            let letters = dimensions(n - 1, 4, 6).into_iter().map(|letter| b"ACGU"[letter as usize - 1]);
            let fold = RnaFold::new(&letters.collect::<Vec<_>>(), 3).expect("letters");
            let adaptive = self.time(&fold, Method::Adaptive, Tuning::default(), 1);
            let ours = self.time(&fold, Method::Tiled, Tuning::default(), 3);
            let right = (ours.cost, &ours.answer.tree) == (adaptive.cost, &adaptive.answer.tree);
            self.row(&name, n, &ours, Some(("adaptive, same device", adaptive.best)), right);
        }
    }

    /// Other tiles and other arithmetic beside the planner's choice.
    fn tiles_and_limbs(&mut self) {
        let n = 4_096;
        let chain = MatrixChain::new(dimensions(n, 1_000, 1));
        let expected = cost_by_hu_shing(&chain);
        for (name, tile, limbs) in
            [("tiles of 16", Some(16), false), ("tiles of 64", Some(64), false), ("limbs", None, true)]
        {
            let name = format!("tiled chain {n}, {name}");
            if !self.wants(&name) || (tile == Some(64) && !self.has_room_for_64()) {
                continue;
            }
            let mut tuning = Tuning::default();
            (tuning.tile, tuning.limbs) = (tile, limbs);
            let planned = self.time(&chain, Method::Tiled, Tuning::default(), 3);
            let ours = self.time(&chain, Method::Tiled, tuning, 3);
            self.row(&name, n, &ours, Some(("the planner's choice", planned.best)), ours.cost == expected);
        }
    }

    /// Whether workgroups have the memory for tiles of 64 rows.
    fn has_room_for_64(&self) -> bool {
        let room = self.gpu.as_ref().and_then(|(_, info)| {
            let (_, bytes) = info.capabilities.iter().find(|(name, _)| *name == "workgroup_bytes")?;
            bytes.parse::<u64>().ok()
        });
        room.is_some_and(|bytes| bytes >= 40 << 10)
    }

    /// Two threads and one against the best simple loop order on one.
    fn table_on_the_cpu(&mut self) {
        let n = 2_048;
        for threads in [1, 2] {
            let name = format!("cpu tiled chain {n}, {threads} threads");
            if !self.wants(&name) {
                continue;
            }
            let numbers = dimensions(n, 1_000, 7);
            let started = Instant::now();
            let simple = simple_table(&numbers);
            let baseline = started.elapsed();
            let ours = time(&cpu(threads), &MatrixChain::new(numbers), Method::Tiled, Tuning::default(), 3);
            let right = ours.cost == simple;
            self.row(&name, n, &ours, Some(("best simple loop order, 1 thread", baseline)), right);
        }
    }

    /// A million matrices with their tree; the certificate has proven its cost, the table has proven shorter ones.
    fn hu_shing(&mut self) {
        for n in [100_000, 1_000_000] {
            let name = format!("hu-shing chain {n}");
            if self.wants(&name) {
                let chain = MatrixChain::new(dimensions(n, 1_000, 8));
                let ours = time(&cpu(1), &chain, Method::HuShing, Tuning::default(), 3);
                let right = ours.answer.in_order.is_some_and(|in_order| ours.cost <= in_order);
                self.row(&name, n, &ours, None, right);
            }
        }
    }

    fn time<P: Problem<Value = u64>>(&self, problem: &P, method: Method, tuning: Tuning, times: usize) -> Timed {
        let (engine, _) = self.gpu.as_ref().expect("GPU cases run with a GPU");
        time(engine, problem, method, tuning, times)
    }

    fn row(&mut self, name: &str, n: usize, ours: &Timed, baseline: Option<(&str, Duration)>, right: bool) {
        let run = &ours.answer.run;
        let rate = run.computed_cells as f64 / ours.best.as_secs_f64();
        let ratio = baseline.map(|(_, time)| time.as_secs_f64() / ours.best.as_secs_f64());
        let share = (run.device != "cpu").then(|| self.ceiling()).flatten().map(|ceiling| rate / ceiling);
        let verdict = if right { "right" } else { "WRONG" };
        self.wrong += usize::from(!right);
        let percent = share.map_or(String::new(), |share| format!(", {:.0} % of the integer ceiling", 100.0 * share));
        let against = match (baseline, ratio) {
            (Some((other, time)), Some(ratio)) => format!("; {ratio:.2}x {other} ({:.2} ms)", millis(time)),
            _ => String::new(),
        };
        println!("{name}: {:.2} ms, {:.1} Gsplit/s{percent}{against}; {verdict}", millis(ours.best), rate / 1e9);
        let phases: Vec<_> = run.phases.iter().map(|(phase, time)| format!("{phase} {:.2}", millis(*time))).collect();
        println!("    ms by phase, last call: {}", phases.join(", "));
        self.rows.push(json!({
            "case": name, "leaves": n, "seconds": ours.best.as_secs_f64(), "splits_per_second": rate,
            "share_of_ceiling": share, "baseline": baseline.map(|(other, _)| other),
            "baseline_seconds": baseline.map(|(_, time)| time.as_secs_f64()), "ratio": ratio, "right": right,
            "cost": ours.cost, "arithmetic": ours.answer.arithmetic.name(),
            "phases": run.phases.iter().map(|(phase, time)| json!([phase, time.as_secs_f64()])).collect::<Vec<_>>(),
        }));
    }

    /// Splits a second if integer instructions were all that a device issued.
    fn ceiling(&self) -> Option<f64> {
        let (_, info) = self.gpu.as_ref()?;
        let (_, units) = info.capabilities.iter().find(|(name, _)| *name == "compute_units")?;
        Some(units.parse::<f64>().ok()? * LANES_PER_UNIT * self.clock_ghz * 1e9 / INSTRUCTIONS)
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

fn time<P: Problem<Value = u64>>(engine: &Engine, problem: &P, method: Method, tuning: Tuning, times: usize) -> Timed {
    let mut options = ParenthesizationOptions::default();
    (options.method, options.tuning) = (method, tuning);
    let mut best = Duration::MAX;
    let mut answer = None;
    // The first call builds pipelines and fills the pool of buffers.
    for _ in 0..=times {
        let started = Instant::now();
        let now = engine.parenthesize(problem, &options).unwrap_or_else(|error| panic!("{error}"));
        if answer.is_some() {
            best = best.min(started.elapsed());
        }
        answer = Some(now);
    }
    let answer: Parenthesization<u64> = answer.expect("at least one call");
    Timed { cost: answer.cost, answer, best }
}

fn cpu(threads: usize) -> Engine {
    let mut options = Options::default();
    (options.device, options.threads) = (DeviceChoice::Cpu, Some(threads));
    Engine::new(options).unwrap_or_else(|error| panic!("{error}"))
}

fn cost_by_hu_shing(chain: &MatrixChain) -> u64 {
    time(&cpu(1), chain, Method::HuShing, Tuning::default(), 1).cost
}

/// [`simple_rows`], with the instructions that the library uses.
fn simple_table(dimensions: &[u64]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl")]
        fn avx512(dimensions: &[u64]) -> u64 {
            simple_rows(dimensions)
        }
        #[target_feature(enable = "avx2")]
        fn avx2(dimensions: &[u64]) -> u64 {
            simple_rows(dimensions)
        }
        if is_x86_feature_detected!("avx512dq") && is_x86_feature_detected!("avx512vl") {
            // SAFETY: processors with these two have the other two.
            return unsafe { avx512(dimensions) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has been checked.
            return unsafe { avx2(dimensions) };
        }
    }
    simple_rows(dimensions)
}

/// The whole table with rows from the last up and the column innermost, so that the compiler can vectorise it.
#[inline(always)]
fn simple_rows(dimensions: &[u64]) -> u64 {
    let points = dimensions.len();
    let mut table = vec![u64::MAX; points * points];
    for i in (0..points - 1).rev() {
        let (upper, lower) = table.split_at_mut((i + 1) * points);
        let row = &mut upper[i * points..];
        row[i + 1] = 0;
        for k in i + 1..points - 1 {
            let (left, pair) = (row[k], dimensions[i].wrapping_mul(dimensions[k]));
            let right = &lower[(k - i - 1) * points..][..points];
            for ((best, right), last) in row[k + 1..].iter_mut().zip(&right[k + 1..]).zip(&dimensions[k + 1..]) {
                *best = (*best).min(left.wrapping_add(*right).wrapping_add(pair.wrapping_mul(*last)));
            }
        }
    }
    table[points - 1]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// One more than `leaves` numbers from 1 to `limit` by xorshift.
fn dimensions(leaves: usize, limit: u64, seed: u64) -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed);
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        1 + (state >> 20) % limit
    };
    std::iter::repeat_with(next).take(leaves + 1).collect()
}
