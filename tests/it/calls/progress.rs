//! Progress of every problem: the fraction never falls, and is 1 with the answer only.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use support::calls::reports;
use support::inputs::Random;
use support::tasks::{self, Planned, Visitor};
use support::tier::first_or_all;
use support::trees;
use swath::edit_distance::Mode;
use swath::neighbors::Neighbors;
use swath::pairs::{Pairs, Strings};
use swath::parenthesization::{self, MatrixChain};
use swath::sort::RadixSort;
use swath::{
    CancelHandle, Control, DeviceChoice, Edit, Engine, Error, Lcs, Options, Parenthesize, Progress,
    Scs, Substring, Task, substring,
};

fn assert_reports(reports: &[Progress], is_answered: bool, case: &str) {
    assert!(reports.is_sorted_by_key(|report| report.done), "{case}");
    assert!(
        reports.is_sorted_by_key(|report| report.fraction),
        "{case}: {:?}",
        reports
            .iter()
            .map(|report| report.fraction)
            .collect::<Vec<_>>()
    );
    assert!(
        reports.iter().all(|report| report.done <= report.total),
        "{case}"
    );
    let ended = reports.iter().filter(|report| report.fraction >= 1.0);
    assert_eq!(ended.count(), usize::from(is_answered), "{case}");
    if is_answered {
        let last = reports[reports.len() - 1];
        assert_eq!((last.fraction, last.done), (1.0, last.total), "{case}");
    }
}

/// Checks the reports of a call, whether it is answered or refused, and of one that is cancelled.
fn assert_progress<T: Task>(engine: &Engine, task: &T, case: &str) {
    let (whole, error) = reports(engine, task, usize::MAX);
    assert_reports(&whole, error.is_none(), case);
    // Many rounds share the fraction.
    if whole.len() >= 20 {
        let middle = whole[whole.len() / 2].fraction;
        assert!(middle < 0.99, "{case}: {middle} at half of the reports");
    }
    let (part, error) = reports(engine, task, whole.len() / 2);
    assert_reports(&part, error.is_none(), &format!("{case}, cancelled"));
}

/// Checks the progress of each task.
struct AllProgress<'a>(&'a str, &'a Engine);

impl Visitor for AllProgress<'_> {
    fn visit<T: Task>(&mut self, case: &str, task: &T, _planned: Planned) {
        assert_progress(self.1, task, &format!("{}, {case}", self.0));
    }
}

fn assert_progress_of_all(name: &str, engine: &Engine) {
    let mut random = Random::new(18);
    let a = random.symbols(2500, 4);
    let pairs = [
        ("unrelated", a.clone(), random.symbols(2300, 4)),
        ("one edit in 100", a.clone(), random.edited(&a, 100, 4)),
        ("one edit in 10", a.clone(), random.edited(&a, 10, 4)),
    ];
    let mut visitor = AllProgress(name, engine);
    tasks::visit_all(&mut visitor, &pairs, 0..3, [700, 600]);
    assert_progress_of_pieces(name, engine);
    assert_progress_of_records(name, engine);
    let keys = random.symbols(300_000, 1 << 20);
    assert_progress(engine, &RadixSort::of(&keys), &format!("{name}, sort"));
}

/// Searches for a query that occurs at many places, near and apart.
fn assert_progress_of_pieces(name: &str, engine: &Engine) {
    let mut random = Random::new(19);
    let query = random.symbols(60, 4);
    let apart: Vec<_> = (0..450)
        .flat_map(|_| [random.symbols(200, 4), query.clone()].concat())
        .collect();
    let (unit, near) = (vec![1; 20], vec![1; 3000]);
    for (query, target) in [(&query, &apart), (&unit, &near)] {
        for mode in [Mode::Prefix, Mode::Infix] {
            let task = Edit::of(query, target).mode(mode).starts();
            let task = task.with_path(mode == Mode::Infix);
            let case = format!("{name}, {mode}, {} symbols", query.len());
            assert_progress(engine, &task, &case);
        }
    }
}

/// Common substrings and matches of inputs with many records.
fn assert_progress_of_records(name: &str, engine: &Engine) {
    let mut random = Random::new(20);
    let a = random.symbols(3200, 4);
    let mut records = || -> Vec<_> {
        let parts = a.chunks(150);
        parts.map(|part| random.edited(part, 20, 4)).collect()
    };
    let records: Vec<Vec<_>> = (0..6).map(|_| records()).collect();
    for method in substring::Method::ALL {
        // The reference compares all positions.
        let parts = if method == substring::Method::Reference {
            4
        } else {
            usize::MAX
        };
        let many = records.iter().map(|records| records.iter().take(parts));
        let task = Substring::of_records(many.map(|records| records.map(|record| &record[..])));
        let task = task.method(method);
        for inputs in [2, 6] {
            let case = format!("{name}, substring in {inputs}, {method:?}");
            assert_progress(engine, &task.clone().in_at_least(inputs), &case);
        }
        for least in [12, 40] {
            let case = format!("{name}, matches of {least}, {method:?}");
            assert_progress(engine, &task.clone().min_length(least), &case);
        }
    }
}

/// Greatest difference between the fraction and the share of the time that has passed, after the first
/// tenth of a call.
fn deviation<T: Task>(engine: &Engine, task: &T) -> (f64, Duration) {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let (seen, started) = (reports.clone(), Instant::now());
    let control = Control::default().on_progress(move |progress| {
        let mut seen = seen.lock().expect("unharmed");
        seen.push((progress.fraction, started.elapsed()));
    });
    engine.run_with(task, &control).expect("it is solved");
    let elapsed = started.elapsed();
    let reports = std::mem::take(&mut *reports.lock().expect("unharmed"));
    let share = |time: Duration| time.as_secs_f64() / elapsed.as_secs_f64();
    // A fraction holds until the next report.
    let next = reports.iter().skip(1).map(|&(_, time)| time);
    let until = next.chain([elapsed]);
    let deviations = reports
        .iter()
        .zip(until)
        .flat_map(|(&(fraction, from), until)| {
            [from, until].map(|time| (share(time), (fraction - share(time)).abs()))
        });
    let late = deviations.filter(|&(share, _)| share > 0.1);
    (late.map(|(_, by)| by).fold(0.0, f64::max), elapsed)
}

/// Another process may slow a part of a call down, but hardly the same part three times.
fn assert_follows_time<T: Task>(engine: &Engine, task: &T, case: &str) {
    let mut tries = Vec::new();
    while tries.len() < 3 {
        tries.push(deviation(engine, task));
        if tries.last().is_some_and(|(by, _)| *by < 0.25) {
            return;
        }
    }
    panic!("{case}: {tries:?}");
}

#[test]
fn the_fraction_follows_the_time_of_long_calls_on_the_cpu() {
    let options = Options::new().device(DeviceChoice::Cpu).threads(1);
    let engine = Engine::new(options).expect("the CPU is there");
    let mut random = Random::new(23);
    for (letters, every) in [(1_500_000, 5), (4_000_000, 20)] {
        let a = random.symbols(letters, 4);
        let b = random.edited(&a, every, 4);
        let case = format!("one edit in {every}");
        assert_follows_time(&engine, &Edit::of(&a, &b), &case);
        assert_follows_time(&engine, &Edit::of(&a, &b).path(), &format!("{case}, path"));
        assert_follows_time(&engine, &Lcs::of(&a, &b).path(), &format!("{case}, lcs"));
    }
    let [a, b] = [900_000, 800_000].map(|letters| random.symbols(letters, 4));
    assert_follows_time(&engine, &Edit::of(&a, &b).path(), "unrelated");
    let mut words = |count: usize, len: usize| {
        let words: Vec<_> = (0..count).map(|_| random.symbols(len, 4)).collect();
        Strings::from_slices(words)
    };
    let reads = words(4000, 150);
    assert_follows_time(&engine, &Pairs::symmetric(&reads), "pairs");
    let barcodes = words(400_000, 12);
    let near = Neighbors::of(&barcodes).within(1);
    assert_follows_time(&engine, &near, "neighbors");
    let chain = MatrixChain::new(trees::dimensions(0, 2501, 1));
    let chain = Parenthesize::of(&chain).method(parenthesization::Method::Tiled);
    assert_follows_time(&engine, &chain, "chain");
}

#[test]
fn calls_with_parts_of_a_control_report_between_their_ends() {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let (seen, cancel) = (reports.clone(), CancelHandle::new());
    let control = Control::default().cancelled_by(&cancel);
    let control = control.on_progress(move |progress| {
        seen.lock().expect("unharmed").push(progress.fraction);
    });
    let mut random = Random::new(24);
    let [a, b] = [3000, 2000].map(|letters| random.symbols(letters, 4));
    for [from, to] in [[0.0, 0.25], [0.25, 1.0]] {
        let task = Lcs::of(&a, &b).path();
        (support::cpu().run_with(&task, &control.part(from, to))).expect("it is solved");
        let reports = std::mem::take(&mut *reports.lock().expect("unharmed"));
        assert!(reports.len() > 1 && reports.is_sorted());
        assert!(
            reports.iter().all(|one| (from..=to).contains(one)),
            "{reports:?}"
        );
        assert_eq!(reports.last(), Some(&to));
    }
    cancel.cancel();
    let cancelled = support::cpu().run_with(&Lcs::of(&a, &b), &control.part(0.0, 1.0));
    assert!(matches!(cancelled, Err(Error::Cancelled)));
}

/// Cancels each task before it starts, and notes those that are answered.
struct Cancelled<'a> {
    engine: &'a Engine,
    answered: Vec<String>,
}

impl Visitor for Cancelled<'_> {
    fn visit<T: Task>(&mut self, case: &str, task: &T, _: Planned) {
        if self.engine.plan(task).is_err() {
            return;
        }
        let cancel = CancelHandle::new();
        cancel.cancel();
        let control = Control::default().cancelled_by(&cancel);
        match self.engine.run_with(task, &control) {
            Err(Error::Cancelled) => {}
            // The lengths alone exceed the bound.
            Ok(report) if report.run.computed_cells == 0 => {}
            ended => {
                let ended = ended.map(|report| report.run);
                self.answered.push(format!("{case}: {ended:?}"));
            }
        }
    }
}

#[test]
fn calls_cancelled_before_they_start_are_no_answers() {
    let mut random = Random::new(22);
    let pair = ("unrelated", random.symbols(900, 4), random.symbols(880, 4));
    for engine in [Some(support::cpu()), support::gpu()].into_iter().flatten() {
        let mut visitor = Cancelled {
            engine,
            answered: Vec::new(),
        };
        tasks::visit_all(&mut visitor, std::slice::from_ref(&pair), 0..1, [600, 700]);
        assert!(visitor.answered.is_empty(), "{:#?}", visitor.answered);
    }
}

#[test]
fn the_fraction_is_one_with_the_answer_only_on_the_cpu() {
    assert_progress_of_all("cpu", support::cpu());
}

#[test]
fn the_fraction_is_one_with_the_answer_only_where_memory_is_short() {
    for budget in first_or_all(&[20_000, 0, 200_000]) {
        let engine = support::cpu_with_memory(budget);
        assert_progress_of_all(&format!("cpu with {budget} bytes"), &engine);
    }
}

#[test]
fn the_fraction_is_one_with_the_answer_only_on_a_gpu() {
    let Some(gpu) = support::gpu() else { return };
    let mut random = Random::new(21);
    let a = random.symbols(2500, 4);
    let b = random.edited(&a, 10, 4);
    assert_progress(gpu, &Lcs::of(&a, &b).path(), "lcs");
    assert_progress(gpu, &Edit::of(&a, &b).path(), "edit");
    assert_progress(gpu, &Edit::of(&a[900..960], &b).infix().starts(), "infix");
    let several = Scs::of_all(a.chunks(400).take(6));
    assert_progress(gpu, &several.path(), "scs of six");
    assert_progress(gpu, &Substring::of(&a, &b), "substring");
    let chain = MatrixChain::new(trees::dimensions(0, 151, 1));
    let chain = Parenthesize::of(&chain).method(parenthesization::Method::Tiled);
    assert_progress(gpu, &chain, "chain");
    assert_progress(gpu, &RadixSort::of(&a), "sort");
}
