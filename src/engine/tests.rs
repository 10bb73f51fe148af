//! Choice of device, fallback to the CPU, and loss of the device.

use std::sync::{Arc, Mutex};

use super::profile::gpu::{self as figures, TELLING_SECONDS};
use super::profile::throughput::Throughput;
use super::{CPU, DeviceChoice, DeviceSlot, Engine, GpuSlot, Options, PlanSummary, Task};
use crate::backend::wgpu::{Gpu, adapter};
use crate::backend::{Candidate as _, Capabilities};
use crate::call::control::{CancelHandle, Control, Progress};
use crate::engine::letters;
use crate::lcs::LcsOptions;
use crate::pairs::{Pairs, Strings};
use crate::papers::{anti_diagonal, row_wise, tiled};
use crate::parenthesization::MatrixChain;
use crate::sequences::bit_parallel::gpu::tiling::MAX_SYMBOLS;
use crate::sequences::codes::Encoded;
use crate::sequences::tuning::Tuning;
use crate::sort::RadixSort;
use crate::{Edit, Error, Lcs, Parenthesize, Result, Scs, Substring};
use crate::{edit_distance, lcs, parenthesization, substring, supersequence};

/// An engine on a GPU of this machine, software or not, as if `choice` had selected it.
fn engine(choice: DeviceChoice) -> Option<Engine> {
    engine_with(Options::new().device(choice), None)
}

/// Options for whatever GPU there is, but not the CPU.
fn named() -> Options {
    Options::new().device(DeviceChoice::Name(String::new()))
}

/// Measured over expected time of passes, as the engine knows it.
pub(super) fn pace(engine: &Engine) -> Option<f64> {
    let estimate = engine.device_estimate(0.0).expect("it is open");
    estimate.map(|estimate| estimate.pace)
}

/// Leaves of a chain of matrices with small dimensions.
fn chain() -> MatrixChain {
    MatrixChain::new((0..200).map(|leaf| 1 + leaf * 7 % 13).collect())
}

/// Like [`engine`], with `options` and the known throughput of the GPU.
fn engine_with(options: Options, throughput: Option<Throughput>) -> Option<Engine> {
    let candidate = adapter::of_tests()?;
    let gpu = Arc::new(Gpu::open(&candidate, true, false).expect("the adapter opens"));
    let gpu = DeviceSlot::Open { gpu, throughput };
    let gpu = GpuSlot::new(options.device.clone(), gpu);
    Some(Engine::of(vec![gpu], options, None))
}

/// Sequences of distinct symbols, all present in both, with different ends.
fn distinct(symbols: u32) -> [Vec<u32>; 2] {
    let a: Vec<u32> = (0..symbols).collect();
    let mut b = a.clone();
    b.swap(0, 1);
    b.swap(symbols as usize - 2, symbols as usize - 1);
    [a, b]
}

#[test]
fn auto_falls_back_to_the_cpu_for_more_symbols_than_gpu_codes() {
    let Some(engine) = engine(DeviceChoice::Auto) else {
        return;
    };
    let [a, b] = distinct(MAX_SYMBOLS + 1);
    let enough = "the CPU has codes enough";
    for path in [false, true] {
        let lcs = Lcs::of(&a, &b).method(lcs::Method::Banded).with_path(path);
        let scs = Scs::of(&a, &b).method(supersequence::Method::Banded);
        let edit = Edit::of(&a, &b).method(edit_distance::Method::Banded);
        let lcs = engine.run(&lcs).expect(enough);
        let scs = engine.run(&scs.with_path(path)).expect(enough);
        let edit = engine.run(&edit.with_path(path)).expect(enough);
        assert_eq!(lcs.length, u64::from(MAX_SYMBOLS) - 1);
        assert_eq!(scs.length, u64::from(MAX_SYMBOLS) + 3);
        assert_eq!(edit.distance.exactly(), Some(4));
        assert_eq!([lcs.run.device, scs.run.device, edit.run.device], [CPU; 3]);
    }
}

/// Devices of plans limited by the number of codes, for `symbols` shared symbols.
fn planned(engine: &Engine, symbols: u32) -> [Result<String>; 3] {
    let [a, b] = distinct(symbols);
    let edit = Edit::of(&a, &b);
    [
        engine.plan(&Lcs::of(&a, &b).method(lcs::Method::BitParallel)),
        engine.plan(&edit.clone().method(edit_distance::Method::BitParallel)),
        engine.plan(&edit.infix()),
    ]
    .map(|plan| plan.map(|plan| plan.device))
}

#[test]
fn plans_use_a_software_adapter_and_exceed_its_codes_only_if_it_is_named() {
    let Some(auto) = engine(DeviceChoice::Auto) else {
        return;
    };
    for symbols in [1000, MAX_SYMBOLS + 1] {
        assert!(
            planned(&auto, symbols)
                .iter()
                .all(|device| device.as_ref().is_ok_and(|device| device == CPU))
        );
    }
    let Some(named) = engine_with(named(), None) else {
        return;
    };
    assert!(
        planned(&named, 1000)
            .iter()
            .all(|device| device.as_ref().is_ok_and(|device| device != CPU))
    );
    for device in planned(&named, MAX_SYMBOLS + 1) {
        assert!(
            matches!(device, Err(Error::TooManySymbols { .. })),
            "{device:?}"
        );
    }
}

#[test]
fn pace_is_learned_within_bounds_from_long_sweeps_only() {
    let Some(engine) = engine(DeviceChoice::Auto) else {
        return;
    };
    assert_eq!(pace(&engine), Some(1.0));
    for (expected, took, learned) in [
        (0.1, 0.4, 1.0),
        (1.0, 2.0, 2.0),
        (2.0, 1.0, 0.5),
        (1.0, 100.0, 64.0),
        (1.0, 0.1, 64.0),
        (60.0, 1.0, 0.25),
        (0.0, 1.0, 64.0),
    ] {
        engine.note_pace(took, || Ok(expected));
        assert_eq!(
            pace(&engine),
            Some(learned),
            "{took} s instead of {expected}"
        );
    }
}

#[test]
fn pace_is_not_learned_from_checked_or_portable_kernels() {
    for options in [Options::new().checked(true), Options::new().portable(true)] {
        let Some(engine) = engine_with(options, None) else {
            return;
        };
        engine.note_pace(2.0, || Ok(1.0));
        assert_eq!(pace(&engine), Some(1.0));
    }
}

/// Device name in a plan and in a call.
type Devices = [Result<String>; 2];

fn devices<T: Task>(engine: &Engine, task: &T) -> Devices {
    [
        engine.plan(task).map(|plan| plan.device),
        engine.run(task).map(|report| report.run.device),
    ]
}

/// Devices of tasks that always fill a whole table.
fn devices_of_tables(engine: &Engine) -> Vec<(String, Devices)> {
    let (a, b) = (letters(900, 1), letters(800, 2));
    let chain = chain();
    let tree = Parenthesize::of(&chain).method(parenthesization::Method::Tiled);
    let mut found = vec![("tree".to_string(), devices(engine, &tree))];
    for method in [
        supersequence::Method::RowWise,
        supersequence::Method::AntiDiagonal,
    ] {
        for path in [false, true] {
            let task = Scs::of(&a, &b).method(method).with_path(path);
            found.push((format!("{method}, path {path}"), devices(engine, &task)));
        }
    }
    found
}

#[test]
fn auto_falls_back_to_the_cpu_if_gpu_memory_is_short() {
    let throughput = Some(Throughput {
        overhead: 0.0,
        pace: 1e-9,
    });
    for (device_memory, on_cpu) in [(None, false), (Some(5000), true)] {
        let within = |options| Options {
            device_memory,
            ..options
        };
        let Some(auto) = engine_with(within(Options::new()), throughput) else {
            return;
        };
        for (table, devices) in devices_of_tables(&auto) {
            let right = devices.iter().all(|device| {
                device
                    .as_ref()
                    .is_ok_and(|device| (device == CPU) == on_cpu)
            });
            assert!(right, "{table} in {device_memory:?} bytes: {devices:?}");
        }
        let Some(named) = engine_with(within(named()), throughput) else {
            return;
        };
        for (table, devices) in devices_of_tables(&named) {
            let right = devices.iter().all(|device| match device {
                Ok(device) => !on_cpu && device != CPU,
                Err(error) => on_cpu && matches!(error, Error::MemoryBudget { .. }),
            });
            assert!(
                right,
                "{table} on a named device in {device_memory:?} bytes: {devices:?}"
            );
        }
    }
}

#[test]
fn auto_takes_a_gpu_for_many_short_pairs_and_the_cpu_for_few() {
    // The pairs of short strings take the CPU more time than their cells.
    let throughput = Some(Throughput {
        overhead: 0.3,
        pace: 1.0,
    });
    let Some(engine) = engine_with(Options::new().threads(2), throughput) else {
        return;
    };
    for (count, is_gpu) in [(200, false), (2000, false), (20_000, true)] {
        let words = Strings::from_slices((0..count).map(|word| letters(8, word)));
        let plan = engine.plan(&Pairs::cross(&words, &words));
        let device = plan.expect("it fits").device;
        assert_eq!(device != CPU, is_gpu, "{count} words on {device}");
    }
}

/// Plans of every task with kernels.
fn plans(engine: &Engine) -> Vec<(&'static str, PlanSummary)> {
    let (a, b) = (letters(9000, 1), letters(8000, 2));
    let chain = chain();
    let keys: Vec<u32> = (0..90_000u32)
        .map(|key| key.wrapping_mul(2_654_435_761))
        .collect();
    let scs = |method| engine.plan(&Scs::of(&a, &b).method(method).path());
    let edit = |method| engine.plan(&Edit::of(&a, &b).method(method));
    let tree = Parenthesize::of(&chain).method(parenthesization::Method::Tiled);
    let plans = [
        (
            "subsequence",
            engine.plan(&Lcs::of(&a, &b).method(lcs::Method::BitParallel).path()),
        ),
        ("distance", edit(edit_distance::Method::BitParallel)),
        ("distance by tiles", edit(edit_distance::Method::Tiled)),
        ("pieces", engine.plan(&Edit::of(&a, &b).infix().path())),
        ("row-wise", scs(supersequence::Method::RowWise)),
        ("anti-diagonal", scs(supersequence::Method::AntiDiagonal)),
        ("tree", engine.plan(&tree)),
        (
            "substring",
            engine.plan(&Substring::of(&a, &b).method(substring::Method::Cascade)),
        ),
        ("sort", engine.plan(&RadixSort::of(&keys))),
    ];
    plans
        .map(|(name, plan)| (name, plan.unwrap_or_else(|error| panic!("{name}: {error}"))))
        .into()
}

#[test]
fn expected_time_of_plans_includes_overhead_and_pace() {
    let of = |overhead, pace| {
        let throughput = Some(Throughput { overhead, pace });
        Some(plans(&engine_with(named(), throughput)?))
    };
    let (Some(by_the_figures), Some(slow)) = (of(0.0, 1.0), of(7.0, 2.0)) else {
        return;
    };
    for ((name, by_the_figures), (_, slow)) in by_the_figures.iter().zip(&slow) {
        assert_ne!(slow.device, CPU, "{name}");
        let (fast, slow) = (
            by_the_figures.expected.as_secs_f64(),
            slow.expected.as_secs_f64(),
        );
        // Host time is equal; passes take twice as long.
        assert!(
            slow > 7.0 + fast && slow < 7.0 + 2.1 * fast,
            "{name}: {slow} s and {fast} s"
        );
    }
}

#[test]
fn pace_is_not_learned_from_paths_by_parts() {
    let within = |bytes| engine_with(named().device_memory(bytes), None);
    for symbols in [1 << 14, 1 << 15, 1 << 16, 1 << 17] {
        let (a, b) = (letters(symbols, 1), letters(symbols, 2));
        let task = Lcs::of(&a, &b).method(lcs::Method::BitParallel).path();
        let Some(tight) = within(1) else { return };
        let Err(Error::MemoryBudget { smallest, .. }) = tight.plan(&task) else {
            panic!("a byte is not enough")
        };
        let Some(engine) = within(smallest) else {
            return;
        };
        let run = engine.run(&task).expect("it is solved").run;
        assert_eq!(run.path_mode, crate::PathMode::Hirschberg);
        assert_eq!(pace(&engine), Some(1.0), "{symbols} symbols");
        let swept = run
            .phases
            .iter()
            .find(|(phase, _)| *phase == crate::Phase::Sweep)
            .map_or(0.0, |(_, took)| took.as_secs_f64());
        if swept > TELLING_SECONDS {
            return;
        }
    }
}

#[test]
fn expected_times_match_h200_records_and_scale_with_compute_units() {
    let of = |compute_units| Capabilities {
        compute_units,
        chunk_bytes: 1 << 30,
        ..Capabilities::default()
    };
    let codes = Encoded::new(&letters(10_000, 1), &letters(10_000, 2));
    let side = codes.a.len() as u64;
    let anti_diagonal = |caps: &Capabilities| {
        let grid = anti_diagonal::gpu::Grid::new(side, side, caps);
        grid.expect("it has room").seconds(caps)
    };
    let tiled = |caps: &Capabilities| {
        let grid = tiled::gpu::Grid::new(side, side, caps);
        grid.expect("it has room").seconds(caps)
    };
    let row_wise = |caps: &Capabilities| row_wise::seconds_on_gpu(&codes, caps);
    type Seconds<'a> = &'a dyn Fn(&Capabilities) -> f64;
    let tables: [(Seconds<'_>, f64); 3] =
        [(&anti_diagonal, 5e10), (&tiled, 1e12), (&row_wise, 1e12)];
    let cells = (side * side) as f64;
    for (seconds, rate_of_h200) in tables {
        let passes_alone = seconds(&of(Some(u32::MAX)));
        for units in [20, 132, 264] {
            let of_cells = seconds(&of(Some(units))) - passes_alone;
            let expected = cells / rate_of_h200 * 132.0 / f64::from(units);
            assert!(
                (of_cells - expected).abs() < 1e-6 * expected + 2e-9,
                "{units} units: {of_cells} s for {expected}"
            );
        }
        assert_eq!(seconds(&of(None)), seconds(&of(Some(32))));
    }
    let symbols = [
        figures::substring::SYMBOLS_PER_SECOND,
        figures::substring::SORTED_SYMBOLS_PER_SECOND,
    ];
    assert_eq!(symbols.map(|rate| (rate * 132.0).round()), [2e9, 1.5e8]);
}

fn lose_device(engine: &Engine) {
    match &*engine.slot() {
        DeviceSlot::Open { gpu, .. } => gpu.lose(),
        _ => panic!("no GPU is open"),
    }
}

/// A call on the GPU that returns its answer as text.
type Call<'a> = Box<dyn Fn(&Engine) -> Result<String> + 'a>;

fn call<'a, T: Task + 'a>(task: T, text: fn(&T::Answer) -> String) -> Call<'a> {
    Box::new(move |engine| engine.run(&task).map(|found| text(&found.answer)))
}

/// Calls of every task with kernels.
fn calls<'a>(a: &'a [u8], b: &'a [u8], chain: &'a MatrixChain) -> Vec<(&'static str, Call<'a>)> {
    let lcs = |method, path| {
        let task = Lcs::of(a, b).method(method).with_path(path);
        call(task, |found| found.length.to_string())
    };
    let edit = |task| {
        call(task, |found: &edit_distance::EditDistance| {
            format!("{:?} {:?}", found.distance, found.pieces)
        })
    };
    let scs = Scs::of(a, b).method(supersequence::Method::RowWise).path();
    let tree = Parenthesize::of(chain).method(parenthesization::Method::Tiled);
    let global = Edit::of(a, b).method(edit_distance::Method::BitParallel);
    let tiled = global.clone().method(edit_distance::Method::Tiled);
    vec![
        ("length", lcs(lcs::Method::BitParallel, false)),
        ("subsequence", lcs(lcs::Method::BitParallel, true)),
        ("subsequence in a band", lcs(lcs::Method::Banded, true)),
        (
            "length by conditional sums",
            lcs(lcs::Method::ConditionalSum, false),
        ),
        ("distance", edit(global.clone())),
        ("alignment", edit(global.path())),
        ("pieces", edit(Edit::of(a, b).infix())),
        ("distance by tiles", edit(tiled)),
        ("supersequence", call(scs, |found| found.length.to_string())),
        ("tree", call(tree, |found| found.cost.to_string())),
    ]
}

#[test]
fn unnoticed_device_loss_fails_one_call_and_the_next_reopens_the_device() {
    let Some(candidate) = adapter::of_tests() else {
        return;
    };
    let Some(engine) = engine(DeviceChoice::Name(candidate.name())) else {
        return;
    };
    let (a, b) = (letters(3000, 1), letters(2500, 2));
    let chain = chain();
    for (name, call) in calls(&a, &b, &chain) {
        let expected = call(&engine).unwrap_or_else(|error| panic!("{name}: {error}"));
        lose_device(&engine);
        match call(&engine) {
            // The loss was already known, so that the call opened the device again.
            Ok(found) => assert_eq!(found, expected, "{name}"),
            Err(Error::DeviceLost { reason, .. }) => assert!(!reason.is_empty(), "{name}"),
            Err(error) => panic!("{name}: {error}"),
        }
        assert_eq!(
            call(&engine).ok(),
            Some(expected),
            "{name}, after the device was opened again"
        );
    }
}

#[test]
fn lost_device_that_is_gone_is_unknown_to_the_next_call() {
    let gone = DeviceChoice::Name("none that could be opened again".to_string());
    let Some(engine) = engine(gone) else {
        return;
    };
    lose_device(&engine);
    let (a, b) = (letters(3000, 1), letters(2500, 2));
    let task = Lcs::of(&a, &b).method(lcs::Method::BitParallel);
    // A loss that is not known yet is reported first.
    let found = match engine.run(&task) {
        Err(Error::DeviceLost { .. }) => engine.run(&task),
        found => found,
    };
    assert!(
        matches!(found, Err(Error::UnknownDevice { .. })),
        "{found:?}"
    );
}

#[test]
fn device_loss_at_any_time_is_reported_and_frees_memory() {
    let Some(candidate) = adapter::of_tests() else {
        return;
    };
    let Some(engine) = engine(DeviceChoice::Name(candidate.name())) else {
        return;
    };
    // One step per pass for several submissions, and a path for replays and reads after them.
    let tuning = Tuning {
        limbs: Some(2),
        columns: Some(8),
        steps: Some(1),
        directions: Some(1),
        ..Tuning::default()
    };
    let (a, b) = (letters(60 * 496, 1), letters(400, 2));
    let options = LcsOptions {
        method: lcs::Method::BitParallel,
        path: true,
        tuning,
        ..LcsOptions::default()
    };
    let task = Lcs::of(&a, &b).with_options(&options);
    // Returns the number of reports and the last fraction.
    let run = |lost_at: Option<usize>| {
        let reports = Arc::new(Mutex::new((0, 0.0)));
        let (seen, reported) = (reports.clone(), engine.clone());
        let control = Control::new(
            CancelHandle::new(),
            Some(Arc::new(move |progress: Progress| {
                let mut seen = seen.lock().expect("unharmed");
                *seen = (seen.0 + 1, progress.fraction);
                if lost_at == Some(seen.0) {
                    lose_device(&reported);
                }
            })),
        );
        let found = engine.run_with(&task, &control);
        let reports = *reports.lock().expect("unharmed");
        (found, reports)
    };
    let expected = run(None).0.expect("nothing is lost").length;
    // Slices are cut by time, so that the number of reports varies: stop when the loss comes too
    // late.
    let mut lost = 0;
    for report in 1.. {
        let gpu = pollster::block_on(engine.open_gpu())
            .expect("it is opened again")
            .expect("it is there");
        let (found, (_, fraction)) = run(Some(report));
        assert_eq!(
            gpu.shared().memory.held_bytes(),
            0,
            "lost at report {report}"
        );
        match found {
            Err(Error::DeviceLost { .. }) => lost += 1,
            Ok(found) => {
                assert_eq!(
                    (found.length, fraction),
                    (expected, 1.0),
                    "lost at report {report}"
                );
                break;
            }
            Err(error) => panic!("lost at report {report}: {error}"),
        }
    }
    assert!(lost >= 3, "{lost} losses were noticed");
    // If the last loss is not known yet, this call reports it.
    let _ = run(None);
    assert_eq!(run(None).0.expect("it is opened again").length, expected);
}
