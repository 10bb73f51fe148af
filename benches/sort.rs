//! Radix sorts of an application's arrays on the device, beside a copy of the same arrays; of arrays
//! of the host, beside the standard library; and on devices with forward progress by one pass per
//! digit, beside counting the keys for each.
//!
//! `cargo bench -p swath-bench --bench sort -- --help`. Times of the first run from submission until
//! the host is notified.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use swath::sort::{Key, Length, RadixSort, Sorter};
use swath::unstable::sort::SortTuning;
use swath::wgpu::{CommandEncoder, Features};
use swath::{Engine, HostDevice, Phase};
use swath_bench::inputs::words;
use swath_bench::resident::{Resident, is_right};
use swath_bench::timing::{best_of, once, shortest};
use swath_bench::{Bench, Call, Row, Work, native};

/// Timed sorts of an array on the device, after a warm-up.
const TIMES: usize = 10;
/// Number of keys in the rows that compare shapes of the sort.
const SHAPED: usize = 100_000_000;

fn main() -> ExitCode {
    let about = "Radix sorts on the device and of arrays of the host.";
    let mut bench = Bench::from_arguments("sort", about, "");
    let features = Features::SUBGROUP | Features::IMMEDIATES;
    if let Some(resident) = bench
        .gpu()
        .and_then(|gpu| Resident::open(&gpu.name, features))
    {
        for millions in [1, 10, 100, 200] {
            let count = bench.size(millions * 1_000_000);
            let keys = words(2 * count, 1);
            for payload in [true, false] {
                on_device::<u32>(&mut bench, &resident, &keys[..count], payload, &planned(""));
                on_device::<u64>(&mut bench, &resident, &keys, payload, &planned(""));
            }
        }
        shapes(&mut bench, &resident);
    }
    of_host(&mut bench);
    if let Some(engine) = bench.engine() {
        one_pass_a_digit(&mut bench, &engine);
    }
    bench.finish()
}

/// A shape of the sort; `bits` of the keys are sorted.
struct Shape {
    name: String,
    bits: u32,
    tuning: SortTuning,
}

fn planned(name: &str) -> Shape {
    shape(name, |_| {})
}

fn shape(name: impl Into<String>, set: impl FnOnce(&mut SortTuning)) -> Shape {
    let mut tuning = SortTuning::default();
    set(&mut tuning);
    Shape {
        name: name.into(),
        bits: u32::MAX,
        tuning,
    }
}

/// Fewer bits, few distinct keys, and other kernel shapes.
fn shapes(bench: &mut Bench, resident: &Resident) {
    let count = bench.size(SHAPED);
    let keys = words(2 * count, 1);
    let (narrow, few) = (&keys[..count], distinct(&keys[..count]));
    let bits = Shape {
        bits: 16,
        ..planned(", 16 bits")
    };
    on_device::<u32>(bench, resident, narrow, true, &bits);
    on_device::<u32>(bench, resident, &few, true, &planned(", 3 distinct"));
    let portable = shape(", without subgroups", |tuning| tuning.portable = true);
    on_device::<u32>(bench, resident, narrow, true, &portable);
    for (lanes, steps, workgroups) in [
        (256, 8, 4096),
        (256, 16, 4096),
        (256, 24, 4096),
        (256, 16, 1024),
        (256, 16, 16384),
        (128, 24, 8192),
    ] {
        let name = format!(", {lanes} lanes, {steps} keys each, {workgroups} workgroups");
        let shape = shape(name, |tuning| {
            (tuning.lanes, tuning.steps) = (Some(lanes), Some(steps));
            tuning.workgroups = Some(workgroups);
        });
        on_device::<u32>(bench, resident, narrow, true, &shape);
    }
}

fn distinct(keys: &[u32]) -> Vec<u32> {
    keys.iter().map(|key| key % 3 * 0x1001_0100).collect()
}

fn work<K: Key>(payload: bool) -> Work {
    Work::Keys {
        key_bytes: K::BITS / 8,
        payload_bytes: 4 * u32::from(payload),
    }
}

/// A sort that an application records over its own arrays.
fn on_device<K: Key>(
    bench: &mut Bench,
    resident: &Resident,
    keys: &[u32],
    payload: bool,
    shape: &Shape,
) {
    let count = keys.len() / (K::BITS / 32) as usize;
    let kind = if payload { "pairs" } else { "keys" };
    let case = format!("{count} u{} {kind}{}", K::BITS, shape.name);
    if !bench.wants(&case) {
        return;
    }
    let bits = shape.bits.min(K::BITS);
    let host = HostDevice::new(
        &resident.adapter,
        resident.device.clone(),
        resident.queue.clone(),
    );
    let sorter = match Sorter::<K>::tuned(host, count as u64, payload, false, shape.tuning) {
        Ok(sorter) => sorter.key_bits(bits),
        Err(error) => return println!("{case}: not here, {error}"),
    };
    let places: Vec<u32> = (0..count as u32).collect();
    let unsorted = if payload {
        vec![keys, &places]
    } else {
        vec![keys]
    };
    let upload = |words: &&[u32]| resident.upload(words);
    let from: Vec<_> = unsorted.iter().map(upload).collect();
    let into: Vec<_> = unsorted
        .iter()
        .map(|words| resident.buffer(words.len()))
        .collect();
    let copy = |commands: &mut CommandEncoder| {
        for (from, into) in from.iter().zip(&into) {
            commands.copy_buffer_to_buffer(from, 0, into, 0, from.size());
        }
    };
    let (mut sorting, mut copying) = (Vec::new(), Duration::MAX);
    for time in 0..=TIMES {
        let copied = resident.time(copy);
        let sorted = resident.time(|commands| {
            let length = Length::Keys(count as u64);
            let recorded = sorter.record(commands, &into[0], into.get(1), length);
            recorded.unwrap_or_else(|error| panic!("{error}"));
        });
        if time > 0 {
            sorting.push(sorted);
            copying = copying.min(copied);
        }
    }
    let found: Vec<_> = into.iter().map(|buffer| resident.read(buffer)).collect();
    let right = is_right::<K>(keys, &found, bits);
    // A round reads keys twice and payloads once, and writes each once.
    let words: usize = unsorted.iter().map(|words| words.len()).sum();
    let moved = 4 * bits.div_ceil(8) as usize * (2 * words + keys.len());
    let rate = moved as f64 / shortest(&sorting).as_secs_f64();
    let copy_rate = 8.0 * words as f64 / copying.as_secs_f64();
    bench.row(Row {
        remark: format!(
            "{:.1} GB/s, {:.1} % of a copy's {:.1} GB/s",
            rate / 1e9,
            100.0 * rate / copy_rate,
            copy_rate / 1e9
        ),
        members: json!({
            "bytes_per_second": rate, "copy_bytes_per_second": copy_rate, "share_of_copy": rate / copy_rate,
        }),
        ..Row::new(&case, &sorting, count as u128, work::<K>(payload), right)
    });
}

/// Random keys.
fn wide(count: usize) -> Vec<u64> {
    let words = words(2 * count, 1);
    let key = |word: &[u32]| u64::from(word[0]) << 32 | u64::from(word[1]);
    words.chunks(2).map(key).collect()
}

/// Whole calls on the GPU, on one thread and on all. The baseline is the standard library's stable
/// sort of these pairs.
fn of_host(bench: &mut Bench) {
    let gpu = bench.engine();
    for millions in [1, 10, 100] {
        let count = bench.size(millions * 1_000_000);
        let cases = ["", "cpu, 1 thread, ", "cpu, all threads, "]
            .map(|place| format!("{place}{count} u64 pairs of the host"));
        if !cases.iter().any(|case| bench.wants(case)) {
            continue;
        }
        let keys = wide(count);
        let places: Vec<u32> = (0..count as u32).collect();
        let task = RadixSort::of(&keys).with_payload(&places);
        let mut standard: Vec<_> = keys.iter().copied().zip(places.iter().copied()).collect();
        let sorting = once(|| standard.sort_by_key(|pair| pair.0)).best();
        let (one, all) = (native(Some(1)), native(None));
        let engines = [gpu.as_ref(), Some(&one), Some(&all)];
        for (case, engine) in cases.iter().zip(engines) {
            let call = Call {
                case,
                work: work::<u64>(true),
                calls: 3,
                baseline: Some(("the standard library's stable sort, 1 thread", sorting)),
            };
            let Some(engine) = engine else { continue };
            bench.measure(engine, &call, &task, |found| {
                let keys = found.keys.iter().copied();
                keys.zip(found.payload.iter().copied())
                    .eq(standard.iter().copied())
            });
        }
    }
}

/// On devices with forward progress: one pass per digit (onesweep) and its shapes beside counting
/// the keys again for each digit, whose answer all must give. Times are of the passes alone.
fn one_pass_a_digit(bench: &mut Bench, engine: &Engine) {
    let counting = shape("", |tuning| tuning.counts_each_digit = true);
    // Keys with two significant digits.
    let few = RadixSort::of(&[0x0101u32, 0]);
    let passes = |tuning| {
        let plan = engine.plan(&few.clone().with_tuning(tuning));
        plan.map_or(0, |plan| plan.passes)
    };
    if passes(SortTuning::default()) == passes(counting.tuning) {
        return;
    }
    let usual = [planned("one pass a digit")];
    let of_lanes = |(lanes, steps, groups)| {
        let name = format!("{lanes} lanes, {steps} keys each, {groups} workgroups a unit");
        shape(name, |tuning| {
            (tuning.lanes, tuning.steps) = (Some(lanes), Some(steps));
            tuning.groups_of_unit = Some(groups);
        })
    };
    let lanes = [
        (256, 16, 3),
        (256, 24, 2),
        (384, 12, 2),
        (384, 16, 2),
        (384, 20, 2),
        (384, 22, 1),
        (512, 12, 2),
        (768, 6, 1),
    ];
    let mut shapes: Vec<_> = lanes.into_iter().map(of_lanes).collect();
    shapes.insert(0, planned("one pass a digit"));
    for millions in [1, 10, 100, 200] {
        let count = bench.size(millions * 1_000_000);
        let shapes = if count == bench.size(SHAPED) {
            &shapes[..]
        } else {
            &usual
        };
        let keys = wide(count);
        let narrow: Vec<u32> = keys.iter().map(|&key| key as u32).collect();
        one_pass(bench, engine, "u64 pairs", &keys, counting.tuning, shapes);
        one_pass(bench, engine, "u32 pairs", &narrow, counting.tuning, shapes);
    }
}

fn one_pass<K: Key>(
    bench: &mut Bench,
    engine: &Engine,
    kind: &str,
    keys: &[K],
    counting: SortTuning,
    shapes: &[Shape],
) {
    let case = |shape: &Shape| format!("{} {kind}, {}", keys.len(), shape.name);
    if !shapes.iter().any(|shape| bench.wants(&case(shape))) {
        return;
    }
    let places: Vec<u32> = (0..keys.len() as u32).collect();
    let sweep = |tuning| {
        let task = RadixSort::of(keys)
            .with_payload(&places)
            .with_tuning(tuning);
        let mut times = Vec::new();
        let timed = best_of(5, || {
            let report = engine.run(&task)?;
            let phases = report.run.phases.iter();
            times.extend(
                phases
                    .filter(|(phase, _)| *phase == Phase::Sweep)
                    .map(|&(_, time)| time),
            );
            Ok(report)
        });
        (times, timed.answer)
    };
    let (counted, expected) = sweep(counting);
    for shape in shapes {
        let case = case(shape);
        if bench.wants(&case) {
            let (times, found) = sweep(shape.tuning);
            let right = found.answer == expected.answer && found.keys.is_sorted();
            let baseline = ("counting each digit, same device", shortest(&counted));
            bench.row(Row {
                baseline: Some(baseline),
                ..Row::of(&case, &times, &found.run, work::<K>(true), right)
            });
        }
    }
}
