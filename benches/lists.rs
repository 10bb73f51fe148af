//! Distances and alignments of many pairs, and joins, from strings in memory to results in memory.
//!
//! `cargo bench -p swath-bench --bench lists -- --help`. rapidfuzz checks some values of each list;
//! its time for these, on one thread, is the baseline. The rows of joins are compared with those of
//! symscan, which joins deletion neighbourhoods, of the distances of all pairs, or of the CPU.
//! A million aligned pairs take 20 GB of memory.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rapidfuzz::distance::levenshtein;
use rayon::prelude::*;
use serde_json::json;
use swath::edit_distance::Alignment;
use swath::neighbors::{Neighbor, Neighbors};
use swath::pairs::{PairValue, Pairs, Strings};
use swath::substring::Strand;
use swath::{DeviceChoice, Engine, Options, Run};
use swath_bench::timing::{Timed, best_of, once};
use swath_bench::{Bench, Row, Work, native};

/// Strings of one kind.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    letters: &'static [u8],
    /// Shortest and longest; log-uniform if one is 50 times the other.
    lens: (u64, u64),
    /// Strings of one template; 1 for random ones.
    copies: u64,
    /// Edits in 10,000 symbols of a copy.
    edits: u64,
}

const AMINO_ACIDS: &[u8] = b"ACDEFGHIKLMNPQRSTVWY";
const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz01234567";

const fn random(name: &'static str, letters: &'static [u8], lens: (u64, u64)) -> Kind {
    Kind {
        name,
        letters,
        lens,
        copies: 1,
        edits: 0,
    }
}

const fn copies(name: &'static str, len: u64, copies: u64) -> Kind {
    Kind {
        copies,
        edits: 100,
        ..random(name, b"ACGT", (len, len))
    }
}

const READS: Kind = random("reads of 150", b"ACGT", (150, 150));
const WORDS: Kind = random("words of 3 to 12", ALPHABET, (3, 12));
const RECEPTORS: Kind = random("amino acids of 12 to 18", AMINO_ACIDS, (12, 18));
const BARCODES: Kind = copies("barcodes of 16", 16, 4);
const SIXTY: Kind = copies("of 60 letters", 60, 2);
const DEEP_READS: Kind = copies("reads of 150, 50 of each", 150, 50);
const ONE_TEMPLATE: Kind = copies("of one template of 30", 30, u64::MAX);

/// Answer of the other side of a join.
#[derive(Clone, Copy)]
enum Beside {
    Symscan,
    /// On the device if there is one, as the join itself.
    AllPairs,
    /// The join itself is on the GPU.
    Cpu,
}

fn main() -> ExitCode {
    let about = "Many pairs and joins of strings, from strings in memory to results in memory.";
    let own = "
  --aligned N      pairs that are aligned; 100000 by default";
    let mut bench = Bench::from_arguments("lists", about, own);
    let pairs = bench.option("--aligned");
    let pairs = pairs.map_or(100_000, |text| text.parse().expect("a whole number"));
    if let Some(gpu) = bench.engine() {
        for (count, kind, within) in [
            (
                8192,
                random("of 1,000 letters", b"ACGT", (1000, 1000)),
                None,
            ),
            (16_384, READS, None),
            (8192, random("of 60 letters", b"ACGT", (60, 60)), None),
            (20_000, WORDS, None),
            (
                2000,
                random("lines of 10 to 10,000", ALPHABET, (10, 10_000)),
                None,
            ),
            (100_000, READS, Some(15)),
        ] {
            cross(&mut bench, &gpu, "", (count, kind, within));
        }
        aligned(&mut bench, &gpu, pairs);
        for (edits, within) in [(50, None), (5, None), (150, None), (50, Some(480))] {
            let name = format!("genomes of 30,000, {} % apart", edits as f64 / 50.0);
            let kind = Kind {
                name: name.leak(),
                edits,
                ..copies("", 30_000, u64::MAX)
            };
            cross(&mut bench, &gpu, "", (1000, kind, within));
        }
    }
    let one = native(Some(1));
    for (count, kind, within) in [
        (2000, WORDS, None),
        (
            1000,
            random("of 60 of 60 letters", ALPHABET, (60, 60)),
            None,
        ),
        (
            1000,
            random("of 150 of 60 letters", ALPHABET, (150, 150)),
            None,
        ),
        (1000, READS, None),
        (1000, READS, Some(15)),
    ] {
        cross(&mut bench, &one, ", cpu", (count, kind, within));
    }
    for (kind, count, within, beside) in [
        (RECEPTORS, 1_000_000, 1, Beside::Symscan),
        (RECEPTORS, 1_000_000, 2, Beside::Symscan),
        (RECEPTORS, 10_000, 2, Beside::Symscan),
        (SIXTY, 200_000, 2, Beside::Symscan),
        (DEEP_READS, 20_000, 2, Beside::Symscan),
        (RECEPTORS, 100_000, 2, Beside::AllPairs),
        (BARCODES, 100_000, 2, Beside::AllPairs),
        (SIXTY, 100_000, 3, Beside::AllPairs),
        (DEEP_READS, 100_000, 5, Beside::AllPairs),
        // Nearly all pairs are rows.
        (ONE_TEMPLATE, 10_000, 2, Beside::AllPairs),
        (RECEPTORS, 1_000_000, 2, Beside::Cpu),
        (BARCODES, 10_000_000, 2, Beside::Cpu),
        (DEEP_READS, 100_000, 5, Beside::Cpu),
        (DEEP_READS, 1_000_000, 5, Beside::Cpu),
        (DEEP_READS, 10_000_000, 5, Beside::Cpu),
    ] {
        join(&mut bench, (kind, count), within, beside);
    }
    bench.finish()
}

impl Kind {
    fn strings(self, count: usize, seed: u64) -> Strings<'static> {
        let of_template = |first: u64| {
            let mut random = Random(first + 1 + seed);
            let (min, max) = self.lens;
            let len = if max < 50 * min {
                min + random.below(max - min + 1)
            } else {
                let share = random.below(1 << 32) as f64 / 4_294_967_296.0;
                (min as f64 * (max as f64 / min as f64).powf(share)) as u64
            };
            let template: Vec<u8> = (0..len).map(|_| self.letter(&mut random)).collect();
            let copies = self.copies.min(count as u64 - first);
            let copies = (0..copies).map(|_| self.copy(&template, &mut random));
            copies.collect::<Vec<_>>()
        };
        let step = usize::try_from(self.copies).unwrap_or(usize::MAX);
        let templates = (0..count).into_par_iter().step_by(step);
        let strings: Vec<_> = templates.map(|first| of_template(first as u64)).collect();
        Strings::from_slices(strings.iter().flatten())
    }

    fn letter(self, random: &mut Random) -> u8 {
        self.letters[random.below(self.letters.len() as u64) as usize]
    }

    fn copy(self, template: &[u8], random: &mut Random) -> Vec<u8> {
        let mut copy = Vec::with_capacity(template.len());
        for &letter in template {
            if self.copies == 1 || random.below(10_000) >= self.edits {
                copy.push(letter);
                continue;
            }
            match random.below(4) {
                0 => {}
                1 => copy.extend([letter, self.letter(random)]),
                _ => copy.push(self.letter(random)),
            }
        }
        copy
    }
}

/// SplitMix64 (Steele et al. 2014, doi:10.1145/2660193.2660195).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(word ^ word >> 31) * u128::from(end)) >> 64) as u64
    }
}

/// Pairs of a list that are checked, and timed as its baseline.
const CHECKED: usize = 300;
const BASELINE: &str = "rapidfuzz on one thread, from some pairs";

/// Checks values by rapidfuzz: true if all are right, and its time for a pair.
fn checked<'a>(
    values: impl Iterator<Item = (&'a [u8], &'a [u8], u32)>,
    within: Option<u64>,
) -> (bool, Duration) {
    let (mut right, mut count, started) = (true, 0, Instant::now());
    for (a, b, value) in values {
        let exact = levenshtein::distance(a.iter(), b.iter()) as u64;
        right &= u64::from(value) == within.map_or(exact, |within| exact.min(within + 1));
        count += 1;
    }
    (right && count > 0, started.elapsed() / count.max(1))
}

/// The run, and some values with their places.
type Found = (Run, Vec<(usize, u32)>);

/// Values of some places of a matrix. Without a bound all values stay in memory, with one the pairs
/// within it.
fn values(
    engine: &Engine,
    pairs: &Pairs<'_>,
    len: usize,
    width: usize,
    within: Option<u64>,
) -> swath::Result<Found> {
    let places = (0..len).step_by((len / CHECKED).max(1));
    let Some(within) = within else {
        let report = engine.run(pairs)?;
        let found = places.filter_map(|place| Some((place, report.values.get(place)?)));
        return Ok((report.run.clone(), found.collect()));
    };
    let mut kept: Vec<PairValue> = Vec::new();
    let task = pairs.clone().within(within).for_each_kept(|block| {
        kept.extend_from_slice(block.kept);
        ControlFlow::Continue(())
    });
    let run = engine.run(&task)?.run.clone();
    drop(task);
    let value = |place: usize| {
        let found = kept.binary_search_by_key(&place, |pair| pair.query * width + pair.target);
        (place, found.map_or(within as u32 + 1, |at| kept[at].value))
    };
    Ok((run, places.map(value).collect()))
}

/// Edit distances of all pairs of two lists.
fn cross(
    bench: &mut Bench,
    engine: &Engine,
    place: &str,
    (count, kind, within): (usize, Kind, Option<u64>),
) {
    let count = bench.size(count);
    let bound = within.map_or(String::new(), |within| format!(" within {within}"));
    let case = format!("{count} x {count} {}{bound}{place}", kind.name);
    if bench.wants(&case) {
        let queries = kind.strings(count, 0);
        let targets = if kind.copies == u64::MAX {
            queries.clone()
        } else {
            kind.strings(count, 1 << 40)
        };
        let pairs = Pairs::cross(&queries, &targets);
        let timed = best_of(3, || values(engine, &pairs, count * count, count, within));
        let some = timed.answer.1.iter();
        let some = some.map(|&(at, value)| (&queries[at / count], &targets[at % count], value));
        let (right, time) = checked(some, within);
        row(bench, &case, &timed, (count * count, time), right);
    }
}

fn row(
    bench: &mut Bench,
    case: &str,
    timed: &Timed<Found>,
    (pairs, time): (usize, Duration),
    right: bool,
) {
    let per_second = pairs as f64 / timed.best().as_secs_f64();
    let run = &timed.answer.0;
    bench.row(Row {
        baseline: Some((BASELINE, time.mul_f64(pairs as f64))),
        remark: format!("{:.3} M pairs/s", per_second / 1e6),
        members: json!({ "pairs_per_second": per_second }),
        ..Row::of(case, timed.times(), run, Work::EditCells, right)
    });
}

/// Distances and alignments of pairs 5 % apart, of 100 to 10,000 letters. The baseline is the same
/// on all threads of the CPU, from every tenth pair.
fn aligned(bench: &mut Bench, gpu: &Engine, count: usize) {
    let count = bench.size(count);
    let case = format!("{count} aligned pairs of 100 to 10,000 letters, 5 % apart");
    if !bench.wants(&case) {
        return;
    }
    let kind = Kind {
        copies: 2,
        edits: 250,
        ..random("pairs", b"ACGT", (100, 10_000))
    };
    let strings = kind.strings(2 * count, 0);
    let every = |step: usize| {
        [0, 1].map(|side| {
            let places = (0..count).step_by(step);
            Strings::from_slices(places.map(|place| &strings[2 * place + side]))
        })
    };
    let ([queries, targets], few) = (every(1), every(10));
    let on_cpu = once(|| alignments(&native(None), &few).unwrap_or_else(|error| panic!("{error}")));
    let both = [queries, targets];
    let timed = best_of(3, || alignments(gpu, &both));
    let (values, found, [distances, paths]) = &timed.answer;
    let [queries, targets] = &both;
    let some = (0..count).step_by(count.div_ceil(CHECKED));
    let valid = some.clone().all(|place| {
        let value = u64::from(values[place].value);
        let verified = found[place].verify(&queries[place], &targets[place], value);
        verified.is_ok()
    });
    let some = some.map(|place| (&queries[place], &targets[place], values[place].value));
    let right = checked(some, None).0 && valid;
    let right = right && found.iter().step_by(10).eq(&on_cpu.answer.1);
    let [distance_seconds, path_seconds] = [distances, paths].map(|run| run.elapsed.as_secs_f64());
    let scale = count as f64 / few[0].len() as f64;
    bench.row(Row {
        baseline: Some((
            "the CPU on all threads, from a tenth of the pairs",
            on_cpu.best().mul_f64(scale),
        )),
        remark: format!("distances {distance_seconds:.3} s, alignments {path_seconds:.3} s"),
        members: json!({ "distance_seconds": distance_seconds, "alignment_seconds": path_seconds }),
        ..Row::of(&case, timed.times(), paths, Work::EditCells, right)
    });
}

/// Distances, alignments, and the runs of both.
type Aligned = (Vec<PairValue>, Vec<Alignment>, [Run; 2]);

fn alignments(engine: &Engine, [queries, targets]: &[Strings<'_>; 2]) -> swath::Result<Aligned> {
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

/// Bytes for rows of a join, of which there may be hundreds of millions.
const MEMORY: u64 = 64 << 30;

/// All strings within some edits of each other.
fn join(bench: &mut Bench, (kind, count): (Kind, usize), within: u8, beside: Beside) {
    let count = bench.size(count);
    let place = match beside {
        Beside::Symscan => "cpu",
        Beside::AllPairs => "exact",
        Beside::Cpu => "gpu",
    };
    let case = format!("join, {place}, {count} {} within {within}", kind.name);
    if !bench.wants(&case) {
        return;
    }
    let options = || Options::default().host_memory(MEMORY);
    let cpu = Engine::new(options().device(DeviceChoice::Cpu)).expect("the CPU is there");
    let gpu = bench.engine_with(options());
    let engine = match beside {
        Beside::Symscan => &cpu,
        Beside::AllPairs => gpu.as_ref().unwrap_or(&cpu),
        Beside::Cpu => match &gpu {
            Some(gpu) => gpu,
            None => return,
        },
    };
    let strings = kind.strings(count, 0);
    let task = Neighbors::of(&strings).within(within.into());
    let timed = best_of(2, || engine.run(&task));
    let (found, run) = (&timed.answer, &timed.answer.run);
    let (name, other) = match beside {
        Beside::Symscan => ("symscan", by_symscan(&strings, within)),
        Beside::AllPairs => ("all pairs", by_pairs(engine, &strings, within)),
        Beside::Cpu => (
            "cpu",
            once(|| cpu.run(&task).expect("it fits").answer.neighbors),
        ),
    };
    let (rows, candidates) = (found.neighbors.len(), found.work.candidates);
    bench.row(Row {
        baseline: Some((name, other.best())),
        remark: format!(
            "{rows} rows, {candidates} candidates, {} compared, {}",
            found.work.verified, run.method
        ),
        members: json!({ "rows": rows, "candidates": candidates }),
        ..Row::of(
            &case,
            timed.times(),
            run,
            Work::EditCells,
            other.answer == found.neighbors,
        )
    });
}

fn neighbor(row: u32, column: u32, distance: u32) -> Neighbor {
    Neighbor {
        row,
        column,
        distance,
        strand: Strand::Forward,
    }
}

fn by_symscan(strings: &Strings<'_>, within: u8) -> Timed<Vec<Neighbor>> {
    let texts = strings.iter().map(std::str::from_utf8);
    let texts: Vec<&str> = texts.collect::<Result<_, _>>().expect("letters are ASCII");
    let found = once(|| symscan::get_neighbors_within(&texts, within));
    let time = found.best();
    let found = found.answer.expect("it takes these strings");
    let pairs = found.row.into_iter().zip(found.col).zip(found.dists);
    let pairs = pairs.map(|((row, column), distance)| neighbor(row, column, distance.into()));
    let mut neighbors: Vec<_> = pairs.collect();
    neighbors.sort_unstable();
    let mut timed = once(|| neighbors);
    timed.prolong(time);
    timed
}

fn by_pairs(engine: &Engine, strings: &Strings<'_>, within: u8) -> Timed<Vec<Neighbor>> {
    once(|| {
        let mut all = Vec::new();
        let pairs = Pairs::symmetric(strings).within(within.into());
        let task = pairs.for_each(|block| {
            let kept = block.kept();
            all.extend(
                kept.map(|pair| neighbor(pair.query as u32, pair.target as u32, pair.value)),
            );
            ControlFlow::Continue(())
        });
        engine.run(&task).expect("blocks fit");
        drop(task);
        all
    })
}
