//! Radix sort of device-resident arrays against a copy of the same arrays; every answer is checked.
//!
//! `benches/peers` times another crate's sort of the same arrays. On CUDA, where applications
//! cannot pass their own arrays, whole calls are timed, and the gain of one pass per digit.
//!
//! `cargo bench -p swath-bench --bench sort -- [--device D] [--only NAME] [--shrink N] [--json
//! FILE]`.
//!
//! A time runs from the submission of one sort until the host is notified of its end. It is the
//! minimum of several sorts of the same unsorted keys.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use swath::Phase;
use swath::sort::{Key, Length, RadixSort, Sorted, Sorter};
use swath::unstable::sort::SortTuning;
use swath::wgpu::CommandEncoder;
use swath::{Engine, HostDevice};
use swath_bench::ceiling::Work;
use swath_bench::inputs::words;
use swath_bench::record::Row;
use swath_bench::resident::{Resident, is_right};
use swath_bench::timing::{best_of, millis};
use swath_bench::{Bench, native};

/// Timed sorts, after one warm-up.
const TIMES: usize = 10;

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    if let Some(resident) = bench.gpu().and_then(|gpu| Resident::open(&gpu.name)) {
        on_the_device(&mut bench, &resident);
    }
    on_the_cpu(&mut bench);
    calls(&mut bench);
    one_pass_a_digit(&mut bench);
    bench.finish()
}

/// Sorts recorded by an application over its own arrays.
fn on_the_device(bench: &mut Bench, resident: &Resident) {
    for millions in [1, 10, 100, 200] {
        let count = bench.size(millions * 1_000_000);
        let keys = words(2 * count, 1);
        for payload in [true, false] {
            let what = if payload { "pairs" } else { "keys" };
            let name = format!("{count} u32 {what}");
            case::<u32>(
                bench,
                resident,
                &name,
                &keys[..count],
                payload,
                32,
                SortTuning::default(),
            );
            let name = format!("{count} u64 {what}");
            case::<u64>(
                bench,
                resident,
                &name,
                &keys,
                payload,
                64,
                SortTuning::default(),
            );
        }
    }
    shapes(bench, resident);
}

/// Random keys with their positions.
fn host_pairs(count: usize) -> (Vec<u64>, Vec<u32>) {
    let keys = words(2 * count, 1)
        .chunks(2)
        .map(|word| u64::from(word[0]) << 32 | u64::from(word[1]))
        .collect();
    (keys, (0..count as u32).collect())
}

/// Whole calls on the CPU, against the standard library's stable sort of the same pairs on one
/// thread.
fn on_the_cpu(bench: &mut Bench) {
    for millions in [1, 10] {
        let count = bench.size(millions * 1_000_000);
        let cases = [("1 thread", Some(1)), ("all threads", None)];
        let cases = cases
            .map(|(on, threads)| (format!("cpu, {on}, {count} u64 pairs of the host"), threads));
        let wanted: Vec<_> = cases.iter().filter(|(name, _)| bench.wants(name)).collect();
        if wanted.is_empty() {
            continue;
        }
        let (keys, places) = host_pairs(count);
        let task = RadixSort::of(&keys).with_payload(&places);
        let unsorted: Vec<_> = keys.iter().copied().zip(places.iter().copied()).collect();
        let standard = best_of(2, || {
            let mut pairs = unsorted.clone();
            pairs.sort_by_key(|pair| pair.0);
            Ok(pairs)
        });
        for (name, threads) in wanted {
            let engine = native(*threads);
            let ours = best_of(3, || engine.run(&task));
            let Sorted { keys, payload, .. } = &ours.answer.answer;
            let found = keys.iter().copied().zip(payload.iter().copied());
            bench.row(Row {
                case: name,
                times: ours.times(),
                count: count as u128,
                computed: count as u128,
                work: Work::Keys {
                    key_bytes: 8,
                    payload_bytes: 4,
                },
                device: "cpu",
                baseline: Some((
                    "the standard library's stable sort, 1 thread",
                    standard.best(),
                )),
                right: found.eq(standard.answer.iter().copied()),
                remark: String::new(),
                path_mode: None,
                phases: &ours.answer.run.phases,
                members: json!({}),
            });
        }
    }
}

/// Whole calls with host arrays, against the CPU of the same machine.
fn calls(bench: &mut Bench) {
    let Some(engine) = bench.engine() else { return };
    for millions in [1, 10, 100] {
        let count = bench.size(millions * 1_000_000);
        let name = format!("{count} u64 pairs of the host");
        if !bench.wants(&name) {
            continue;
        }
        let (keys, places) = host_pairs(count);
        let task = RadixSort::of(&keys).with_payload(&places);
        let ours = best_of(3, || engine.run(&task));
        let native = best_of(1, || native(None).run(&task));
        let right = ours.answer.answer == native.answer.answer;
        let run = &ours.answer.run;
        let phases: Vec<_> = run
            .phases
            .iter()
            .map(|(phase, time)| format!("{phase} {:.2}", millis(*time)))
            .collect();
        println!(
            "{name}: {:.2} ms; {:.2}x the CPU ({:.2} ms); {}\n    ms by phase, last call: {}",
            millis(ours.best()),
            native.best().as_secs_f64() / ours.best().as_secs_f64(),
            millis(native.best()),
            if right { "right" } else { "WRONG" },
            phases.join(", ")
        );
        bench.require(right);
        bench.keep(json!({
            "case": name, "seconds": ours.best().as_secs_f64(), "keys_per_second": count as f64 / ours.best().as_secs_f64(),
            "baseline": "cpu", "baseline_seconds": native.best().as_secs_f64(), "right": right,
            "phases": run.phases.iter().map(|(phase, time)| json!([phase.name(), time.as_secs_f64()])).collect::<Vec<_>>(),
        }));
    }
}

/// On devices with forward progress: one pass per digit (onesweep) against counting the keys again
/// per digit, and against other onesweep shapes. Times are of the passes alone, in calls with host
/// arrays.
fn one_pass_a_digit(bench: &mut Bench) {
    let Some(engine) = bench.engine() else { return };
    let mut counting = SortTuning::default();
    counting.counts_each_digit = true;
    // Keys with two significant digits.
    let few = RadixSort::of(&[0x0101u32, 0]);
    let passes = |tuning| {
        engine
            .plan(&few.clone().with_tuning(tuning))
            .map_or(0, |plan| plan.passes)
    };
    if passes(SortTuning::default()) == passes(counting) {
        return;
    }
    let mut shapes = vec![("one pass a digit".to_string(), SortTuning::default())];
    for (lanes, steps, groups) in SHAPES {
        let mut tuning = SortTuning::default();
        (tuning.lanes, tuning.steps, tuning.groups_of_unit) =
            (Some(lanes), Some(steps), Some(groups));
        shapes.push((
            format!("{lanes} lanes, {steps} keys each, {groups} workgroups a unit"),
            tuning,
        ));
    }
    for pass_keys in [1 << 25, 1 << 28] {
        let mut tuning = SortTuning::default();
        tuning.pass_keys = Some(pass_keys);
        shapes.push((format!("{pass_keys} keys a pass"), tuning));
    }
    for (millions, shapes) in [
        (1, &shapes[..1]),
        (10, &shapes[..1]),
        (100, &shapes),
        (200, &shapes[..1]),
    ] {
        let count = bench.size(millions * 1_000_000);
        let keys: Vec<u64> = words(2 * count, 1)
            .chunks(2)
            .map(|word| u64::from(word[0]) << 32 | u64::from(word[1]))
            .collect();
        let narrow: Vec<u32> = keys.iter().map(|&key| key as u32).collect();
        let few: Vec<u32> = narrow.iter().map(|key| key % 3 * 0x1001_0100).collect();
        one_pass::<u64>(
            bench,
            &engine,
            &format!("{count} u64 pairs"),
            &keys,
            counting,
            shapes,
        );
        one_pass::<u32>(
            bench,
            &engine,
            &format!("{count} u32 pairs"),
            &narrow,
            counting,
            shapes,
        );
        one_pass::<u32>(
            bench,
            &engine,
            &format!("{count} u32 pairs, 3 distinct"),
            &few,
            counting,
            &shapes[..1],
        );
    }
}

/// Lanes, keys per lane and workgroups per compute unit to compare with the planner's choice.
const SHAPES: [(u32, u32, u32); 13] = [
    (256, 16, 3),
    (256, 18, 3),
    (256, 24, 2),
    (256, 28, 2),
    (384, 12, 2),
    (384, 14, 2),
    (384, 16, 2),
    (320, 20, 2),
    (384, 20, 2),
    (384, 22, 1),
    (512, 12, 2),
    (512, 14, 1),
    (768, 6, 1),
];

/// Times every shape; all must agree with reduce-then-scan.
fn one_pass<K: Key>(
    bench: &mut Bench,
    engine: &Engine,
    name: &str,
    keys: &[K],
    counting: SortTuning,
    shapes: &[(String, SortTuning)],
) {
    let wanted: Vec<_> = shapes
        .iter()
        .filter(|(shape, _)| bench.wants(&format!("{name}, {shape}")))
        .collect();
    if wanted.is_empty() {
        return;
    }
    let places: Vec<u32> = (0..keys.len() as u32).collect();
    let sweep = |tuning: SortTuning| {
        let task = RadixSort::of(keys)
            .with_payload(&places)
            .with_tuning(tuning);
        let mut least = Duration::MAX;
        let timed = best_of(5, || {
            let report = engine.run(&task)?;
            let phase = report
                .run
                .phases
                .iter()
                .find(|(phase, _)| *phase == Phase::Sweep);
            least = least.min(phase.map_or(Duration::MAX, |&(_, time)| time));
            Ok(report)
        });
        (least, timed.answer.answer)
    };
    let (counted, expected) = sweep(counting);
    for (shape, tuning) in wanted {
        let name = format!("{name}, {shape}");
        let (least, found) = sweep(*tuning);
        let right = found == expected && found.keys.is_sorted();
        let rate = keys.len() as f64 / least.as_secs_f64();
        println!(
            "{name}: {:.2} ms, {:.1} Mkey/s; {:.2}x counting each digit ({:.2} ms); {}",
            millis(least),
            rate / 1e6,
            counted.as_secs_f64() / least.as_secs_f64(),
            millis(counted),
            if right { "right" } else { "WRONG" },
        );
        bench.require(right);
        bench.keep(json!({
            "case": name, "seconds": least.as_secs_f64(), "keys_per_second": rate,
            "baseline": "counting each digit, same device", "baseline_seconds": counted.as_secs_f64(), "right": right,
        }));
    }
}

/// Fewer bits, few distinct keys, and other kernel shapes against the planner's choice.
fn shapes(bench: &mut Bench, resident: &Resident) {
    let count = bench.size(100_000_000);
    let keys = words(count, 1);
    let few: Vec<u32> = keys.iter().map(|key| key % 3 * 0x1001_0100).collect();
    let mut tuning = SortTuning::default();
    case::<u32>(
        bench,
        resident,
        &format!("{count} u32 pairs, 16 bits"),
        &keys,
        true,
        16,
        tuning,
    );
    case::<u32>(
        bench,
        resident,
        &format!("{count} u32 pairs, 3 distinct"),
        &few,
        true,
        32,
        tuning,
    );
    tuning.portable = true;
    case::<u32>(
        bench,
        resident,
        &format!("{count} u32 pairs, without subgroups"),
        &keys,
        true,
        32,
        tuning,
    );
    for (lanes, steps, workgroups) in [
        (256, 8, 4096),
        (256, 10, 4096),
        (256, 12, 4096),
        (256, 14, 4096),
        (256, 16, 4096),
        (256, 20, 4096),
        (256, 24, 4096),
        (256, 16, 1024),
        (256, 16, 2048),
        (256, 16, 8192),
        (256, 16, 16384),
        (128, 16, 4096),
        (128, 24, 8192),
    ] {
        let mut tuning = SortTuning::default();
        (tuning.lanes, tuning.steps, tuning.workgroups) =
            (Some(lanes), Some(steps), Some(workgroups));
        let name =
            format!("{count} u32 pairs, {lanes} lanes, {steps} keys each, {workgroups} workgroups");
        case::<u32>(bench, resident, &name, &keys, true, 32, tuning);
    }
    let wide = words(2 * count, 1);
    for steps in [8, 10, 12, 14, 16] {
        let mut tuning = SortTuning::default();
        tuning.steps = Some(steps);
        let name = format!("{count} u64 pairs, {steps} keys a lane");
        case::<u64>(bench, resident, &name, &wide, true, 64, tuning);
    }
}

/// Times a sort of these keys and checks the result.
fn case<K: Key>(
    bench: &mut Bench,
    resident: &Resident,
    name: &str,
    keys: &[u32],
    payload: bool,
    bits: u32,
    tuning: SortTuning,
) {
    if !bench.wants(name) {
        return;
    }
    let count = keys.len() / (K::BITS / 32) as usize;
    let host = HostDevice::new(
        &resident.adapter,
        resident.device.clone(),
        resident.queue.clone(),
    );
    let sorter = match Sorter::<K>::tuned(host, count as u64, payload, false, tuning) {
        Ok(sorter) => sorter.key_bits(bits),
        Err(error) => return println!("{name}: not here, {error}"),
    };
    let places: Vec<u32> = if payload {
        (0..count as u32).collect()
    } else {
        Vec::new()
    };
    let unsorted: Vec<_> = [keys, &places]
        .into_iter()
        .filter(|words| !words.is_empty())
        .collect();
    let from: Vec<_> = unsorted
        .iter()
        .map(|words| resident.upload(words))
        .collect();
    let into: Vec<_> = unsorted
        .iter()
        .map(|words| resident.buffer(words.len()))
        .collect();
    let copy = |commands: &mut CommandEncoder| {
        for (from, into) in from.iter().zip(&into) {
            commands.copy_buffer_to_buffer(from, 0, into, 0, from.size());
        }
    };
    let (mut sorting, mut copying) = (Duration::MAX, Duration::MAX);
    for time in 0..=TIMES {
        let copied = resident.time(copy);
        let sorted = resident.time(|commands| {
            let length = Length::Keys(count as u64);
            sorter
                .record(commands, &into[0], into.get(1), length)
                .unwrap_or_else(|error| panic!("{error}"));
        });
        if time > 0 {
            (sorting, copying) = (sorting.min(sorted), copying.min(copied));
        }
    }
    let found: Vec<_> = into.iter().map(|buffer| resident.read(buffer)).collect();
    let right = is_right::<K>(keys, &found, bits);
    // A round reads keys twice and payloads once, and writes each once.
    let words: usize = unsorted.iter().map(|words| words.len()).sum();
    let rounds = f64::from(bits.div_ceil(8));
    let moved = 4.0 * rounds * (2 * words + keys.len()) as f64;
    let (rate, moved_rate) = (
        count as f64 / sorting.as_secs_f64(),
        moved / sorting.as_secs_f64(),
    );
    let copy_rate = 8.0 * words as f64 / copying.as_secs_f64();
    let share = moved_rate / copy_rate;
    let verdict = if right { "right" } else { "WRONG" };
    println!(
        "{name}: {:.2} ms, {:.1} Mkey/s, {:.1} GB/s, {:.1} % of a copy's {:.1} GB/s; {verdict}",
        millis(sorting),
        rate / 1e6,
        moved_rate / 1e9,
        100.0 * share,
        copy_rate / 1e9,
    );
    bench.require(right);
    bench.keep(json!({
        "case": name, "seconds": sorting.as_secs_f64(), "keys_per_second": rate, "bytes_per_second": moved_rate,
        "copy_bytes_per_second": copy_rate, "share_of_copy": share, "right": right,
    }));
}
