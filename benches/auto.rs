//! Checks the device choice of `auto` and the estimates of dry runs, with whole processes on files.
//!
//! `cargo bench -p swath-bench --bench auto -- [--device D] [--only NAME] [--shrink N] [--json
//! FILE]` runs the command named by `SWATH`, or the one next to this benchmark. Rows with an
//! estimate above `LONGEST` seconds (default 12) are skipped. A row fails the benchmark if `auto`
//! takes more than 1.3 times as long as the best device, or if a call takes more than twice or less
//! than half of its estimate. All devices must give the same answer.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use swath_bench::Bench;
use swath_bench::inputs::{edited, letters};
use swath_bench::timing::millis;

/// Maximum ratio of the time of `auto` to that of the best device.
const WORST: f64 = 1.3;
/// Maximum factor between a call and its estimate.
const MISSED: f64 = 2.0;
/// Time for the runs of a row on each device, in turns: at most [`MOST_RUNS`], and at least two if
/// one fits, as the first may compile kernels that are not cached yet.
const TIME: Duration = Duration::from_millis(600);
const MOST_RUNS: usize = 20;
const WORTH_TWO_RUNS: Duration = Duration::from_secs(4);
/// Default of `LONGEST`, in seconds.
const USUALLY_LONGEST: f64 = 12.0;

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    let folder = tempfile::tempdir().expect("a folder for the inputs");
    let swath = swath();
    let gpu = bench.gpu().map(|info| info.selector.clone());
    println!(
        "{:44} {:>9} {:>9} {:>9} {:>6} {:>9} {:>9} {:>6}",
        "case", "auto", "cpu", "gpu", "best", "expected", "call", ""
    );
    for (kind, n) in kinds() {
        let n = bench.size(n);
        let names: Vec<_> = cases()
            .map(|(problem, path)| name(problem, kind, n, path))
            .collect();
        if !names.iter().any(|name| bench.wants(name)) {
            continue;
        }
        let pair = inputs(folder.path(), kind, n);
        for ((problem, path), name) in cases().zip(names) {
            if bench.wants(&name) {
                let case = Case {
                    swath: &swath,
                    problem,
                    pair: &pair,
                    path: path.then(|| folder.path().join("path")),
                };
                row(&mut bench, &case, &name, gpu.as_deref());
            }
        }
    }
    bench.finish()
}

fn name(problem: &str, kind: &str, n: usize, path: bool) -> String {
    let size = if kind == GENOMES {
        String::new()
    } else {
        format!(" {n}")
    };
    format!(
        "{problem} {}, {kind}{size}",
        if path { "path" } else { "length" }
    )
}

const GENOMES: &str = "H. pylori genomes";

fn kinds() -> impl Iterator<Item = (&'static str, usize)> {
    let sizes = [1_000, 10_000, 100_000, 200_000, 1_000_000, 10_000_000];
    let of = move |kind| sizes.map(|n| (kind, n));
    of("random")
        .into_iter()
        .chain(of("1 % apart"))
        .chain([(GENOMES, 8)])
}

fn cases() -> impl Iterator<Item = (&'static str, bool)> {
    [
        ("lcs", false),
        ("lcs", true),
        ("edit", false),
        ("edit", true),
    ]
    .into_iter()
}

/// The command: `SWATH`, or the one of this build.
fn swath() -> PathBuf {
    let beside = || {
        let own = std::env::current_exe().expect("the benchmark has a path");
        let folders = own.ancestors().skip(1).take(2);
        folders
            .map(|folder| folder.join("swath"))
            .find(|file| file.is_file())
    };
    let named = std::env::var_os("SWATH").map(PathBuf::from);
    named
        .or_else(beside)
        .expect("SWATH names the command, or it is built beside this benchmark")
}

/// Files with both inputs.
fn inputs(folder: &Path, kind: &str, n: usize) -> [PathBuf; 2] {
    if kind == GENOMES {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data");
        return ["hpylori_ELS37.fasta.gz", "hpylori_G27.fasta.gz"].map(|file| data.join(file));
    }
    let a = letters(n, 4, 1);
    let b = if kind == "random" {
        letters(n, 4, 2)
    } else {
        edited(&a, 1, 100, 3)
    };
    let write = |name: &str, codes: &[u8]| {
        let text: Vec<u8> = codes
            .iter()
            .map(|&code| b"ACGT"[usize::from(code)])
            .collect();
        let file = folder.join(name);
        std::fs::write(&file, text).expect("the folder takes files");
        file
    };
    [write("a", &a), write("b", &b)]
}

/// One call on a pair.
struct Case<'a> {
    swath: &'a Path,
    problem: &'a str,
    pair: &'a [PathBuf; 2],
    path: Option<PathBuf>,
}

/// Shortest time of a whole process, and its last report.
struct Timed {
    best: Duration,
    report: Value,
}

impl Case<'_> {
    fn run(&self, device: &str, more: &[&str]) -> Timed {
        let mut command = Command::new(self.swath);
        command
            .arg(self.problem)
            .args(self.pair)
            .args(["--device", device, "--json"])
            .args(more);
        if let Some(path) = &self.path {
            command.args(["--path", "--output"]).arg(path);
        }
        let started = Instant::now();
        let output = command.output().expect("the command starts");
        let best = started.elapsed();
        assert!(
            output.status.success(),
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Timed {
            best,
            report: serde_json::from_slice(&output.stdout).expect("a report is JSON"),
        }
    }

    /// Best of several runs on each device.
    fn best(&self, devices: &[&str]) -> Vec<Timed> {
        let mut all: Vec<_> = devices.iter().map(|device| self.run(device, &[])).collect();
        let runs: Vec<_> = all.iter().map(|timed| runs(timed.best)).collect();
        for round in 1..MOST_RUNS {
            for ((timed, device), &runs) in all.iter_mut().zip(devices).zip(&runs) {
                if round < runs {
                    let again = self.run(device, &[]);
                    if again.best < timed.best {
                        *timed = again;
                    }
                }
            }
        }
        all
    }

    fn expected(&self, device: &str) -> f64 {
        member(&self.run(device, &["--dry-run"]).report, "expected_seconds")
            .and_then(Value::as_f64)
            .expect("a time")
    }
}

/// Number of runs for a given duration.
fn runs(once: Duration) -> usize {
    let fit = (TIME.as_secs_f64() / once.as_secs_f64()) as usize;
    fit.clamp(if once <= WORTH_TWO_RUNS { 2 } else { 1 }, MOST_RUNS)
}

/// Finds a member by name at any depth.
fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) => members
            .get(name)
            .or_else(|| members.values().find_map(|value| member(value, name))),
        _ => None,
    }
}

fn row(bench: &mut Bench, case: &Case<'_>, name: &str, gpu: Option<&str>) {
    let (expected, on_cpu) = (case.expected("auto"), case.expected("cpu"));
    let longest = longest();
    let cpu = (on_cpu < longest).then_some("cpu");
    if (cpu.is_none() && gpu.is_none()) || expected >= longest {
        println!("{name:44} left out: it is expected to take {expected:.0} s");
        return;
    }
    let devices: Vec<_> = ["auto"].into_iter().chain(cpu).chain(gpu).collect();
    let mut timed = case.best(&devices).into_iter();
    let auto = timed.next().expect("it is the first");
    let (cpu, gpu) = (
        cpu.and_then(|_| timed.next()),
        gpu.and_then(|_| timed.next()),
    );
    let best = [&cpu, &gpu]
        .into_iter()
        .flatten()
        .map(|timed| timed.best)
        .min()
        .expect("one of them ran");
    let text = |key: &str| {
        member(&auto.report, key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_string()
    };
    let call = member(&auto.report, "seconds")
        .and_then(Value::as_f64)
        .expect("a time");
    let (slower, missed) = (
        auto.best.as_secs_f64() / best.as_secs_f64(),
        expected / call,
    );
    let marks = [
        (slower > WORST).then_some("SLOWER THAN THE BEST"),
        (!(1.0 / MISSED..=MISSED).contains(&missed)).then_some("NOT AS EXPECTED"),
    ];
    let marks: Vec<_> = marks.into_iter().flatten().collect();
    let shown = |timed: &Option<Timed>| {
        timed
            .as_ref()
            .map_or("-".to_string(), |timed| ms(millis(timed.best)))
    };
    println!(
        "{name:44} {:>9} {:>9} {:>9} {slower:5.2}x {:>9} {:>9} {missed:5.2}x {} on {} {}",
        ms(millis(auto.best)),
        shown(&cpu),
        shown(&gpu),
        ms(expected * 1e3),
        ms(call * 1e3),
        text("method"),
        text("device"),
        marks.join(", "),
    );
    let answer = |timed: &Timed| {
        ["length", "distance"].map(|name| timed.report.get(name).and_then(Value::as_u64))
    };
    let right = answer(&auto) != [None; 2]
        && [&cpu, &gpu]
            .into_iter()
            .flatten()
            .all(|other| answer(other) == answer(&auto));
    if !right {
        println!("    WRONG: the devices' answers differ");
    }
    bench.require(right && marks.is_empty());
    let seconds = |timed: &Option<Timed>| timed.as_ref().map(|timed| timed.best.as_secs_f64());
    bench.keep(json!({
        "case": name, "seconds": auto.best.as_secs_f64(), "cpu_seconds": seconds(&cpu), "gpu_seconds": seconds(&gpu),
        "expected_seconds": expected, "call_seconds": call, "method": text("method"), "device": text("device"),
        "marks": marks, "right": right,
    }));
}

fn longest() -> f64 {
    std::env::var("LONGEST").map_or(USUALLY_LONGEST, |text| {
        text.parse().expect("LONGEST is a number of seconds")
    })
}

fn ms(millis: f64) -> String {
    format!("{millis:.2} ms")
}
