//! How long the slices of a call hold a device, and how fast it is at each kernel beside what the first slices suppose.
//!
//! `cargo bench --bench slices -- [--device D] [--only NAME] [--shrink N] [--json FILE]`. A row is one call on a device that was opened
//! for it and has timed nothing yet, after a call on another one, which has its kernels built and does not count. A slice is a
//! submission of passes, and its time what the session is told of it. A row is marked, and the benchmark fails, where a slice after
//! the first three took more than twice the time that slices are to take, or where the answer is not that of the call before. Where
//! threads of the host compute, a machine that is shared lets them stand still at times, for some 15 ms in one slice of some thousands,
//! which no size of a slice can help: there a call with a slice that is too long is made again, three times in all, and a row is the call
//! whose longest slice is the shortest.
//!
//! Behind a row stands each kernel whose slices were long enough to tell, with about how many cells its passes have.

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

/// Slices that may be longer, since nothing was timed before them.
const FIRST: usize = 3;
/// How many times as long as it is to take a later one may.
const LONGEST: f64 = 2.0;
/// Lengths of slices: where an application draws on the device, and by default.
const SLICES_MS: [u32; 2] = [8, 60];

/// Calls on threads of the host that may have a slice that is too long, all but the last.
const CALLS_ON_HOST: usize = 3;

/// What a call finds, as a number that tells answers apart.
type Call = Box<dyn Fn(&Engine) -> Result<u64>>;

/// What is asked, its size for a large GPU and for software, and the call of that size.
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

/// What a call took.
struct Called {
    device: Arc<Watched>,
    seen: Seen,
    elapsed: Duration,
    is_right: bool,
}

impl Called {
    /// A call on a device of its own, by slices of that length.
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

    /// The longest of the first slices, and of the others.
    fn longest(&self) -> [Longest<'_>; 2] {
        let (first, later) = self.seen.slices.split_at(self.seen.slices.len().min(FIRST));
        [first, later].map(longest)
    }

    /// How many slices after the first took longer.
    fn longer_than(&self, most: Duration) -> usize {
        self.seen
            .slices
            .iter()
            .skip(FIRST)
            .filter(|slice| slice.busy > Some(most))
            .count()
    }
}

/// A call, by slices of that length.
fn row(bench: &mut Bench, (case, slice_ms): (&str, u32), call: &Call, expected: Option<u64>) {
    let most = Duration::from_millis(u64::from(slice_ms)).mul_f64(LONGEST);
    let mut calls = vec![Called::new(bench, (case, slice_ms), call, expected)];
    let on_host = calls[0].device.capabilities().host_threads.is_some();
    while on_host
        && calls.len() < CALLS_ON_HOST
        && calls.last().is_some_and(|last| last.longer_than(most) > 0)
    {
        calls.push(Called::new(bench, (case, slice_ms), call, expected));
    }
    let right = calls.iter().all(|called| called.is_right);
    let longest: Vec<_> = calls.iter().map(Called::longest).collect();
    let best = (0..calls.len())
        .min_by_key(|&call| longest[call][1].busy)
        .expect("one was made");
    let (called, [first, later]) = (&calls[best], &longest[best]);
    let too_long = called.longer_than(most);
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
    // Of the other calls as well: a slice of a machine that stood still has others about it that are like each other.
    let late = calls
        .iter()
        .zip(&longest)
        .map(|(called, [_, later])| (called.longer_than(most), later));
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

/// The longest of some slices.
#[derive(Default)]
struct Longest<'a> {
    busy: Duration,
    place: usize,
    kernels: &'a [&'static str],
    /// It and those before and behind it: an end that the host sees late makes the next slice shorter.
    around: Vec<Duration>,
}

/// Slices before and behind the longest that are told.
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

/// What a device was found to compute, kernel by kernel, and how many times as much that is as first slices suppose.
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
    let b = edited(&a, (1, 100), 6);
    align(a, b, edit_distance::Method::Wavefront, true)
}

fn align(a: Vec<u8>, b: Vec<u8>, method: edit_distance::Method, path: bool) -> Call {
    let mut options = EditOptions::default();
    (options.method, options.path) = (method, path);
    Box::new(move |engine| {
        // Nobody asked for a bound.
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
