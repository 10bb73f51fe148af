//! Longest common substrings: every case on every device, every answer compared with another method
//! or device.
//!
//! `cargo bench -p swath-bench --bench substring -- [--device D] [--only NAME] [--shrink N] [--json
//! FILE] [--against FILE]`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use swath::Phase;
use swath::unstable::backend::Backend;
use swath::unstable::call::phases::Phases;
use swath::unstable::engine::Device;
use swath::unstable::papers::sort_and_scan;
use swath::unstable::substring::search::alphabet::Alphabet;
use swath::unstable::substring::search::{SearchOutcome, SearchStats, Settings, Tuning, on_cpu};
use swath::unstable::substring::{SubstringQuery, gpu};
use swath::{Control, Result};
use swath_bench::Bench;
use swath_bench::ceiling::Work;
use swath_bench::inputs::{edited, letters};
use swath_bench::record::Row;
use swath_bench::timing::{Timed, best_in_turns, best_of, once};

/// Device memory budget.
const BUDGET: u64 = 4 << 30;
const SLICE: Duration = Duration::from_millis(60);
/// Time after which a device runs at its full clock.
const CLOCK_RISES: Duration = Duration::from_millis(1200);
/// Symbols of the cases with the sorting baseline.
const SORTED: usize = 10_000_000;

/// Answer, effort, and time per phase.
type Outcome = (SearchOutcome, SearchStats, Vec<(Phase, Duration)>);
type Solved = Timed<Outcome>;

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    let gpu = bench.backend();
    for n in [1_000_000, 10_000_000, 100_000_000] {
        let n = bench.size(n);
        let random = |symbols: u64, seed| move || letters(n, symbols, seed);
        compare(
            &mut bench,
            gpu.as_ref(),
            "random A-Z",
            n,
            random(26, 1),
            random(26, 2),
        );
        compare(
            &mut bench,
            gpu.as_ref(),
            "random DNA",
            n,
            random(4, 3),
            random(4, 4),
        );
    }
    for n in [10_000_000, 100_000_000] {
        let n = bench.size(n);
        let nearly = || edited(&letters(n, 4, 5), 1, 1_000, 6);
        compare(
            &mut bench,
            gpu.as_ref(),
            "DNA, one edit in 1000",
            n,
            || letters(n, 4, 5),
            nearly,
        );
        compare(
            &mut bench,
            gpu.as_ref(),
            "random A-Z against itself",
            n,
            || letters(n, 26, 1),
            || letters(n, 26, 1),
        );
        compare(
            &mut bench,
            gpu.as_ref(),
            "all A",
            n,
            || vec![b'A'; n],
            || vec![b'A'; n],
        );
        let reversed = || fibonacci(n).into_iter().rev().collect();
        compare(
            &mut bench,
            gpu.as_ref(),
            "Fibonacci, reversed",
            n,
            || fibonacci(n),
            reversed,
        );
        compare(
            &mut bench,
            gpu.as_ref(),
            "Thue-Morse, from the 7th",
            n,
            || thue_morse(0, n),
            || thue_morse(7, n),
        );
    }
    sizes(&mut bench, gpu.as_ref());
    bench.finish()
}

/// Other sizes of bitmaps and partitions against the planner's choice.
fn sizes(bench: &mut Bench, gpu: Option<&Arc<dyn Backend>>) {
    let n = bench.size(100_000_000);
    let Some(gpu) = gpu.filter(|_| bench.wants("bits")) else {
        return;
    };
    let texts = [letters(n, 26, 1), letters(n, 26, 2)];
    let texts = [&texts[0][..], &texts[1]];
    let query = SubstringQuery {
        texts: &texts,
        inputs: 2,
    };
    let expected = by_gpu(&**gpu, query, Tuning::default()).expect("it runs").0;
    for (bitmap, partition) in [
        (29, 29),
        (29, 28),
        (29, 27),
        (30, 30),
        (30, 28),
        (31, 31),
        (28, 28),
        (28, 27),
        (27, 27),
    ] {
        let mut tuning = Tuning::default();
        (tuning.bitmap_log2, tuning.partition_log2) = (Some(bitmap), Some(partition));
        let solved = best_of(3, || by_gpu(&**gpu, query, tuning));
        let right = solved.answer.0 == expected;
        let case =
            format!("cascade gpu: random A-Z {n}, 2^{bitmap} bits in parts of 2^{partition}");
        row(bench, &case, (n, "gpu"), &solved, None, right);
    }
}

/// One pair on CPU and GPU. The baseline checks both unless it takes too long; then they check each
/// other.
fn compare(
    bench: &mut Bench,
    gpu: Option<&Arc<dyn Backend>>,
    what: &str,
    n: usize,
    a: impl Fn() -> Vec<u8>,
    b: impl Fn() -> Vec<u8>,
) {
    let methods = [
        "cascade gpu",
        "cascade cpu",
        "sort-and-scan gpu",
        "sort-and-scan cpu",
    ];
    let names = methods.map(|method| format!("{method}: {what} {n}"));
    if !names.iter().any(|name| bench.wants(name)) {
        return;
    }
    let (a, b) = (a(), b());
    let texts = [&a[..], &b];
    let query = SubstringQuery {
        texts: &texts,
        inputs: 2,
    };
    let host = best_of(1, || by_cpu(query));
    let sorts_here = n <= bench.size(SORTED) && bench.wants(&names[3]);
    let sorted = sorts_here.then(|| once(|| by_sorting(query).expect("it runs")));
    // An idle device needs time to raise its clock.
    let on_gpu = |gpu: &Arc<dyn Backend>| {
        let [timed] = best_in_turns(
            3,
            CLOCK_RISES,
            [&mut || by_gpu(&**gpu, query, Tuning::default())],
        );
        timed
    };
    let device = gpu.map(on_gpu);
    let sorted_there = gpu
        .filter(|_| bench.wants(&names[2]))
        .map(|gpu| best_of(1, || by_sorting_there(&**gpu, query)));
    let agree = |solved: &Solved| {
        let others = [
            Some(&host),
            sorted.as_ref(),
            device.as_ref(),
            sorted_there.as_ref(),
        ];
        let found = matches!(solved.answer.0, SearchOutcome::Found(_));
        found
            && others
                .into_iter()
                .flatten()
                .all(|other| other.answer.0 == solved.answer.0)
    };
    let on_cpu = sorted
        .as_ref()
        .map(|sorted| ("sort-and-scan, cpu", sorted.best()));
    let baseline = sorted_there
        .as_ref()
        .map(|sorted| ("sort-and-scan, gpu", sorted.best()))
        .or(on_cpu);
    let device_name = bench.gpu().map_or(String::new(), |info| info.name.clone());
    let of_gpu = |solved| (solved, &device_name[..]);
    let [device, sorted_there] = [device.as_ref(), sorted_there.as_ref()].map(of_gpu);
    let solved = [
        device,
        (Some(&host), "cpu"),
        sorted_there,
        (sorted.as_ref(), "cpu"),
    ];
    for ((solved, device), name) in solved.into_iter().zip(&names) {
        let Some(solved) = solved.filter(|_| bench.wants(name)) else {
            continue;
        };
        let right = agree(solved);
        row(bench, name, (n, device), solved, baseline, right);
    }
}

fn row(
    bench: &mut Bench,
    case: &str,
    (n, device): (usize, &str),
    solved: &Solved,
    baseline: Option<(&str, Duration)>,
    right: bool,
) {
    let (answer, stats, phases) = &solved.answer;
    let length = match answer {
        SearchOutcome::Found(found) => Some(found.length),
        SearchOutcome::Undecided => None,
    };
    bench.row(Row {
        case,
        times: solved.times(),
        count: 2 * n as u128,
        computed: u128::from(stats.windows),
        work: Work::Windows,
        device,
        baseline,
        right,
        remark: format!("{} lengths, longest {length:?}", stats.lengths),
        path_mode: None,
        phases,
        members: json!({ "symbols": n, "length": length, "lengths": stats.lengths, "windows": stats.windows }),
    });
}

fn by_cpu(query: SubstringQuery<'_, u8>) -> Result<Outcome> {
    on_cpu(
        query,
        Alphabet::of(query.texts),
        &Settings::default(),
        &Control::default(),
    )
    .map(|(answer, stats)| (answer, stats, Vec::new()))
}

fn by_sorting(query: SubstringQuery<'_, u8>) -> Result<Outcome> {
    let solved = sort_and_scan::on_cpu(query, &Settings::default(), &Control::default());
    solved.map(|(answer, stats)| (answer, stats, Vec::new()))
}

fn by_gpu(backend: &dyn Backend, query: SubstringQuery<'_, u8>, tuning: Tuning) -> Result<Outcome> {
    let settings = Settings {
        tuning,
        ..Settings::default()
    };
    on_device(backend, |device| {
        pollster::block_on(gpu::on_gpu(
            device,
            query,
            Alphabet::of(query.texts),
            &settings,
        ))
    })
}

fn by_sorting_there(backend: &dyn Backend, query: SubstringQuery<'_, u8>) -> Result<Outcome> {
    on_device(backend, |device| {
        pollster::block_on(sort_and_scan::on_gpu(
            device,
            query,
            Alphabet::of(query.texts),
            &Settings::default(),
        ))
    })
}

fn on_device(
    backend: &dyn Backend,
    search: impl FnOnce(&Device<'_>) -> Result<(SearchOutcome, SearchStats)>,
) -> Result<Outcome> {
    let (control, phases) = (Control::default(), Phases::start());
    let device = Device {
        backend,
        budget_bytes: BUDGET,
        slice: SLICE,
        threads: None,
        control: &control,
        phases: &phases,
    };
    let (answer, stats) = search(&device)?;
    phases.lap(Phase::Search);
    Ok((answer, stats, phases.totals()))
}

fn fibonacci(n: usize) -> Vec<u8> {
    let (mut word, mut before) = (vec![b'A'], vec![b'B']);
    while word.len() < n {
        let next = [&word[..], &before[..]].concat();
        before = std::mem::replace(&mut word, next);
    }
    word.truncate(n);
    word
}

fn thue_morse(from: usize, n: usize) -> Vec<u8> {
    (from..from + n)
        .map(|place| b'A' + (place.count_ones() % 2) as u8)
        .collect()
}
