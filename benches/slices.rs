//! Lengths of slices on a device, and its throughput per kernel relative to what the first slices
//! assume.
//!
//! `cargo bench -p swath-bench --bench slices -- --help`. A row is one call on a freshly opened
//! device without measurements, after an uncounted call on another one that has compiled the
//! kernels. A slice is one submission of passes. A slice after the first three of more than twice
//! the target fails, but not where host threads compute: a shared machine stalls them.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use swath::edit_distance::Method as EditMethod;
use swath::lcs::Method as LcsMethod;
use swath::parenthesization::{MatrixChain, Method as TreeMethod};
use swath::sort::RadixSort;
use swath::substring::Method as SubstringMethod;
use swath::supersequence::Method as ScsMethod;
use swath::unstable::backend::{Backend, supposed_rate};
use swath::unstable::kernels::Kernel;
use swath::{Edit, Engine, Lcs, Options, Parenthesize, Result, Scs, Substring};
use swath_bench::Bench;
use swath_bench::inputs::{dimensions, edited, letters, words};
use swath_bench::timing::{millis, once};
use swath_bench::watched::{Slice, Watched};

/// Number of first slices without prior measurements, which may be longer.
const FIRST: usize = 3;
/// Maximum ratio of a later slice to its target.
const LONGEST: f64 = 2.0;
/// Target slice lengths: on the device of an application, and by default.
const SLICES_MS: [u32; 2] = [8, 60];
/// A call that returns a number to compare answers by.
type Call = Box<dyn Fn(&Engine) -> Result<u64>>;

/// Name, sizes for a large GPU and for software, and the call of that size.
type Case = (&'static str, [usize; 2], fn(usize) -> Call);

const CASES: [Case; 17] = [
    ("LCS length, strips", [5_000_000, 60_000], |n| {
        lcs(n, LcsMethod::BitParallel, false)
    }),
    ("LCS path, strips", [5_000_000, 60_000], |n| {
        lcs(n, LcsMethod::BitParallel, true)
    }),
    ("LCS length, conditional sums", [500_000, 8_000], |n| {
        lcs(n, LcsMethod::ConditionalSum, false)
    }),
    ("edit distance, strips", [3_000_000, 60_000], |n| {
        edit(n, EditMethod::BitParallel, false)
    }),
    ("alignment, strips", [3_000_000, 40_000], |n| {
        edit(n, EditMethod::BitParallel, true)
    }),
    ("edit distance, tiles", [300_000, 4_000], |n| {
        edit(n, EditMethod::Tiled, false)
    }),
    ("edit distance, anti-diagonals", [100_000, 4_000], |n| {
        edit(n, EditMethod::AntiDiagonal, false)
    }),
    ("alignment, 1 % apart", [3_000_000, 200_000], |n| {
        edit(n, EditMethod::Wavefront, true)
    }),
    ("supersequence, anti-diagonals", [60_000, 3_000], |n| {
        scs(n, ScsMethod::AntiDiagonal)
    }),
    ("supersequence, rows", [150_000, 6_000], |n| {
        scs(n, ScsMethod::RowWise)
    }),
    ("chain, tiles", [12_000, 800], |n| {
        chain(n, TreeMethod::Tiled)
    }),
    ("chain, adaptive", [6_000, 500], |n| {
        chain(n, TreeMethod::Adaptive)
    }),
    ("chain, threads", [3_000, 400], |n| {
        chain(n, TreeMethod::ThreadPerSubproblem)
    }),
    ("sort of u64 pairs", [100_000_000, 1_000_000], sort),
    ("substring, bitmaps", [100_000_000, 1_000_000], |n| {
        substring(n, 26, SubstringMethod::Cascade)
    }),
    ("substring, bitmaps, all A", [30_000_000, 300_000], |n| {
        substring(n, 1, SubstringMethod::Cascade)
    }),
    ("substring, sorting", [10_000_000, 100_000], |n| {
        substring(n, 26, SubstringMethod::SortAndScan)
    }),
];

fn main() -> ExitCode {
    let about = "Lengths of slices on a device, and throughput of its kernels.";
    let mut bench = Bench::from_arguments("slices", about, "");
    let Some(device) = bench.backend() else {
        println!("no GPU: there are no slices");
        return bench.finish();
    };
    let is_software = device.capabilities().host_threads.is_some();
    drop(device);
    for (name, sizes, call) in CASES {
        let n = bench.size(sizes[usize::from(is_software)]);
        let cases = SLICES_MS.map(|ms| (format!("{name} {n}, slices of {ms} ms"), ms));
        if !cases.iter().any(|(case, _)| bench.wants(case)) {
            continue;
        }
        let call = call(n);
        let expected = bench.engine().map(|engine| run(name, &call, &engine));
        for (case, slice_ms) in &cases {
            if bench.wants(case) {
                row(&mut bench, case, *slice_ms, &call, expected);
            }
        }
    }
    bench.finish()
}

fn run(name: &str, call: &Call, engine: &Engine) -> u64 {
    call(engine).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Index and time of the longest slice, from the first of them on.
fn longest(slices: &[Slice], first: usize) -> (usize, Duration) {
    let slices = slices.iter().enumerate().skip(first);
    let busy = slices.map(|(at, slice)| (at, slice.busy.unwrap_or_default()));
    busy.max_by_key(|&(_, busy)| busy).unwrap_or_default()
}

/// Measures one call on its own device with slices of that length.
fn row(bench: &mut Bench, case: &str, slice_ms: u32, call: &Call, expected: Option<u64>) {
    let max = Duration::from_millis(u64::from(slice_ms)).mul_f64(LONGEST);
    let device = Arc::new(Watched::new(bench.backend().expect("it was there before")));
    let engine = Engine::on_backend(device.clone(), Options::default().slice_ms(slice_ms));
    let engine = engine.expect("the options are right");
    let call = once(|| run(case, call, &engine));
    let on_host = device.capabilities().host_threads.is_some();
    let right = Some(call.answer) == expected;
    let seen = std::mem::take(&mut *device.seen());
    let slices = &seen.slices;
    let (_, first) = longest(&slices[..slices.len().min(FIRST)], 0);
    let (at, later) = longest(slices, FIRST);
    let is_late = later > max;
    let share = 1e3 * later.as_secs_f64() / f64::from(slice_ms);
    println!(
        "{case:62} {:8.1} ms {:5} slices, longest of the first {FIRST} {:6.2} ms, of the others {:6.2} ms, {share:.2} of a slice {}",
        millis(call.best()),
        slices.len(),
        millis(first),
        millis(later),
        match (right, is_late) {
            (false, _) => "WRONG",
            (true, true) => "TOO LONG",
            (true, false) => "",
        }
    );
    let kernels = slices.get(at).map_or(&[][..], |slice| &slice.kernels);
    if is_late {
        println!("    the longest is number {at}, of {}", kernels.join(", "));
    }
    let row = json!({
        "case": case, "seconds": call.best().as_secs_f64(), "right": right, "slices": slices.len(),
        "longest_first_seconds": first.as_secs_f64(), "longest_later_seconds": later.as_secs_f64(),
        "longest_later_number": at, "longest_later_kernels": kernels, "share_of_slice": share,
        "kernels": rates(&device, &seen.costs),
    });
    bench.keep(row, right && (on_host || !is_late));
}

/// Measured rate per kernel, relative to the rate that first slices assume. Only kernels whose
/// slices were long enough have one.
fn rates(device: &Watched, costs: &[(Kernel, u64)]) -> Vec<Value> {
    let mut rates = device.shared().rates();
    rates.sort_by_key(|(workload, _)| (workload.kernel.label(), workload.magnitude));
    let mut rows = Vec::new();
    for (workload, rate) in rates {
        let cost = costs.iter().find(|(known, _)| *known == workload.kernel);
        let cost = cost.map_or(1, |&(_, cost)| cost.max(1));
        let (label, magnitude) = (workload.kernel.label(), workload.magnitude);
        let times = rate / supposed_rate(device.capabilities(), cost);
        println!(
            "    {label}, 2^{magnitude} cells a pass: {rate:.3e} cells a second, {times:.2} times what is supposed by a cost of {cost}"
        );
        rows.push(json!({
            "kernel": label, "pass_cells_log2": magnitude, "cells_per_second": rate, "cell_cost": cost,
            "times_supposed": times,
        }));
    }
    rows
}

fn lcs(n: usize, method: LcsMethod, path: bool) -> Call {
    let task = Lcs::of(letters(n, 4, 1), letters(n, 4, 2));
    let task = task.method(method).with_path(path);
    Box::new(move |engine| Ok(engine.run(&task)?.length))
}

fn edit(n: usize, method: EditMethod, path: bool) -> Call {
    let a = letters(n, 4, 3);
    let b = if method == EditMethod::Wavefront {
        edited(&a, 1, 100, 6)
    } else {
        letters(n, 4, 4)
    };
    let task = Edit::of(a, b).method(method).with_path(path);
    // No bound was requested.
    Box::new(move |engine| Ok(engine.run(&task)?.distance.exactly().unwrap_or(u64::MAX)))
}

fn scs(n: usize, method: ScsMethod) -> Call {
    let task = Scs::of(letters(n, 26, 7), letters(n, 26, 8));
    let task = task.method(method).path();
    Box::new(move |engine| Ok(engine.run(&task)?.length))
}

fn chain(n: usize, method: TreeMethod) -> Call {
    let task = Parenthesize::of(MatrixChain::new(dimensions(n, 1_000, 9))).method(method);
    Box::new(move |engine| Ok(engine.run(&task)?.cost))
}

fn sort(n: usize) -> Call {
    let words = words(2 * n, 10);
    let key = |word: &[u32]| u64::from(word[0]) << 32 | u64::from(word[1]);
    let keys: Vec<_> = words.chunks(2).map(key).collect();
    let places: Vec<_> = (0..n as u32).collect();
    let task = RadixSort::of(keys).with_payload(places);
    Box::new(move |engine| {
        let mixed = |mixed: u64, &place: &u32| {
            mixed
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .wrapping_add(u64::from(place))
        };
        Ok(engine.run(&task)?.payload.iter().fold(0, mixed))
    })
}

fn substring(n: usize, symbols: u64, method: SubstringMethod) -> Call {
    let task = Substring::of(letters(n, symbols, 11), letters(n, symbols, 12)).method(method);
    Box::new(move |engine| Ok(engine.run(&task)?.length as u64))
}
