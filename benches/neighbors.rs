//! All pairs of strings within an edit distance, from strings in memory to sorted rows in memory.
//!
//! `cargo bench -p swath-bench --bench neighbors -- [--device D] [--only NAME] [--shrink N] [--json
//! FILE]`.
//!
//! The rows `gpu` run on the device and are compared with the answer of the CPU, which is their
//! baseline. A further call in short slices shows the device's time by kernel: `index_keys` hashes,
//! `join` looks up, filters and computes distances. The other rows run on the CPU. Some have the
//! crate symscan, which joins deletion neighbourhoods, as their baseline, and its rows are compared
//! with these. The rows `exact` compare strings of each kind with the distances of all their pairs
//! instead, on the device if there is one.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde_json::json;
use swath::neighbors::{Neighbor, Neighbors};
use swath::pairs::{Pairs, Strings};
use swath::substring::Strand;
use swath::{DeviceChoice, Engine, Options};
use swath_bench::ceiling::Work;
use swath_bench::record::Row;
use swath_bench::timing::{best_of, millis};
use swath_bench::watched::Watched;
use swath_bench::{Bench, native};

/// Strings of one kind.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    letters: &'static [u8],
    lens: (u64, u64),
    /// Strings of one template, which differ from it in about one symbol of 100; 1 for random ones.
    copies: u64,
}

const AMINO_ACIDS: &[u8] = b"ACDEFGHIKLMNPQRSTVWY";
const DNA: &[u8] = b"ACGT";
const RECEPTORS: Kind = Kind {
    name: "amino acids of 12 to 18",
    letters: AMINO_ACIDS,
    lens: (12, 18),
    copies: 1,
};
const PEPTIDES: Kind = Kind {
    name: "amino acids of 15",
    lens: (15, 15),
    ..RECEPTORS
};
const BARCODES: Kind = Kind {
    name: "barcodes of 16",
    letters: DNA,
    lens: (16, 16),
    copies: 4,
};
const SIXTY: Kind = Kind {
    name: "of 60 letters",
    letters: DNA,
    lens: (60, 60),
    copies: 2,
};
const READS: Kind = Kind {
    name: "reads of 150",
    letters: DNA,
    lens: (150, 150),
    copies: 50,
};
const ONE_TEMPLATE: Kind = Kind {
    name: "of one template of 30",
    letters: DNA,
    lens: (30, 30),
    copies: u64::MAX,
};

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    for (kind, count, within, is_compared) in [
        (RECEPTORS, 1_000_000, 1, true),
        (RECEPTORS, 1_000_000, 2, true),
        (SIXTY, 200_000, 2, true),
        (Kind { copies: 1, ..READS }, 20_000, 2, true),
        (RECEPTORS, 100_000, 2, true),
        (RECEPTORS, 10_000, 2, true),
        (BARCODES, 1_000_000, 2, false),
        (READS, 200_000, 5, false),
        (READS, 20_000, 5, false),
    ] {
        timed(&mut bench, kind, count, within, is_compared);
    }
    for (kind, count, within) in [
        (PEPTIDES, 1_000_000, 2),
        (BARCODES, 10_000_000, 2),
        (READS, 100_000, 5),
        (READS, 1_000_000, 5),
        (READS, 10_000_000, 5),
    ] {
        on_gpu(&mut bench, kind, count, within);
    }
    for (kind, count, within) in [
        (RECEPTORS, 100_000, 2),
        (BARCODES, 100_000, 2),
        (SIXTY, 100_000, 3),
        (READS, 100_000, 5),
        // Nearly all pairs are rows.
        (ONE_TEMPLATE, 10_000, 2),
    ] {
        exact(&mut bench, kind, count, within);
    }
    bench.finish()
}

impl Kind {
    fn strings(self, count: usize) -> Strings<'static> {
        let of_template = |first: u64| {
            let mut random = Random(first + 1);
            let len = self.lens.0 + random.below(self.lens.1 - self.lens.0 + 1);
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

    /// The template, with about one edit in 100 symbols if it has several copies.
    fn copy(self, template: &[u8], random: &mut Random) -> Vec<u8> {
        let mut string = template.to_vec();
        for at in (0..string.len()).rev() {
            if self.copies == 1 || random.below(100) > 0 {
                continue;
            }
            match random.below(4) {
                0 => drop(string.remove(at)),
                1 => string.insert(at, self.letter(random)),
                _ => string[at] = self.letter(random),
            }
        }
        string
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

/// Bytes for rows, of which there may be hundreds of millions.
const MEMORY: u64 = 64 << 30;

fn engine(device: DeviceChoice) -> Engine {
    let mut options = Options::default().host_memory(MEMORY);
    options.device = device;
    Engine::new(options).expect("the device was there before")
}

/// Times a join on the device; the CPU's answer and time are beside it.
fn on_gpu(bench: &mut Bench, kind: Kind, count: usize, within: u64) {
    let count = bench.size(count);
    let name = format!("gpu, {count} {} within {within}", kind.name);
    let Some(gpu) = bench.gpu().filter(|_| bench.wants(&name)) else {
        return;
    };
    let engine = engine(gpu.selector.parse().expect("a listed selector"));
    let strings = kind.strings(count);
    let task = Neighbors::of(&strings).within(within);
    let timed = best_of(2, || engine.run(&task));
    drop(engine);
    let started = Instant::now();
    let by_cpu = self::engine(DeviceChoice::Cpu).run(&task).expect("it fits");
    let took = started.elapsed();
    let (found, run) = (&timed.answer, &timed.answer.run);
    let right = found.neighbors == by_cpu.neighbors && run.device != "cpu";
    drop(by_cpu);
    let by_kernel = kernel_times(bench, &task);
    bench.row(Row {
        case: &name,
        times: timed.times(),
        count: run.cells,
        computed: run.computed_cells,
        work: Work::EditCells,
        device: &run.device,
        baseline: Some(("cpu", took)),
        right,
        remark: format!(
            "{} rows, {} candidates, {} compared, {}",
            found.neighbors.len(),
            found.work.candidates,
            found.work.verified,
            run.method
        ),
        path_mode: None,
        phases: &run.phases,
        members: json!({
            "rows": found.neighbors.len(),
            "candidates": found.work.candidates,
            "kernel_ms": by_kernel,
        }),
    });
    for (kernels, time) in by_kernel {
        println!("    {time:9.2} ms {kernels}");
    }
}

/// Milliseconds of the device by the kernels of its slices, in short slices.
fn kernel_times(bench: &Bench, task: &Neighbors<'_>) -> BTreeMap<String, f64> {
    let device = Arc::new(Watched::new(bench.backend().expect("it was there before")));
    let options = Options::default().slice_ms(4).host_memory(MEMORY);
    let engine = Engine::on_backend(device.clone(), options).expect("the options are right");
    // The first call builds the kernels and measures their throughput.
    for _ in 0..2 {
        device.seen().slices.clear();
        engine.run(task).expect("it fits");
    }
    let mut times = BTreeMap::new();
    for slice in &device.seen().slices {
        *times.entry(slice.kernels.join(", ")).or_insert(0.0) += slice.busy.map_or(0.0, millis);
    }
    times
}

/// Times a join; symscan's rows and time are beside it if `is_compared`.
fn timed(bench: &mut Bench, kind: Kind, count: usize, within: u8, is_compared: bool) {
    let count = bench.size(count);
    let name = format!("{count} {} within {within}", kind.name);
    if !bench.wants(&name) {
        return;
    }
    let strings = kind.strings(count);
    let engine = native(None);
    let task = Neighbors::of(&strings).within(within.into());
    let timed = best_of(3, || engine.run(&task));
    let (neighbors, work) = (&timed.answer.neighbors, timed.answer.work);
    let (mut baseline, mut right) = (None, true);
    if is_compared {
        let texts: Vec<&str> = strings
            .iter()
            .map(|string| std::str::from_utf8(string).expect("letters are ASCII"))
            .collect();
        let started = Instant::now();
        let theirs = symscan::get_neighbors_within(&texts, within).expect("it takes these strings");
        baseline = Some(("symscan", started.elapsed()));
        let mut theirs: Vec<Neighbor> = (0..theirs.len())
            .map(|pair| Neighbor {
                row: theirs.row[pair],
                column: theirs.col[pair],
                distance: theirs.dists[pair].into(),
                strand: Strand::Forward,
            })
            .collect();
        theirs.sort_unstable();
        right = theirs == *neighbors;
    }
    let run = &timed.answer.run;
    bench.row(Row {
        case: &name,
        times: timed.times(),
        count: run.cells,
        computed: run.computed_cells,
        work: Work::EditCells,
        device: &run.device,
        baseline,
        right,
        remark: format!(
            "{} rows, {} candidates, {} compared, {}",
            neighbors.len(),
            work.candidates,
            work.verified,
            run.method
        ),
        path_mode: None,
        phases: &run.phases,
        members: json!({ "rows": neighbors.len(), "candidates": work.candidates }),
    });
}

/// Compares a join with the distances of all pairs, on the GPU if there is one.
fn exact(bench: &mut Bench, kind: Kind, count: usize, within: u64) {
    let count = bench.size(count);
    let name = format!("exact, {count} {} within {within}", kind.name);
    if !bench.wants(&name) {
        return;
    }
    let strings = kind.strings(count);
    let engine = bench.engine().unwrap_or_else(|| native(None));
    let timed = best_of(1, || engine.run(&Neighbors::of(&strings).within(within)));
    let mut all = Vec::new();
    let started = Instant::now();
    let task = Pairs::symmetric(&strings).within(within).for_each(|block| {
        all.extend(block.kept().map(|pair| Neighbor {
            row: pair.query as u32,
            column: pair.target as u32,
            distance: pair.value,
            strand: Strand::Forward,
        }));
        ControlFlow::Continue(())
    });
    engine.run(&task).expect("blocks fit");
    drop(task);
    let took: Duration = started.elapsed();
    let run = &timed.answer.run;
    bench.row(Row {
        case: &name,
        times: timed.times(),
        count: run.cells,
        computed: run.computed_cells,
        work: Work::EditCells,
        device: &run.device,
        baseline: Some(("all pairs", took)),
        right: all == timed.answer.neighbors,
        remark: format!("{} rows", all.len()),
        path_mode: None,
        phases: &run.phases,
        members: json!({ "rows": all.len() }),
    });
}
