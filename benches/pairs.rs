//! Many pairs at once: lists of strings against lists of strings, from inputs in memory to results
//! in memory.
//!
//! `cargo bench -p swath-bench --bench pairs -- [--device D] [--only NAME] [--shrink N] [--genomes
//! COUNT] [--aligned COUNT] [--json FILE]`.
//!
//! The rows `aligned` take 9 KB per pair: 1 M pairs need 20 GB of memory.
//! Rows of the CPU have one thread. The crate rapidfuzz checks some values of each row; its time
//! for some pairs, on one thread, is the baseline. `pairs_peer.py` times StringZilla and rapidfuzz
//! from Python on lists of the same kinds.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rapidfuzz::distance::levenshtein;
use rayon::prelude::*;
use serde_json::json;
use swath::edit_distance::Alignment;
use swath::pairs::{PairValue, Pairs, Strings};
use swath::{Engine, Run};
use swath_bench::ceiling::Work;
use swath_bench::inputs::words;
use swath_bench::record::Row;
use swath_bench::timing::best_of;
use swath_bench::{Bench, native};

/// Pairs of a row that are checked, and timed as its baseline.
const CHECKED: usize = 300;

/// Lists of one kind.
struct Case<'a> {
    name: &'a str,
    /// Queries, and targets.
    count: usize,
    /// Length of a string, from a random number in 0..1.
    len: &'a dyn Fn(f64) -> f64,
    letters: u64,
    within: Option<u64>,
}

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    let words = |x: f64| 3.0 + 10.0 * x;
    let lines = |x: f64| 10.0 * 1000f64.powf(x);
    let case = |name, count, len, letters| Case {
        name,
        count,
        len,
        letters,
        within: None,
    };
    if let Some(gpu) = bench.engine() {
        for case in [
            case("of 1,000 letters", 8192, &|_| 1000.0, 4),
            case("reads of 150", 16_384, &|_| 150.0, 4),
            case("of 60 letters", 8192, &|_| 60.0, 4),
            case("words of 3 to 12", 20_000, &words, 26),
            case("lines of 10 to 10,000", 2000, &lines, 60),
            Case {
                within: Some(15),
                ..case("reads of 150 within 15", 100_000, &|_| 150.0, 4)
            },
        ] {
            cross(&mut bench, &gpu, &case);
        }
        zipped(&mut bench, &gpu, 200_000);
        let count = bench.option("--aligned").map_or(100_000, |text| {
            text.parse().expect("--aligned takes a whole number")
        });
        aligned(&mut bench, &gpu, count);
        let count = bench.option("--genomes").map_or(1000, |text| {
            text.parse().expect("--genomes takes a whole number")
        });
        for percent in [1.0, 0.1, 3.0] {
            genomes(&mut bench, &gpu, (count, percent, None));
        }
        genomes(&mut bench, &gpu, (count, 1.0, Some(480)));
    }
    let cpu = native(Some(1));
    for case in [
        case("words of 3 to 12, cpu", 2000, &words, 26),
        case("of 60 letters, cpu", 1000, &|_| 60.0, 26),
        case("of 100 letters, cpu", 1000, &|_| 100.0, 26),
        case("of 150 letters, cpu", 1000, &|_| 150.0, 26),
        case("reads of 150, cpu", 1000, &|_| 150.0, 4),
        Case {
            within: Some(15),
            ..case("reads of 150 within 15, cpu", 1000, &|_| 150.0, 4)
        },
    ] {
        cross(&mut bench, &cpu, &case);
    }
    bench.finish()
}

impl Case<'_> {
    fn strings(&self, count: usize, seed: u64) -> Strings<'static> {
        let random = words(count, seed);
        let string = |(place, &word): (usize, &u32)| -> Vec<u8> {
            let len = (self.len)(f64::from(word) / 4_294_967_296.0) as usize;
            let symbols = words(len, seed + 1 + place as u64);
            let letter = |word: u32| b'0' + ((u64::from(word) * self.letters) >> 32) as u8;
            symbols.into_iter().map(letter).collect()
        };
        let strings: Vec<_> = random.iter().enumerate().map(string).collect();
        Strings::from_slices(&strings)
    }
}

/// Edit distances of all pairs of two lists.
fn cross(bench: &mut Bench, engine: &Engine, case: &Case<'_>) {
    let count = bench.size(case.count);
    let name = format!("{count} x {count} {}", case.name);
    if !bench.wants(&name) {
        return;
    }
    let (queries, targets) = (case.strings(count, 1), case.strings(count, 1 << 40));
    let timed = best_of(3, || values(engine, &queries, &targets, case.within));
    let (run, found, kept) = &timed.answer;
    let (mut right, started) = (true, Instant::now());
    for &(query, target, value) in found {
        let (a, b) = (&queries[query], &targets[target]);
        let exact = levenshtein::distance(a.iter(), b.iter()) as u64;
        right &= u64::from(value) == exact.min(case.within.map_or(exact, |within| within + 1));
    }
    let pair_seconds = started.elapsed().as_secs_f64() / found.len().max(1) as f64;
    let baseline = Duration::from_secs_f64(pair_seconds * (count * count) as f64);
    let pairs_per_second = (count * count) as f64 / timed.best().as_secs_f64();
    bench.row(Row {
        case: &name,
        times: timed.times(),
        count: run.cells,
        computed: run.computed_cells,
        work: Work::EditCells,
        device: &run.device,
        baseline: Some(("rapidfuzz on one thread, from some pairs", baseline)),
        right,
        remark: format!("{:.1} M pairs/s, {kept} kept", pairs_per_second / 1e6),
        path_mode: None,
        phases: &run.phases,
        members: json!({ "pairs_per_second": pairs_per_second, "kept": kept }),
    });
}

/// The run, some queries and targets with their values, and the number of pairs that are kept.
/// Without a bound all values stay in memory, with one the pairs within it.
type Found = (Run, Vec<(usize, usize, u32)>, u64);

fn values(
    engine: &Engine,
    queries: &Strings<'_>,
    targets: &Strings<'_>,
    within: Option<u64>,
) -> swath::Result<Found> {
    let pairs = Pairs::cross(queries, targets);
    let width = targets.len();
    let step = (queries.len() * width / CHECKED).max(1);
    let places = (0..queries.len() * width).step_by(step);
    let pair = |place: usize, value| (place / width, place % width, value);
    let Some(within) = within else {
        let report = engine.run(&pairs)?;
        let found = |place| Some(pair(place, report.values.get(place)?));
        let checked = places.filter_map(found).collect();
        return Ok((report.run.clone(), checked, report.values.len() as u64));
    };
    let mut kept = Vec::new();
    let task = pairs.within(within).for_each_kept(|block| {
        kept.extend_from_slice(block.kept);
        ControlFlow::Continue(())
    });
    let run = engine.run(&task)?.run.clone();
    drop(task);
    let value = |place: usize| {
        let pair = |kept: &PairValue| kept.query * width + kept.target;
        let found = kept.binary_search_by_key(&place, pair);
        found.map_or(within as u32 + 1, |index| kept[index].value)
    };
    let checked = places.map(|place| pair(place, value(place))).collect();
    Ok((run, checked, kept.len() as u64))
}

/// Strings that are `apart` substitutions per symbol from the first `len` symbols of a template.
fn apart(count: usize, len: impl Fn(usize) -> usize, apart: f64, seed: u64) -> Strings<'static> {
    let longest = (0..count).map(&len).max().unwrap_or(0);
    let letter = |word: u32| b"ACGT"[(word >> 30) as usize];
    let template: Vec<u8> = words(longest, seed).into_iter().map(letter).collect();
    let bound = (apart * 4_294_967_296.0) as u32;
    let string = |place: usize| -> Vec<u8> {
        let changes = words(2 * len(place), seed + 1 + place as u64);
        let symbol = |(&symbol, change): (&u8, &[u32])| match change[0] < bound {
            true => letter(change[1]),
            false => symbol,
        };
        template.iter().zip(changes.chunks(2)).map(symbol).collect()
    };
    Strings::from_slices((0..count).map(string))
}

/// The i-th query with the i-th target, 5 % apart, of 100 to 10,000 letters.
fn zipped(bench: &mut Bench, engine: &Engine, count: usize) {
    let count = bench.size(count);
    let name = format!("{count} pairs of 100 to 10,000 letters, 5 % apart");
    if !bench.wants(&name) {
        return;
    }
    let lens = words(count, 7);
    let len = |place: usize| {
        let x = f64::from(lens[place]) / 4_294_967_296.0;
        (100.0 * 100f64.powf(x)) as usize
    };
    let (queries, targets) = (apart(count, len, 0.0, 1), apart(count, len, 0.05, 1));
    row(
        bench,
        engine,
        (&name, None),
        Pairs::zip(&queries, &targets),
        |place| (&queries[place], &targets[place]),
    );
}

/// Distances and alignments of the i-th query with the i-th target, 5 % apart, of 100 to 10,000
/// letters. The baseline is the same on all threads of the CPU, from every tenth pair.
fn aligned(bench: &mut Bench, engine: &Engine, count: usize) {
    let count = bench.size(count);
    let name = format!("{count} aligned pairs of 100 to 10,000 letters, 5 % apart");
    if !bench.wants(&name) {
        return;
    }
    let pairs: Vec<_> = (0..count).into_par_iter().map(edited_pair).collect();
    let queries = Strings::from_slices(pairs.iter().map(|pair| &pair.0));
    let targets = Strings::from_slices(pairs.iter().map(|pair| &pair.1));
    let tenth = pairs.iter().step_by(10);
    let few = [
        Strings::from_slices(tenth.clone().map(|pair| &pair.0)),
        Strings::from_slices(tenth.map(|pair| &pair.1)),
    ];
    drop(pairs);
    let cpu = native(None);
    let on_cpu = best_of(1, || alignments(&cpu, &few[0], &few[1]));
    let timed = best_of(3, || alignments(engine, &queries, &targets));
    let (values, found, runs) = &timed.answer;
    let expected = on_cpu.answer.1.iter();
    let mut right = found.iter().step_by(10).eq(expected);
    for place in (0..count).step_by(count.div_ceil(CHECKED)) {
        let (a, b) = (&queries[place], &targets[place]);
        let exact = levenshtein::distance(a.iter(), b.iter()) as u64;
        right &= u64::from(values[place].value) == exact;
        right &= found[place].verify(a, b, exact).is_ok();
    }
    let parts = runs.each_ref().map(|run| run.elapsed.as_secs_f64());
    let phases = runs.iter().flat_map(|run| run.phases.clone());
    bench.row(Row {
        case: &name,
        times: timed.times(),
        count: runs[0].cells,
        computed: runs.iter().map(|run| run.computed_cells).sum(),
        work: Work::EditCells,
        device: &runs[1].device,
        baseline: Some((
            "the CPU on all threads, from a tenth of the pairs",
            on_cpu.best().mul_f64(count as f64 / few[0].len() as f64),
        )),
        right,
        remark: format!("distances {:.3} s, alignments {:.3} s", parts[0], parts[1]),
        path_mode: Some(runs[1].path_mode),
        phases: &phases.collect::<Vec<_>>(),
        members: json!({ "distance_seconds": parts[0], "alignment_seconds": parts[1] }),
    });
}

/// Letters, and the same with an edit in 20: substitutions, insertions and deletions.
fn edited_pair(place: usize) -> (Vec<u8>, Vec<u8>) {
    let seed = 1 + 2 * place as u64;
    let letter = |word: u32| b"ACGT"[(word >> 30) as usize];
    let share = f64::from(words(1, seed)[0]) / 4_294_967_296.0;
    let len = (100.0 * 100f64.powf(share)) as usize;
    let random = words(2 * len, seed + 1);
    let mut edited = Vec::with_capacity(len + len / 20);
    let mut letters = Vec::with_capacity(len);
    for word in random.chunks(2) {
        letters.push(letter(word[0]));
        let other = letter(word[1] << 8);
        match word[1] % 60 {
            0 => edited.push(other),
            1 => edited.extend([other, letter(word[0])]),
            2 => {}
            _ => edited.push(letter(word[0])),
        }
    }
    (letters, edited)
}

type Aligned = (Vec<PairValue>, Vec<Alignment>, [Run; 2]);

fn alignments(
    engine: &Engine,
    queries: &Strings<'_>,
    targets: &Strings<'_>,
) -> swath::Result<Aligned> {
    let pairs = Pairs::zip(queries, targets);
    let distances = engine.run(&pairs)?;
    let value = |(place, value)| PairValue {
        query: place,
        target: place,
        value,
    };
    let values: Vec<_> = distances.values.iter().enumerate().map(value).collect();
    let found = engine.run(&pairs.alignments(&values))?;
    let runs = [distances.run.clone(), found.run];
    Ok((values, found.answer, runs))
}

/// All pairs of genomes `percent` percent apart, without a bound or within one.
fn genomes(
    bench: &mut Bench,
    engine: &Engine,
    (count, percent, within): (usize, f64, Option<u64>),
) {
    let count = bench.size(count);
    let mut name = format!("all pairs of {count} genomes of 30,000 letters, {percent} % apart");
    if let Some(within) = within {
        name += &format!(", within {within}");
    }
    if !bench.wants(&name) {
        return;
    }
    let strings = apart(count, |place| 29_900 + place % 200, percent / 200.0, 1);
    let pairs = Pairs::symmetric(&strings);
    let pairs = within.into_iter().fold(pairs, Pairs::within);
    row(bench, engine, (&name, within), pairs, |place| {
        // Only the first row is checked.
        (&strings[0], &strings[(place + 1) % count])
    });
}

fn row<'a>(
    bench: &mut Bench,
    engine: &Engine,
    (name, within): (&str, Option<u64>),
    pairs: Pairs<'_>,
    strings: impl Fn(usize) -> (&'a [u8], &'a [u8]),
) {
    let timed = best_of(3, || engine.run(&pairs));
    let report = &timed.answer;
    let (mut right, started) = (true, Instant::now());
    let checked = report.values.len().min(60);
    for place in 0..checked {
        let (a, b) = strings(place);
        let exact = levenshtein::distance(a.iter(), b.iter()) as u32;
        let expected = within.map_or(exact, |within| exact.min(within as u32 + 1));
        right &= report.values.get(place) == Some(expected);
    }
    let pair_seconds = started.elapsed().as_secs_f64() / checked.max(1) as f64;
    let baseline = Duration::from_secs_f64(pair_seconds * report.values.len() as f64);
    bench.row(Row {
        case: name,
        times: timed.times(),
        count: report.run.cells,
        computed: report.run.computed_cells,
        work: Work::EditCells,
        device: &report.run.device,
        baseline: Some(("rapidfuzz on one thread, from some pairs", baseline)),
        right,
        remark: format!("{} pairs", report.values.len()),
        path_mode: None,
        phases: &report.run.phases,
        members: json!({}),
    });
}
