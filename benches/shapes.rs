//! The strip sweep with forced shapes, against the cost model's estimates and its choice: the data
//! that `src/engine/profile/gpu.rs` is fitted to.
//!
//! `cargo bench -p swath-bench --bench shapes -- [--device D] [--only NAME] [--shrink N] [--json
//! FILE] [--against FILE]`.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use swath::Phase;
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::kernels::bit_parallel::Matching;
use swath::unstable::lcs::{LcsOptions, Tuning};
use swath::{Engine, PlanSummary, Result, edit_distance, lcs};
use swath_bench::Bench;
use swath_bench::calls::Calls;
use swath_bench::ceiling::Work;
use swath_bench::inputs::letters;
use swath_bench::record::Row;
use swath_bench::timing::{Timed, best_of, millis, shortest};

/// Calls per shape with a short estimate, and with a longer one.
const CALLS: (usize, usize) = (9, 1);
const SHORT: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    if let Some(gpu) = bench.engine() {
        for (n, symbols) in [
            (100_000, 4),
            (1_000_000, 4),
            (10_000_000, 4),
            (1_000_000, 26),
            (1_000_000, 200),
        ] {
            shapes(
                &mut bench,
                "length",
                (n, symbols),
                Work::LcsCells,
                &|pair, tuning| length(&gpu, pair, tuning),
            );
        }
        for (n, symbols) in [
            (150_000, 4),
            (1_000_000, 4),
            (1_000_000, 26),
            (1_000_000, 200),
        ] {
            shapes(
                &mut bench,
                "distance",
                (n, symbols),
                Work::EditCells,
                &|pair, tuning| distance(&gpu, pair, tuning),
            );
        }
    }
    bench.finish()
}

type Pair = (Vec<u8>, Vec<u8>);

/// Result of one shape.
struct Swept {
    plan: PlanSummary,
    times: Vec<Duration>,
    answer: Option<u64>,
    device: String,
    phases: Vec<(Phase, Duration)>,
}

/// Measures every shape on one pair, fastest first, after the planner's choice, whose answer all
/// must give.
fn shapes(
    bench: &mut Bench,
    what: &str,
    (n, symbols): (usize, u64),
    work: Work,
    sweep: &dyn Fn(&Pair, Tuning) -> Result<Swept>,
) {
    let n = bench.size(n);
    let name = format!("{what} {n} x {n}, {symbols} letters");
    if !bench.wants(&name) {
        return;
    }
    let pair = (letters(n, symbols, 3), letters(n, symbols, 4));
    let chosen = sweep(&pair, Tuning::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut forced = Vec::new();
    for matching in [Matching::Table, Matching::Planes] {
        for limbs in [2, 4, 6, 8, 10, 12] {
            for columns in [8, 16, 32] {
                let (limbs, columns) = (Some(limbs), Some(columns));
                let tuning = Tuning {
                    matching: Some(matching),
                    limbs,
                    columns,
                    ..Tuning::default()
                };
                // Some shapes have no kernel.
                forced.extend(
                    sweep(&pair, tuning)
                        .ok()
                        .map(|swept| (matching, limbs, columns, swept)),
                );
            }
        }
    }
    forced.sort_by_key(|(.., swept)| shortest(&swept.times));
    let mut row = |shape: &str, swept: &Swept| {
        let Swept {
            plan,
            times,
            answer,
            device,
            phases,
        } = swept;
        bench.row(Row {
            case: &format!("{name}, {shape}"),
            times,
            count: plan.cells,
            computed: plan.cells,
            work,
            device,
            baseline: Some(("the one that is chosen", shortest(&chosen.times))),
            right: *answer == chosen.answer,
            remark: format!("{:.3} ms expected, tiles of {} x {}", millis(plan.expected), plan.tile.0, plan.tile.1),
            path_mode: None,
            phases,
            members: json!({ "expected_seconds": plan.expected.as_secs_f64(), "tile": plan.tile, "passes": plan.passes }),
        });
    };
    row("chosen", &chosen);
    for (matching, limbs, columns, swept) in &forced {
        let [limbs, columns] = [limbs, columns].map(|part| part.unwrap_or_default());
        row(
            &format!("{matching:?}, {limbs} limbs, {columns} columns"),
            swept,
        );
    }
}

fn length(gpu: &Engine, (a, b): &Pair, tuning: Tuning) -> Result<Swept> {
    let mut options = LcsOptions::default();
    (options.method, options.tuning) = (lcs::Method::BitParallel, tuning);
    let found = timed(gpu.lcs_plan(a, b, &options)?, || {
        gpu.lcs_with(a, b, &options)
    })?;
    Ok(swept(found, |found| {
        (
            Some(found.length),
            found.run.device.clone(),
            found.run.phases.clone(),
        )
    }))
}

fn distance(gpu: &Engine, (a, b): &Pair, tuning: Tuning) -> Result<Swept> {
    let mut options = EditOptions::default();
    (options.method, options.tuning) = (edit_distance::Method::BitParallel, tuning);
    let found = timed(gpu.edit_distance_plan(a, b, &options)?, || {
        gpu.edit_distance_with(a, b, &options)
    })?;
    Ok(swept(found, |found| {
        (
            found.distance.exactly(),
            found.run.device.clone(),
            found.run.phases.clone(),
        )
    }))
}

fn timed<A>(plan: PlanSummary, call: impl Fn() -> Result<A>) -> Result<(PlanSummary, Timed<A>)> {
    // The first call shows whether the kernel exists.
    call()?;
    let calls = if plan.expected < SHORT {
        CALLS.0
    } else {
        CALLS.1
    };
    Ok((plan, best_of(calls, call)))
}

fn swept<A>(
    (plan, timed): (PlanSummary, Timed<A>),
    told: impl Fn(&A) -> (Option<u64>, String, Vec<(Phase, Duration)>),
) -> Swept {
    let (answer, device, phases) = told(&timed.answer);
    Swept {
        plan,
        times: timed.times().to_vec(),
        answer,
        device,
        phases,
    }
}
