//! Lengths of slices on a device, and the device's throughput per kernel relative to what the first
//! slices assume.
//!
//! `cargo bench -p swath-bench --bench slices -- [--device D] [--only NAME] [--shrink N] [--json
//! FILE]`. A row is one call on a freshly opened device without any measurements, after an
//! uncounted call on another device that has compiled the kernels. A slice is one submission of
//! passes; its time is what the session is told. The benchmark fails if a slice after the first
//! three takes more than twice the target, or if the answer differs from the first call's. If host
//! threads compute, a shared machine sometimes stalls them for about 15 ms in one of thousands of
//! slices, which no slice length prevents; a call with an overlong slice is then repeated, up to
//! three calls in all, and the row is the call with the shortest longest slice.
//!
//! Each row is followed by the kernels whose slices were long enough to measure, with the
//! approximate cells of their passes.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use swath::parenthesization::MatrixChain;
use swath::sort::RadixSort;
use swath::unstable::backend::{Backend, supposed_rate};
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::kernels::Kernel;
use swath::unstable::lcs::LcsOptions;
use swath::unstable::parenthesization::ParenthesizationOptions;
use swath::unstable::supersequence::ScsOptions;
use swath::{Engine, Options, Result, Substring};
use swath::{edit_distance, lcs, parenthesization, substring, supersequence};
use swath_bench::Bench;
use swath_bench::calls::Calls;
use swath_bench::inputs::{dimensions, edited, letters, words};
use swath_bench::timing::millis;
use swath_bench::watched::{Seen, Slice, Watched};

/// Number of first slices without prior measurements, which may be longer.
const FIRST: usize = 3;
/// Maximum ratio of a later slice to its target.
const LONGEST: f64 = 2.0;
/// Target slice lengths: on the device of an application, and by default.
const SLICES_MS: [u32; 2] = [8, 60];

/// Maximum calls on host threads to get one without an overlong slice.
const CALLS_ON_HOST: usize = 3;

/// A call that returns a number to compare answers by.
type Call = Box<dyn Fn(&Engine) -> Result<u64>>;

/// Name, sizes for a large GPU and for software, and the call of that size.
type Case = (&'static str, [usize; 2], fn(usize) -> Call);

const CASES: [Case; 17] = [
    ("LCS length by strips", [5_000_000, 60_000], |n| {
        lcs(n, lcs::Method::BitParallel, false)
    }),
    ("LCS path by strips", [5_000_000, 60_000], |n| {
        lcs(n, lcs::Method::BitParallel, true)
    }),
    ("LCS length by conditional sums", [500_000, 8_000], |n| {
        lcs(n, lcs::Method::ConditionalSum, false)
    }),
    ("edit distance by strips", [3_000_000, 60_000], |n| {
        edit(n, edit_distance::Method::BitParallel, false)
    }),
    ("alignment by strips", [3_000_000, 40_000], |n| {
        edit(n, edit_distance::Method::BitParallel, true)
    }),
    ("edit distance by tiles", [300_000, 4_000], |n| {
        edit(n, edit_distance::Method::Tiled, false)
    }),
    ("edit distance by anti-diagonals", [100_000, 4_000], |n| {
        edit(n, edit_distance::Method::AntiDiagonal, false)
    }),
    (
        "alignment by wavefronts, 1 % apart",
        [3_000_000, 200_000],
        similar,
    ),
    ("supersequence by anti-diagonals", [60_000, 3_000], |n| {
        scs(n, supersequence::Method::AntiDiagonal)
    }),
    ("supersequence row by row", [150_000, 6_000], |n| {
        scs(n, supersequence::Method::RowWise)
    }),
    ("matrix chain by tiles", [12_000, 800], |n| {
        chain(n, parenthesization::Method::Tiled)
    }),
    ("matrix chain, adaptive", [6_000, 500], |n| {
        chain(n, parenthesization::Method::Adaptive)
    }),
    ("matrix chain, a thread a subproblem", [3_000, 400], |n| {
        chain(n, parenthesization::Method::ThreadPerSubproblem)
    }),
    ("sort of u64 pairs", [100_000_000, 1_000_000], sort),
    (
        "common substring by bitmaps",
        [100_000_000, 1_000_000],
        |n| common(n, substring::Method::Cascade),
    ),
    (
        "common substring by bitmaps, all A",
        [30_000_000, 300_000],
        all_equal,
    ),
    ("common substring by sorting", [10_000_000, 100_000], |n| {
        common(n, substring::Method::SortAndScan)
    }),
];

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    let Some(device) = bench.backend() else {
        return bench.finish();
    };
    let is_software = device.capabilities().host_threads.is_some();
    drop(device);
    for (what, sizes, call) in CASES {
        let n = bench.size(sizes[usize::from(is_software)]);
        let cases =
            SLICES_MS.map(|slice_ms| (format!("{what} {n}, slices of {slice_ms} ms"), slice_ms));
        if !cases.iter().any(|(case, _)| bench.wants(case)) {
            continue;
        }
        let call = call(n);
        let expected = bench.engine().map(|engine| run(what, &call, &engine));
        for (case, slice_ms) in &cases {
            if bench.wants(case) {
                row(&mut bench, (case, *slice_ms), &call, expected);
            }
        }
    }
    bench.finish()
}

fn run(what: &str, call: &Call, engine: &Engine) -> u64 {
    call(engine).unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// Measurements of one call.
struct Called {
    device: Arc<Watched>,
    seen: Seen,
    elapsed: Duration,
    is_right: bool,
}

impl Called {
    /// Runs a call on its own device with slices of that length.
    fn new(
        bench: &Bench,
        (case, slice_ms): (&str, u32),
        call: &Call,
        expected: Option<u64>,
    ) -> Self {
        let device = Arc::new(Watched::new(bench.backend().expect("it was there before")));
        let engine = Engine::on_backend(device.clone(), Options::default().slice_ms(slice_ms))
            .expect("the options are right");
        let started = Instant::now();
        let is_right = Some(run(case, call, &engine)) == expected;
        let elapsed = started.elapsed();
        let seen = std::mem::take(&mut *device.seen());
        Self {
            seen,
            elapsed,
            device,
            is_right,
        }
    }

    /// Longest of the first slices, and of the others.
    fn longest(&self) -> [Longest<'_>; 2] {
        let (first, later) = self.seen.slices.split_at(self.seen.slices.len().min(FIRST));
        [first, later].map(longest)
    }

    /// Number of later slices longer than `max`.
    fn longer_than(&self, max: Duration) -> usize {
        self.seen
            .slices
            .iter()
            .skip(FIRST)
            .filter(|slice| slice.busy > Some(max))
            .count()
    }
}

/// Measures one call with slices of that length.
fn row(bench: &mut Bench, (case, slice_ms): (&str, u32), call: &Call, expected: Option<u64>) {
    let max = Duration::from_millis(u64::from(slice_ms)).mul_f64(LONGEST);
    let mut calls = vec![Called::new(bench, (case, slice_ms), call, expected)];
    let on_host = calls[0].device.capabilities().host_threads.is_some();
    while on_host
        && calls.len() < CALLS_ON_HOST
        && calls.last().is_some_and(|last| last.longer_than(max) > 0)
    {
        calls.push(Called::new(bench, (case, slice_ms), call, expected));
    }
    let right = calls.iter().all(|called| called.is_right);
    let longest: Vec<_> = calls.iter().map(Called::longest).collect();
    let best = (0..calls.len())
        .min_by_key(|&call| longest[call][1].busy)
        .expect("one was made");
    let (called, [first, later]) = (&calls[best], &longest[best]);
    let too_long = called.longer_than(max);
    let share = 1e3 * later.busy.as_secs_f64() / f64::from(slice_ms);
    let mark = match (too_long, right) {
        (_, false) => "WRONG",
        (0, true) => "",
        (_, true) => "TOO LONG",
    };
    let slices = called.seen.slices.len();
    let others = if calls.len() > 1 {
        format!(", the best of {} calls", calls.len())
    } else {
        String::new()
    };
    println!(
        "{case:62} {:8.1} ms {slices:5} slices, longest of the first {FIRST} {:6.2} ms, of the others {:6.2} ms, {share:.2} of a slice{others} {mark}",
        millis(called.elapsed),
        millis(first.busy),
        millis(later.busy),
    );
    // Also of the other calls: slices next to a stall are all alike.
    let late = calls
        .iter()
        .zip(&longest)
        .map(|(called, [_, later])| (called.longer_than(max), later));
    let late: Vec<_> = late.filter(|(too_long, _)| *too_long > 0).collect();
    for (
        too_long,
        Longest {
            place,
            kernels,
            around,
            ..
        },
    ) in &late
    {
        let (number, kernels) = (FIRST + 1 + place, kernels.join(", "));
        let around: Vec<_> = around
            .iter()
            .map(|busy| format!("{:.2}", millis(*busy)))
            .collect();
        println!(
            "    {too_long} are too long, the longest is number {number}, of {kernels}; in ms, around it: {}",
            around.join(", ")
        );
    }
    let late = late.iter().map(|(too_long, later)| {
        let around: Vec<_> = later.around.iter().map(Duration::as_secs_f64).collect();
        json!({"too_long": too_long, "longest_kernels": later.kernels, "around_seconds": around})
    });
    bench.require(right && too_long == 0);
    bench.keep(json!({
        "case": case, "seconds": called.elapsed.as_secs_f64(), "right": right, "calls": calls.len(), "slices": slices,
        "longest_first_seconds": first.busy.as_secs_f64(), "longest_later_seconds": later.busy.as_secs_f64(),
        "longest_later_number": later.kernels.first().map(|_| FIRST + 1 + later.place), "longest_later_kernels": later.kernels,
        "share_of_slice": share, "too_long": too_long, "calls_too_long": late.collect::<Vec<_>>(),
        "kernels": kernels(&called.device, &called.seen.costs),
    }));
}

/// The longest of several slices.
#[derive(Default)]
struct Longest<'a> {
    busy: Duration,
    place: usize,
    kernels: &'a [&'static str],
    /// Its neighbours and itself: if the host notices an end late, the next slice seems shorter.
    around: Vec<Duration>,
}

/// Neighbours to print on each side of the longest slice.
const AROUND: usize = 2;

fn longest(slices: &[Slice]) -> Longest<'_> {
    let timed = slices
        .iter()
        .enumerate()
        .filter_map(|(place, slice)| slice.busy.map(|busy| (busy, place)));
    let Some((busy, place)) = timed.max() else {
        return Longest::default();
    };
    let around = &slices[place.saturating_sub(AROUND)..slices.len().min(place + AROUND + 1)];
    let around = around.iter().filter_map(|slice| slice.busy).collect();
    Longest {
        busy,
        place,
        kernels: &slices[place].kernels,
        around,
    }
}

/// Measured rate per kernel, relative to the rate that first slices assume.
fn kernels(device: &Watched, costs: &[(Kernel, u64)]) -> Vec<Value> {
    let mut rates = device.shared().rates();
    rates.sort_by_key(|(workload, _)| (workload.kernel.label(), workload.magnitude));
    let told = rates.iter().map(|(workload, rate)| {
        let cost = costs.iter().find(|(kernel, _)| *kernel == workload.kernel).map_or(1, |&(_, cost)| cost.max(1));
        let (label, times) = (workload.kernel.label(), rate / supposed_rate(device.capabilities(), cost));
        println!(
            "    {label}, 2^{} cells a pass: {rate:.3e} cells a second, {times:.2} times what is supposed by a cost of {cost}",
            workload.magnitude
        );
        json!({
            "kernel": label, "pass_cells_log2": workload.magnitude, "cells_per_second": rate, "cell_cost": cost,
            "times_supposed": times,
        })
    });
    told.collect()
}

fn lcs(n: usize, method: lcs::Method, path: bool) -> Call {
    let (a, b) = (letters(n, 4, 1), letters(n, 4, 2));
    let mut options = LcsOptions::default();
    (options.method, options.path) = (method, path);
    Box::new(move |engine| engine.lcs_with(&a, &b, &options).map(|found| found.length))
}

fn edit(n: usize, method: edit_distance::Method, path: bool) -> Call {
    align(letters(n, 4, 3), letters(n, 4, 4), method, path)
}

fn similar(n: usize) -> Call {
    let a = letters(n, 4, 5);
    let b = edited(&a, 1, 100, 6);
    align(a, b, edit_distance::Method::Wavefront, true)
}

fn align(a: Vec<u8>, b: Vec<u8>, method: edit_distance::Method, path: bool) -> Call {
    let mut options = EditOptions::default();
    (options.method, options.path) = (method, path);
    Box::new(move |engine| {
        // No bound was requested.
        engine
            .edit_distance_with(&a, &b, &options)
            .map(|found| found.distance.exactly().unwrap_or(u64::MAX))
    })
}

fn scs(n: usize, method: supersequence::Method) -> Call {
    let (a, b) = (letters(n, 26, 7), letters(n, 26, 8));
    let mut options = ScsOptions::default();
    (options.method, options.path) = (method, true);
    Box::new(move |engine| engine.scs_with(&a, &b, &options).map(|found| found.length))
}

fn chain(n: usize, method: parenthesization::Method) -> Call {
    let chain = MatrixChain::new(dimensions(n, 1_000, 9));
    let mut options = ParenthesizationOptions::default();
    options.method = method;
    Box::new(move |engine| {
        engine
            .parenthesize(&chain, &options)
            .map(|found| found.cost)
    })
}

fn sort(n: usize) -> Call {
    let keys: Vec<_> = words(2 * n, 10)
        .chunks(2)
        .map(|word| u64::from(word[0]) << 32 | u64::from(word[1]))
        .collect();
    let places: Vec<_> = (0..n as u32).collect();
    Box::new(move |engine| {
        let sorted = engine.run(&RadixSort::of(&keys).with_payload(&places))?;
        let mixed = |mixed: u64, &place: &u32| {
            mixed
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .wrapping_add(u64::from(place))
        };
        Ok(sorted.payload.iter().fold(0, mixed))
    })
}

fn common(n: usize, method: substring::Method) -> Call {
    search(letters(n, 26, 11), letters(n, 26, 12), method)
}

fn all_equal(n: usize) -> Call {
    search(vec![b'A'; n], vec![b'A'; n], substring::Method::Cascade)
}

fn search(a: Vec<u8>, b: Vec<u8>, method: substring::Method) -> Call {
    Box::new(move |engine| {
        let found = engine.run(&Substring::of(&a, &b).method(method))?;
        Ok(found.length as u64)
    })
}
