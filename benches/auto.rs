//! Whole processes of the command: the device choice of `auto` beside every device, and the
//! estimates of dry runs beside the times of calls.
//!
//! `cargo bench -p swath-bench --bench auto -- --help`. A row fails if `auto` takes more than 1.3
//! times as long as the best device, a call more than twice or less than half of its estimate, or if
//! the devices' answers differ.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use swath_bench::Bench;
use swath_bench::genomes;
use swath_bench::inputs::{edited, letters};

/// Maximum ratio of the time of `auto` to that of the best device.
const WORST: f64 = 1.3;
/// Maximum factor between a call and its estimate.
const MISSED: f64 = 2.0;
/// Runs of a row on each device, in turns, if one takes less than [`SHORT`].
const RUNS: usize = 5;
const SHORT: Duration = Duration::from_secs(4);
const GENOMES: &str = "H. pylori genomes";

fn main() -> ExitCode {
    let about = "Whole processes: `auto` beside every device, and dry runs beside calls.";
    let own = "
  --swath FILE     the command; by default the one that is built beside this program
  --longest S      leaves out what is expected to take more seconds; 12 by default
  --open yes       has the GPU open meanwhile, as another process may";
    let mut bench = Bench::from_arguments("auto", about, own);
    let folder = tempfile::tempdir().expect("a folder for the inputs");
    let program = std::env::current_exe().expect("the path of this program");
    let mut beside = program.ancestors().skip(1).take(2);
    let beside = beside.find_map(|folder| Some(folder.join("swath")).filter(|file| file.is_file()));
    let swath = bench.option("--swath").map(PathBuf::from).or(beside);
    let Some(swath) = swath else {
        eprintln!("--swath names the command, or `cargo build --release` builds it");
        return ExitCode::FAILURE;
    };
    let longest = bench
        .option("--longest")
        .map_or(12.0, |text| text.parse().expect("a number of seconds"));
    let _open = bench.option("--open").and_then(|_| bench.backend());
    let sizes = [1_000, 10_000, 100_000, 200_000, 1_000_000, 10_000_000];
    let kinds = ["random", "1 % apart"].map(|kind| sizes.map(|n| (kind, n)));
    for (kind, n) in kinds.into_iter().flatten().chain([(GENOMES, 8)]) {
        let n = bench.size(n);
        let mut pair = None;
        for problem in ["lcs", "edit"] {
            for part in ["length", "path"] {
                let case = match kind {
                    GENOMES => format!("{problem} {part}, {kind}"),
                    _ => format!("{problem} {part}, {kind} {n}"),
                };
                if bench.wants(&case) {
                    let pair = pair.get_or_insert_with(|| inputs(folder.path(), kind, n));
                    let mut arguments = vec![problem.into(), pair[0].clone(), pair[1].clone()];
                    if part == "path" {
                        arguments.extend(["--path".into(), "--output".into()]);
                        arguments.push(folder.path().join("path"));
                    }
                    let call = Call {
                        swath: &swath,
                        arguments,
                    };
                    row(&mut bench, &call, &case, longest);
                }
            }
        }
    }
    bench.finish()
}

/// Files with both inputs.
fn inputs(folder: &Path, kind: &str, n: usize) -> [PathBuf; 2] {
    if kind == GENOMES {
        return genomes::FILES.map(|file| genomes::folder().join(file));
    }
    let a = letters(n, 4, 1);
    let b = if kind == "random" {
        letters(n, 4, 2)
    } else {
        edited(&a, 1, 100, 3)
    };
    [("a", a), ("b", b)].map(|(name, codes)| {
        let text = codes.into_iter().map(|code| b"ACGT"[usize::from(code)]);
        let file = folder.join(name);
        std::fs::write(&file, text.collect::<Vec<_>>()).expect("the folder takes files");
        file
    })
}

/// A command without its device.
struct Call<'a> {
    swath: &'a Path,
    arguments: Vec<PathBuf>,
}

/// Shortest time of a whole process, and its last report.
struct Timed {
    best: Duration,
    report: Value,
}

impl Call<'_> {
    fn run(&self, device: &str, more: &[&str]) -> Timed {
        let mut command = Command::new(self.swath);
        command.args(&self.arguments);
        command.args(["--device", device, "--json"]).args(more);
        let started = Instant::now();
        let output = command.output().expect("the command starts");
        let best = started.elapsed();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}: {errors}");
        let report = serde_json::from_slice(&output.stdout);
        Timed {
            best,
            report: report.expect("a report is JSON"),
        }
    }

    /// Best of several runs on each device, in turns.
    fn best(&self, devices: &[&str]) -> Vec<Timed> {
        let mut all: Vec<_> = devices.iter().map(|device| self.run(device, &[])).collect();
        let is_short = |timed: &Timed| timed.best < SHORT;
        if all.iter().all(is_short) {
            for _ in 1..RUNS {
                for (timed, device) in all.iter_mut().zip(devices) {
                    let again = self.run(device, &[]);
                    if again.best < timed.best {
                        *timed = again;
                    }
                }
            }
        }
        all
    }

    /// Expected seconds on a device.
    fn expected(&self, device: &str) -> f64 {
        number(&self.run(device, &["--dry-run"]).report, "expected_seconds")
    }
}

/// Finds a member by name at any depth.
fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let members = value.as_object()?;
    let of_members = || members.values().find_map(|value| member(value, name));
    members.get(name).or_else(of_members)
}

fn number(report: &Value, name: &str) -> f64 {
    let value = member(report, name).and_then(Value::as_f64);
    value.unwrap_or_else(|| panic!("no {name}: {report}"))
}

fn row(bench: &mut Bench, call: &Call<'_>, case: &str, longest: f64) {
    let gpu = bench.gpu().map(|info| info.selector.clone());
    let expected = call.expected("auto");
    let has_cpu = call.expected("cpu") < longest;
    if expected >= longest || (gpu.is_none() && !has_cpu) {
        return println!("{case}: left out, it is expected to take {expected:.0} s");
    }
    let mut devices = vec!["auto"];
    devices.extend(has_cpu.then_some("cpu"));
    devices.extend(gpu.as_deref());
    let timed = call.best(&devices);
    let auto = &timed[0];
    let best = timed[1..].iter().map(|timed| timed.best).min();
    let slower = auto.best.as_secs_f64() / best.unwrap_or(auto.best).as_secs_f64();
    let seconds = number(&auto.report, "seconds");
    let missed = expected / seconds;
    let answer = |timed: &Timed| {
        ["length", "distance"].map(|name| timed.report.get(name).and_then(Value::as_u64))
    };
    let same = timed.iter().all(|other| answer(other) == answer(auto));
    let mut marks = Vec::new();
    for (is_marked, mark) in [
        (slower > WORST, "SLOWER THAN THE BEST"),
        (
            !(1.0 / MISSED..=MISSED).contains(&missed),
            "NOT AS EXPECTED",
        ),
        (!same || answer(auto) == [None; 2], "WRONG"),
    ] {
        marks.extend(is_marked.then_some(mark));
    }
    let text = |name: &str| member(&auto.report, name).and_then(Value::as_str);
    let [method, device] = ["method", "device"].map(|name| text(name).unwrap_or_default());
    let times = devices.iter().zip(&timed);
    let times = times.map(|(device, timed)| format!("{device} {:.2?}", timed.best));
    println!(
        "{case}: {}, {slower:.2}x the best; {seconds:.4} s in the call by {method} on {device}, {missed:.2}x expected {}",
        times.collect::<Vec<_>>().join(", "),
        marks.join(", ")
    );
    let of = |name: Option<&str>| {
        let at = devices.iter().position(|device| Some(*device) == name);
        at.map(|at| timed[at].best.as_secs_f64())
    };
    let row = json!({
        "case": case, "seconds": of(Some("auto")), "cpu_seconds": of(Some("cpu")), "gpu_seconds": of(gpu.as_deref()),
        "expected_seconds": expected, "call_seconds": seconds, "method": method, "device": device, "marks": marks,
    });
    bench.keep(row, marks.is_empty());
}
