//! Measures a case by all methods on all devices, and compares the answers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use swath::sort::RadixSort;
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::measure::ceiling::{Work, ceiling};
use swath::unstable::measure::timing::{Timed, once};
use swath::unstable::parenthesization::ParenthesizationOptions;
use swath::{
    Control, DeviceInfo, Edit, Engine, Error, Lcs, Parenthesize, Result, Scs, Substring, Task,
};

use super::case::{Case, Digest, Inputs, NATIVE, Problem, digest, shaped};
use super::record::{Measured, Outcome, Row};

pub struct BenchDevice {
    pub engine: Engine,
    pub listed: DeviceInfo,
    /// Threads, where the CPU is measured by several numbers of them.
    pub threads: Option<usize>,
}

/// Calls after the first one.
pub const MIN_REPEATS: usize = 3;
const MAX_REPEATS: usize = 50;
/// Maximum time of a call that is repeated; the noise of longer calls is small.
const WORTH_REPEATING: Duration = Duration::from_secs(5);

pub struct Runner<'a> {
    pub devices: &'a [BenchDevice],
    /// Time of the repeated calls of a case.
    pub time: Duration,
    pub limit: Duration,
    pub clock_ghz: Option<f64>,
    pub dry_run: bool,
}

#[derive(Default)]
pub struct CaseResult {
    pub rows: Vec<Row>,
    /// First failed call.
    pub failed: Option<Error>,
    pub is_cancelled: bool,
}

impl Runner<'_> {
    /// Runs every method on every device that has it. `before` has the rows of other cases.
    pub fn case(
        &self,
        case: &Case,
        inputs: &Inputs,
        methods: &[&'static str],
        before: &[Row],
        control: &Control,
    ) -> CaseResult {
        let mut ran = CaseResult::default();
        for (device, opened) in self.devices.iter().enumerate() {
            let has = |method: &&&str| {
                if opened.listed.kind == "CPU" {
                    shaped(method).1.is_none()
                } else {
                    !NATIVE.contains(method)
                }
            };
            for &requested in methods.iter().filter(has) {
                let attempt = Attempt {
                    runner: self,
                    case,
                    method: requested,
                    device,
                    before,
                    control,
                };
                let (method, outcome) = match attempt.run(inputs) {
                    Ok(planned) => planned,
                    Err(Error::MethodUnavailable { .. }) => continue,
                    Err(error) => (requested, Err(error)),
                };
                let outcome = match outcome {
                    Ok(outcome) => outcome,
                    Err(Error::Cancelled) => {
                        return CaseResult {
                            is_cancelled: true,
                            ..ran
                        };
                    }
                    Err(error) => refused(error, &mut ran.failed),
                };
                ran.rows.push(Row {
                    case: *case,
                    device,
                    method,
                    outcome,
                });
            }
        }
        ran
    }
}

/// Measured over expected time of the previous case, at least 1: plans are fitted to other devices.
fn pace(before: &[Row], case: &Case, device: usize, method: &str) -> f64 {
    let is_alike = |row: &&Row| {
        let inputs = |case: &Case| (case.problem, case.kind, case.path);
        (row.device, row.method) == (device, method) && inputs(&row.case) == inputs(case)
    };
    let last = before.iter().rev().filter(is_alike).find_map(Row::measured);
    last.map_or(1.0, |last| last.pace().max(1.0))
}

/// Outcome of a failed call; the first failure is stored.
fn refused(error: Error, failed: &mut Option<Error>) -> Outcome {
    let reason = error.to_string();
    match error {
        Error::MemoryBudget { .. }
        | Error::DeviceMemory { .. }
        | Error::HostMemory { .. }
        | Error::InputTooLong { .. }
        | Error::TooManySymbols { .. } => Outcome::NoRoom(reason),
        error => {
            failed.get_or_insert(error);
            Outcome::Failed(reason)
        }
    }
}

/// A case with one method on one device.
struct Attempt<'a> {
    runner: &'a Runner<'a>,
    case: &'a Case,
    method: &'static str,
    device: usize,
    before: &'a [Row],
    control: &'a Control,
}

impl Attempt<'_> {
    /// Builds the task of the case with its method, perhaps [shaped], and visits it.
    fn run(&self, inputs: &Inputs) -> Result<(&'static str, Result<Outcome>)> {
        let Case { problem, path, .. } = *self.case;
        let (method, forced) = shaped(self.method);
        match (inputs, problem) {
            (Inputs::Texts(a, b), Problem::Edit) => {
                let mut options = EditOptions::default();
                options.tuning.lanes = forced.and_then(|forced| u32::try_from(forced).ok());
                let task = Edit::of(a, b).with_options(&options);
                let task = task.method(method.parse()?).with_path(path);
                self.visit(&task, |found| {
                    (
                        found.distance.exactly().unwrap_or(u64::MAX),
                        Work::EditCells,
                    )
                })
            }
            (Inputs::Texts(a, b), Problem::Scs) => {
                let task = Scs::of(a, b).method(method.parse()?).with_path(path);
                self.visit(&task, |found| (found.length, Work::LcsCells))
            }
            (Inputs::Texts(a, b), Problem::Substring) => {
                // A fixed seed, as a random base would make calls differ.
                let task = Substring::of(a, b).method(method.parse()?).seed(1);
                self.visit(&task, |found| (found.length as u64, Work::Windows))
            }
            (Inputs::Texts(a, b), _) => {
                let task = Lcs::of(a, b).method(method.parse()?).with_path(path);
                self.visit(&task, |found| (found.length, Work::LcsCells))
            }
            (Inputs::Chain(chain), _) => {
                let mut options = ParenthesizationOptions::default();
                options.tuning.divided_from = forced;
                let task = Parenthesize::of(chain).with_options(&options);
                let task = task.method(method.parse()?);
                self.visit(&task, |found| {
                    (found.cost, Work::Splits(found.arithmetic.into()))
                })
            }
            (Inputs::Keys(keys), _) => self.visit(&RadixSort::of(keys), |found| {
                let keys = found.keys.iter().map(|&key| u64::from(key));
                (digest(keys, []), keys_work(4, 0))
            }),
            (Inputs::Pairs(keys, payload), _) => {
                let task = RadixSort::of(keys).with_payload(payload);
                self.visit(&task, |found| {
                    let (keys, payload) = (found.keys.iter(), found.payload.iter());
                    (digest(keys.copied(), payload.copied()), keys_work(8, 4))
                })
            }
        }
    }

    /// Plans a task, and measures it if that takes no longer than the limit. Returns the method, for
    /// sorts the one of the plan.
    ///
    /// # Errors
    /// Errors of the plan; those of the calls are in the pair.
    fn visit<T: Task>(
        &self,
        task: &T,
        found: impl Fn(&T::Answer) -> Digest,
    ) -> Result<(&'static str, Result<Outcome>)> {
        let opened = &self.runner.devices[self.device];
        let plan = opened.engine.plan(task)?;
        let method = match self.case.problem {
            Problem::Sort => plan.method,
            _ => self.method,
        };
        let pace = pace(self.before, self.case, self.device, method);
        let likely = Duration::try_from_secs_f64(plan.expected.as_secs_f64() * pace);
        let likely = likely.unwrap_or(Duration::MAX);
        let outcome = if self.runner.dry_run || likely > self.runner.limit {
            Ok(Outcome::Expected(likely))
        } else {
            let measured = self.measure(opened, task, found, plan.expected);
            measured.map(Outcome::Measured)
        };
        Ok((method, outcome))
    }

    fn measure<T: Task>(
        &self,
        opened: &BenchDevice,
        task: &T,
        found: impl Fn(&T::Answer) -> Digest,
        expected: Duration,
    ) -> Result<Measured> {
        let Runner {
            limit,
            time,
            clock_ghz,
            ..
        } = *self.runner;
        let call = || opened.engine.run_with(task, self.control);
        let first = once(|| Timed::warmed(call));
        let took = first.best();
        let mut timed = first.answer?;
        let (answer, work) = found(&timed.answer.answer);
        let mut answers = vec![answer];
        let started = Instant::now();
        let repeated = took <= limit.min(WORTH_REPEATING);
        while repeated
            && (answers.len() <= MIN_REPEATS
                || (answers.len() <= MAX_REPEATS && started.elapsed() < time))
        {
            timed.again(call)?;
            answers.push(found(&timed.answer.answer).0);
        }
        let times = match timed.times() {
            [] => &[took],
            times => times,
        };
        let times = times.iter().map(Duration::as_secs_f64).collect();
        let run = timed.answer.run;
        let on_device = run.device == opened.listed.name;
        Ok(Measured {
            ran: (run.method, run.device),
            times,
            phases: run.phases,
            expected,
            count: run.cells,
            computed: run.computed_cells,
            ceiling: on_device
                .then(|| ceiling(work, &opened.listed, clock_ghz))
                .flatten(),
            answers,
            right: true,
            checked: false,
        })
    }
}

fn keys_work(key_bytes: u32, payload_bytes: u32) -> Work {
    Work::Keys {
        key_bytes,
        payload_bytes,
    }
}

/// Marks wrong answers. The reference is the known answer, else the most frequent one, in a tie the
/// first. Without a known answer, rows of a single method and device are unchecked.
pub fn judge(rows: &mut [Row], known: Option<u64>) {
    let mut calls: BTreeMap<u64, (usize, usize)> = BTreeMap::new();
    let answers = rows
        .iter()
        .filter_map(Row::measured)
        .flat_map(|measured| &measured.answers);
    for (index, &answer) in answers.enumerate() {
        calls.entry(answer).or_insert((0, index)).0 += 1;
    }
    let majority = calls
        .iter()
        .max_by_key(|&(_, &(calls, first))| (calls, Reverse(first)));
    let ran: BTreeSet<_> = rows
        .iter()
        .filter_map(Row::measured)
        .map(|measured| &measured.ran)
        .collect();
    let checked = known.is_some() || ran.len() > 1;
    let Some(expected) = known.or(majority.map(|(&answer, _)| answer)) else {
        return;
    };
    for row in rows {
        if let Outcome::Measured(measured) = &mut row.outcome {
            measured.right = measured.answers.iter().all(|&answer| answer == expected);
            measured.checked = checked;
        }
    }
}

pub fn disagreements(rows: &[Row], selector: impl Fn(&Row) -> String) -> Vec<String> {
    let mut disagreements = Vec::new();
    for row in rows {
        let Some(measured) = row.measured().filter(|measured| !measured.right) else {
            continue;
        };
        let same_case = rows.iter().filter(|other| other.case == row.case);
        let mut right = same_case
            .filter_map(Row::measured)
            .filter(|other| other.right);
        let others = match right.find_map(|other| other.answers.first()) {
            Some(answer) => format!("others gave {answer}"),
            None => "others differ, too".to_string(),
        };
        let mut answers = measured.answers.clone();
        answers.dedup();
        let answers: Vec<_> = answers.iter().map(u64::to_string).collect();
        let Case { problem, kind, .. } = &row.case;
        disagreements.push(format!(
            "{} {}, {}: {} on {} gave {}; {others}",
            problem.name(),
            row.case.size(),
            kind.name(),
            row.method,
            selector(row),
            answers.join(", ")
        ));
    }
    disagreements
}

#[cfg(test)]
mod tests {
    use super::super::case::Kind;
    use super::super::samples::{self, CASE, measured};
    use super::*;

    #[test]
    fn pace_of_a_method_applies_to_its_device_only() {
        let quick = Measured {
            expected: Duration::from_secs(60),
            ..measured()
        };
        let slow = Row {
            device: 1,
            ..samples::row(measured())
        };
        let before = [samples::row(quick), slow];
        let larger = Case {
            sizes: (40, Some(40)),
            ..CASE
        };
        let paces = [0, 1, 2].map(|device| pace(&before, &larger, device, "bit-parallel"));
        assert_eq!(paces, [1.0, 2.0, 1.0]);
        assert_eq!(pace(&before, &larger, 1, "wavefront"), 1.0);
        let other = Case {
            kind: Kind::Letters(26),
            ..larger
        };
        assert_eq!(pace(&before, &other, 1, "bit-parallel"), 1.0);
    }

    fn row(answers: &[u64]) -> Row {
        samples::row(Measured {
            answers: answers.to_vec(),
            ..measured()
        })
    }

    #[test]
    fn most_frequent_answer_is_right_unless_one_is_known() {
        let judged = |answers: &[&[u64]], known| -> Vec<bool> {
            let mut rows: Vec<_> = answers.iter().map(|answers| row(answers)).collect();
            judge(&mut rows, known);
            let measured = rows.iter().filter_map(Row::measured);
            measured.map(|measured| measured.right).collect()
        };
        assert_eq!(judged(&[&[7, 7], &[7, 7]], None), [true, true]);
        let majority = judged(&[&[8, 8], &[7, 7], &[7, 7]], None);
        assert_eq!(majority, [false, true, true]);
        assert_eq!(judged(&[&[7, 7], &[8, 8]], None), [true, false]);
        assert_eq!(judged(&[&[7, 7, 8], &[7, 7]], None), [false, true]);
        assert_eq!(judged(&[&[7, 7], &[7, 7]], Some(8)), [false, false]);
    }

    #[test]
    fn answers_are_checked_by_another_method_device_or_a_known_answer() {
        let checked = |ran: &[(&'static str, &str)], known| {
            let by = |&(method, device): &(&'static str, &str)| {
                samples::row(Measured {
                    ran: (method, device.to_string()),
                    ..measured()
                })
            };
            let mut rows: Vec<_> = ran.iter().map(by).collect();
            judge(&mut rows, known);
            let found: Vec<_> = rows.iter().filter_map(Row::measured).collect();
            assert!(
                found
                    .windows(2)
                    .all(|pair| pair[0].checked == pair[1].checked)
            );
            found[0].checked
        };
        assert!(!checked(&[("banded", "cpu")], None));
        assert!(!checked(&[("banded", "cpu"), ("banded", "cpu")], None));
        assert!(checked(&[("banded", "cpu"), ("reference", "cpu")], None));
        assert!(checked(&[("banded", "cpu"), ("banded", "a GPU")], None));
        assert!(checked(&[("banded", "cpu")], Some(7)));
    }
}
