//! All pairs of strings within an edit distance, from strings in memory to sorted rows in memory,
//! on the CPU.
//!
//! `cargo bench -p swath-bench --bench neighbors -- [--only NAME] [--shrink N] [--json FILE]`.
//!
//! The crate symscan, which joins deletion neighbourhoods, is the baseline, and its rows are
//! compared with these. The rows `exact` compare 100,000 strings of each kind with the distances of
//! all their pairs instead.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::json;
use swath::neighbors::{Neighbor, Neighbors};
use swath::pairs::{Pairs, Strings};
use swath_bench::ceiling::Work;
use swath_bench::inputs::words;
use swath_bench::record::Row;
use swath_bench::timing::best_of;
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
    for (kind, within) in [
        (RECEPTORS, 2),
        (BARCODES, 2),
        (SIXTY, 3),
        (READS, 5),
        (ONE_TEMPLATE, 2),
    ] {
        exact(&mut bench, kind, within);
    }
    bench.finish()
}

impl Kind {
    fn strings(self, count: usize) -> Strings<'static> {
        let mut seed = 1;
        let mut random = move |below: u64| {
            seed += 1;
            let word = words(1, seed)[0];
            (u64::from(word) * below) >> 32
        };
        let letter = |random: &mut dyn FnMut(u64) -> u64| {
            self.letters[random(self.letters.len() as u64) as usize]
        };
        let (mut template, mut strings) = (Vec::new(), Vec::new());
        for place in 0..count as u64 {
            if place % self.copies == 0 {
                let len = self.lens.0 + random(self.lens.1 - self.lens.0 + 1);
                template = (0..len).map(|_| letter(&mut random)).collect();
            }
            let mut string: Vec<u8> = template.clone();
            if self.copies > 1 {
                for at in (0..string.len()).rev() {
                    if random(100) > 0 {
                        continue;
                    }
                    match random(4) {
                        0 => drop(string.remove(at)),
                        1 => string.insert(at, letter(&mut random)),
                        _ => string[at] = letter(&mut random),
                    }
                }
            }
            strings.push(string);
        }
        Strings::from_slices(&strings)
    }
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
fn exact(bench: &mut Bench, kind: Kind, within: u64) {
    let count = bench.size(100_000);
    let name = format!("exact, {count} {} within {within}", kind.name);
    if !bench.wants(&name) {
        return;
    }
    let strings = kind.strings(count);
    let timed = best_of(1, || {
        native(None).run(&Neighbors::of(&strings).within(within))
    });
    let mut all = Vec::new();
    let started = Instant::now();
    let task = Pairs::symmetric(&strings).within(within).for_each(|block| {
        all.extend(block.kept().map(|pair| Neighbor {
            row: pair.query as u32,
            column: pair.target as u32,
            distance: pair.value,
        }));
        ControlFlow::Continue(())
    });
    let engine = bench.engine().unwrap_or_else(|| native(None));
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
