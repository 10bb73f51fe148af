//! Rates of the CPU kernels by instruction set, on one thread, every answer checked.
//!
//! `cargo bench -p swath-bench --bench kernels -- [--only NAME] [--shrink N]`. Each kernel runs in
//! its own process, selected by the environment variable `SWATH_CPU_KERNEL`; if that is already
//! set, only that kernel runs.

use std::process::{Command, ExitCode};

use rapidfuzz::distance::{lcs_seq, levenshtein};
use serde_json::json;
use swath::{DeviceChoice, Edit, Engine, Lcs, Options, edit_distance, lcs};
use swath_bench::ceiling::Work;
use swath_bench::inputs::letters;
use swath_bench::record::Row;
use swath_bench::timing::{Timed, best_of, once};
use swath_bench::{Bench, native};

const VARIABLE: &str = "SWATH_CPU_KERNEL";
const KERNELS: [&str; 4] = ["avx512", "avx2", "neon", "portable"];

fn main() -> ExitCode {
    if let Ok(kernel) = std::env::var(VARIABLE) {
        return rates(&kernel);
    }
    let program = std::env::current_exe().expect("the path of this program");
    let run = |kernel: &&str| {
        let arguments = std::env::args().skip(1);
        Command::new(&program)
            .args(arguments)
            .env(VARIABLE, kernel)
            .status()
            .is_ok_and(|status| status.success())
    };
    let failed = KERNELS.iter().filter(|kernel| !run(kernel)).count();
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn rates(kernel: &str) -> ExitCode {
    let mut options = Options::default();
    options.device = DeviceChoice::Cpu;
    if let Err(error) = Engine::new(options) {
        println!("{error}");
        return ExitCode::SUCCESS;
    }
    let mut bench = Bench::from_arguments();
    let engine = native(Some(1));
    for symbols in [4, 26, 200] {
        let n = bench.size(100_000);
        let (a, b) = (letters(n, symbols, 7), letters(n, symbols, 8));
        let name = format!("{kernel}, length {n} x {n}, {symbols} letters");
        if bench.wants(&name) {
            let task = Lcs::of(&a, &b).method(lcs::Method::BitParallel);
            let ours = best_of(10, || engine.run(&task).map(|found| found.length));
            let theirs = once(|| lcs_seq::similarity(a.iter(), b.iter()) as u64);
            row(&mut bench, &name, Work::LcsCells, &ours, &theirs, n);
        }
        let name = format!("{kernel}, distance {n} x {n}, {symbols} letters");
        if bench.wants(&name) {
            let task = Edit::of(&a, &b).method(edit_distance::Method::BitParallel);
            let ours = best_of(10, || {
                // No bound was requested.
                let found = engine.run(&task)?;
                Ok(found.distance.exactly().unwrap_or(u64::MAX))
            });
            let theirs = once(|| levenshtein::distance(a.iter(), b.iter()) as u64);
            row(&mut bench, &name, Work::EditCells, &ours, &theirs, n);
        }
    }
    bench.finish()
}

fn row(
    bench: &mut Bench,
    case: &str,
    work: Work,
    ours: &Timed<u64>,
    theirs: &Timed<u64>,
    n: usize,
) {
    let cells = (n * n) as u128;
    bench.row(Row {
        case,
        times: ours.times(),
        count: cells,
        computed: cells,
        work,
        device: "cpu",
        baseline: Some(("rapidfuzz, 1 thread", theirs.best())),
        right: ours.answer == theirs.answer,
        remark: String::new(),
        path_mode: None,
        phases: &[],
        members: json!({}),
    });
}
