//! Supersequences and the whole-table methods: every case with its baseline in one run, every
//! answer checked.
//!
//! `cargo bench -p swath-bench --bench supersequence -- [--device D] [--clock-ghz F] [--only NAME]
//! [--shrink N] [--json FILE] [--against FILE]`.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use swath::supersequence::{CommonSupersequence, Method};
use swath::unstable::call::phases::Phases;
use swath::unstable::engine::Device;
use swath::unstable::papers::anti_diagonal::{self, Recurrence};
use swath::unstable::papers::tiled;
use swath::unstable::supersequence::ScsOptions;
use swath::{Control, Engine, Report};
use swath_bench::calls::Calls;
use swath_bench::ceiling::Work;
use swath_bench::inputs::letters;
use swath_bench::record::Row;
use swath_bench::supersequences::holds_all;
use swath_bench::timing::{Timed, best_of, once, without_and_with};
use swath_bench::{Bench, native};

/// Symbols per input and alphabet size of the largest table in the source.
const SOURCE: (usize, u64) = (60_000, 26);

/// Another measurement of the same run, with its time.
type Baseline<'a> = Option<(&'a str, Duration)>;

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    if let Some(gpu) = bench.engine() {
        pairs(&mut bench, &gpu, "", SOURCE, 5);
        pairs(&mut bench, &gpu, "", (1_000_000, 4), 0);
        drop(gpu);
        edit_distances(&mut bench);
    }
    let cpu = native(None);
    pairs(&mut bench, &cpu, "cpu ", (20_000, 26), 2);
    several(&mut bench, &cpu);
    reads(&mut bench, &cpu);
    edit_distances_over_threads(&mut bench);
    bench.finish()
}

/// Length and string by default against the source's methods on the same device; they check each
/// other. Those run `tables` times; with 0, the CPU checks the length.
fn pairs(
    bench: &mut Bench,
    engine: &Engine,
    place: &str,
    (n, symbols): (usize, u64),
    tables: usize,
) {
    let n = bench.size(n);
    let case = format!("{place}length {n} x {n}, {symbols} letters");
    let string_case = format!("{place}string {n} x {n}, {symbols} letters");
    if !bench.wants(&case) && !bench.wants(&string_case) {
        return;
    }
    let pair = &(letters(n, symbols, 1), letters(n, symbols, 2));
    let ask = |path| engine.scs_with(&pair.0, &pair.1, &options(Method::BitParallel, path));
    let [ours, string] = without_and_with(ask);
    if tables == 0 {
        let expected = time(&native(None), pair, Method::BitParallel, false, 0)
            .answer
            .length;
        let right = |timed: &Timed<Report<CommonSupersequence>>| timed.answer.length == expected;
        row(
            bench,
            &string_case,
            &string,
            Some(("its length alone", ours.best())),
            right(&string),
        );
        row(bench, &case, &ours, None, right(&ours));
        return;
    }
    let row_wise = time(engine, pair, Method::RowWise, false, tables);
    let right =
        |timed: &Timed<Report<CommonSupersequence>>| timed.answer.length == row_wise.answer.length;
    row(
        bench,
        &string_case,
        &string,
        Some(("its length alone", ours.best())),
        right(&string),
    );
    row(
        bench,
        &case,
        &ours,
        Some(("row-wise, same device", row_wise.best())),
        right(&ours),
    );
    let diagonals = time(engine, pair, Method::AntiDiagonal, false, tables);
    let against = Some(("anti-diagonal, same device", diagonals.best()));
    row(
        bench,
        &format!("{case}, row-wise"),
        &row_wise,
        against,
        right(&diagonals),
    );
    let same_string = |other: &Timed<Report<CommonSupersequence>>| {
        other.answer.supersequence == string.answer.supersequence
    };
    let row_wise_string = time(engine, pair, Method::RowWise, true, tables.min(2));
    let against = Some(("its length alone", row_wise.best()));
    row(
        bench,
        &format!("{string_case}, row-wise"),
        &row_wise_string,
        against,
        same_string(&row_wise_string),
    );
    let diagonals_string = time(engine, pair, Method::AntiDiagonal, true, tables.min(2));
    let against = Some(("its length alone", diagonals.best()));
    row(
        bench,
        &format!("{string_case}, anti-diagonal"),
        &diagonals_string,
        against,
        same_string(&diagonals_string),
    );
}

/// Several inputs by both heuristics.
fn several(bench: &mut Bench, engine: &Engine) {
    let n = bench.size(2000);
    let name = format!("cpu 24 inputs of {n}, 4 letters");
    if !bench.wants(&name) {
        return;
    }
    let inputs: Vec<Vec<u8>> = (1..=24).map(|seed| letters(n, 4, seed)).collect();
    let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    for method in [Method::MergeTree, Method::MajorityMerge] {
        let options = options(method, true);
        let timed = once(|| {
            engine
                .scs_many(&inputs, &options)
                .unwrap_or_else(|error| panic!("{error}"))
        });
        let CommonSupersequence {
            length,
            lower_bound,
            ..
        } = &timed.answer.answer;
        println!(
            "{name}, {}: length {length}, at least {lower_bound}",
            method.name()
        );
        let right = holds_all(&timed.answer, &inputs) && lower_bound <= length;
        row(
            bench,
            &format!("{name}, {}", method.name()),
            &timed,
            None,
            right,
        );
    }
}

/// Many short reads: all pairs are compared up to 4,096 of them.
fn reads(bench: &mut Bench, engine: &Engine) {
    for count in [1_000, 3_000, 10_000] {
        let count = bench.size(count);
        let name = format!("cpu {count} reads of 40, 4 letters");
        if !bench.wants(&name) {
            continue;
        }
        let inputs: Vec<Vec<u8>> = (1..=count as u64)
            .map(|seed| letters(40, 4, seed))
            .collect();
        let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        let options = options(Method::Auto, true);
        let timed = once(|| {
            engine
                .scs_many(&inputs, &options)
                .unwrap_or_else(|error| panic!("{error}"))
        });
        let right = holds_all(&timed.answer, &inputs);
        row(bench, &name, &timed, None, right);
    }
}

/// The two table methods of the edit distance on the device, each checking the other.
fn edit_distances(bench: &mut Bench) {
    let n = bench.size(150_000);
    let name = format!("edit distance {n} x {n}, 4 letters, tiled");
    if !bench.wants(&name) {
        return;
    }
    let Some(gpu) = bench.backend() else { return };
    let (control, phases) = (Control::default(), Phases::start());
    let slice = Duration::from_millis(60);
    let device = Device {
        backend: &*gpu,
        budget_bytes: 1 << 30,
        slice,
        threads: None,
        control: &control,
        phases: &phases,
    };
    let (a, b) = (codes(n, 3), codes(n, 4));
    let recurrence = Recurrence::EditDistance;
    let diagonals = best_of(2, || {
        pollster::block_on(anti_diagonal::last_cell(&device, recurrence, &a, &b, None))
    });
    let tiles = best_of(3, || {
        pollster::block_on(tiled::gpu::distance(&device, &a, &b))
    });
    table_row(
        bench,
        (&name, n, gpu.name()),
        &tiles,
        ("anti-diagonal, same device", &diagonals),
    );
}

/// The two table methods of the edit distance on threads.
fn edit_distances_over_threads(bench: &mut Bench) {
    let n = bench.size(20_000);
    let name = format!("cpu edit distance {n} x {n}, 4 letters, tiled");
    if bench.wants(&name) {
        let (a, b) = (codes(n, 3), codes(n, 4));
        let (recurrence, control) = (Recurrence::EditDistance, Control::default());
        let diagonals = best_of(2, || {
            anti_diagonal::cpu::last_cell(recurrence, &a, &b, &control)
        });
        let tiles = best_of(2, || tiled::cpu::distance(&a, &b, &control));
        table_row(
            bench,
            (&name, n, "cpu"),
            &tiles,
            ("anti-diagonal, same threads", &diagonals),
        );
    }
}

fn time(
    engine: &Engine,
    (a, b): &(Vec<u8>, Vec<u8>),
    method: Method,
    path: bool,
    times: usize,
) -> Timed<Report<CommonSupersequence>> {
    let options = options(method, path);
    best_of(times, || engine.scs_with(a, b, &options))
}

fn options(method: Method, path: bool) -> ScsOptions {
    let mut options = ScsOptions::default();
    (options.method, options.path) = (method, path);
    options
}

fn codes(count: usize, seed: u64) -> Vec<u32> {
    letters(count, 4, seed).into_iter().map(u32::from).collect()
}

fn row(
    bench: &mut Bench,
    case: &str,
    ours: &Timed<Report<CommonSupersequence>>,
    baseline: Baseline<'_>,
    right: bool,
) {
    let run = &ours.answer.run;
    bench.row(Row {
        case,
        times: ours.times(),
        count: run.cells,
        computed: run.computed_cells,
        work: Work::LcsCells,
        device: &run.device,
        baseline,
        right,
        remark: String::new(),
        path_mode: Some(run.path_mode),
        phases: &run.phases,
        members: json!({ "length": ours.answer.length }),
    });
}

fn table_row(
    bench: &mut Bench,
    (case, n, device): (&str, usize, &str),
    ours: &Timed<u64>,
    (other, diagonals): (&str, &Timed<u64>),
) {
    bench.row(Row {
        case,
        times: ours.times(),
        count: n as u128 * n as u128,
        computed: n as u128 * n as u128,
        work: Work::EditCells,
        device,
        baseline: Some((other, diagonals.best())),
        right: ours.answer == diagonals.answer,
        remark: String::new(),
        path_mode: None,
        phases: &[],
        members: json!({ "distance": ours.answer }),
    });
}
