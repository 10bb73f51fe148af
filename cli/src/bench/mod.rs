//! `swath bench`.

mod agreement;
mod cases;
mod devices;
mod inputs;
mod outputs;
mod runner;

use std::time::Duration;

use anyhow::bail;
use swath::{Control, Error};

use super::args::BenchArgs;
use super::exit::VerificationFailed;
use super::interrupt::Interrupt;
use super::output;
use super::progress::Reporter;
use crate::report::bench::{Case, Outcome, Problem, Record, bench_text, paper_text};
use devices::Opened;
use inputs::{Inputs, Texts};
use outputs::Outputs;
use runner::{Repeats, Runner};

/// Measures, prints and draws; an answer that differs from the others' fails the command.
pub fn run(args: &BenchArgs) -> anyhow::Result<()> {
    let outputs = Outputs::check(args)?;
    let problems = problems(args)?;
    let opened = devices::open(args)?;
    let runner = Runner {
        devices: &opened,
        repeats: repeats(args),
        limit: args.limit,
        clock_ghz: args.clock_ghz,
        dry_run: args.dry_run,
    };
    let interrupt = Interrupt::install()?;
    let progress = Reporter::new(args.progress);
    let mut bench = Bench {
        record: record(args, &opened, &problems),
        failed: None,
        outputs: &outputs,
    };
    bench.measure(args, &runner, &problems, &interrupt, &progress)?;
    drop(progress);
    if args.dry_run && outputs.prints_tables() {
        output::to_stdout(|out| writeln!(out, "\n{}", expectation(&bench.record, runner.repeats)))?;
    }
    outputs.write(&bench.record, &interrupt.for_the_rest())?;
    bench.verdict()
}

/// The problems to measure.
///
/// # Errors
/// Where none of them has a paper and their papers are asked for.
fn problems(args: &BenchArgs) -> anyhow::Result<Vec<Problem>> {
    let mut problems = args.problems();
    if args.paper {
        problems.retain(|&problem| !cases::of_paper(problem).is_empty());
        if problems.is_empty() {
            bail!(
                "--paper: no paper of the baselines has a table of sorts; leave it out, or name another problem"
            );
        }
    }
    Ok(problems)
}

fn repeats(args: &BenchArgs) -> Repeats {
    let time = if args.quick {
        Duration::from_millis(150)
    } else {
        Duration::from_secs(1)
    };
    Repeats {
        least: 3,
        time,
        most: 50,
    }
}

fn record(args: &BenchArgs, opened: &[Opened], problems: &[Problem]) -> Record {
    let words = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned());
    Record {
        command: std::iter::once("swath".into()).chain(words).collect(),
        limit: args.limit,
        devices: opened.iter().map(Opened::device).collect(),
        rows: Vec::new(),
        papers: if args.paper {
            problems.to_vec()
        } else {
            Vec::new()
        },
        complete: true,
    }
}

/// What a run would take, for the end of a dry run.
fn expectation(record: &Record, repeats: Repeats) -> String {
    let calls = u32::try_from(repeats.least + 1).unwrap_or(u32::MAX);
    let expected = record.rows.iter().filter_map(|row| match row.outcome {
        Outcome::Expected(time) if time <= record.limit => Some(
            time.saturating_mul(calls)
                .max(time.saturating_add(repeats.time)),
        ),
        _ => None,
    });
    let (rows, run) = (record.rows.len(), expected.clone().count());
    let minutes = (expected.map(|time| time.as_secs_f64()).sum::<f64>() / 60.0).ceil();
    format!("{run} of {rows} rows would be measured, in about {minutes} min")
}

/// What there is to tell so far.
struct Bench<'a> {
    record: Record,
    /// The first call that failed.
    failed: Option<Error>,
    outputs: &'a Outputs,
}

impl Bench<'_> {
    /// Measures one problem after the other, and prints each when it is done; a signal ends it.
    fn measure(
        &mut self,
        args: &BenchArgs,
        runner: &Runner<'_>,
        problems: &[Problem],
        interrupt: &Interrupt,
        progress: &Reporter,
    ) -> anyhow::Result<()> {
        let all: Vec<(Problem, Vec<Case>)> = problems
            .iter()
            .map(|&problem| match args.paper {
                true => (problem, cases::of_paper(problem)),
                false => (problem, cases::of_problem(problem, args.quick, args.shrink)),
            })
            .collect();
        let mut texts = Texts::default();
        for (place, (problem, cases)) in all.iter().enumerate() {
            let methods = if args.paper {
                cases::methods_of_paper(*problem)
            } else {
                cases::methods(*problem)
            };
            // Problems take about the same time each, and most of it goes to their large cases.
            let weights: Vec<f64> = cases.iter().map(|case| case.extent().sqrt()).collect();
            let share = |done: usize| {
                let within = weights[..done].iter().sum::<f64>() / weights.iter().sum::<f64>();
                (place as f64 + within) / all.len() as f64
            };
            for (done, case) in cases.iter().enumerate() {
                let callback = progress.callback_for((share(done), share(done + 1)));
                let control = Control::new(interrupt.handle().clone(), callback);
                self.measure_case(runner, case, (&methods, &mut texts), &control);
                if !self.record.complete {
                    break;
                }
            }
            if self.outputs.prints_tables() {
                let rest = interrupt.for_the_rest();
                progress.aside(|| rest.ending_at_once(|| self.print(*problem)))?;
            }
            if !self.record.complete {
                break;
            }
        }
        Ok(())
    }

    fn measure_case(
        &mut self,
        runner: &Runner<'_>,
        case: &Case,
        (methods, texts): (&[&'static str], &mut Texts),
        control: &Control,
    ) {
        let inputs = Inputs::of(case, texts);
        let mut ran = runner.case(case, &inputs, methods, &self.record.rows, control);
        let known = if runner.dry_run {
            None
        } else {
            inputs.known_answer()
        };
        agreement::judge(&mut ran.rows, known);
        self.record.rows.append(&mut ran.rows);
        self.record.complete &= !ran.is_cancelled;
        if let Some(error) = ran.failed {
            self.failed.get_or_insert(error);
        }
    }

    /// The tables of one problem, which are the last ones yet.
    fn print(&self, problem: Problem) -> anyhow::Result<()> {
        let record = &self.record;
        output::to_stdout(|out| {
            if record
                .rows
                .first()
                .is_some_and(|row| row.case.problem != problem)
            {
                writeln!(out)?;
            }
            match record.papers.contains(&problem) {
                true => paper_text(record, &[problem], out),
                false => bench_text(record, &[problem], out),
            }
        })
    }

    /// How the command ends.
    fn verdict(self) -> anyhow::Result<()> {
        let selector = |row: &_| self.record.selector(row).to_string();
        let wrong = agreement::disagreements(&self.record.rows, selector);
        if !wrong.is_empty() {
            let told = wrong.join("; ");
            return Err(VerificationFailed(format!(
                "answers differ: {told}; compare with `swath selftest`"
            ))
            .into());
        }
        match self.failed {
            Some(error) => Err(error.into()),
            None if !self.record.complete => Err(Error::Cancelled.into()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use swath::CancelHandle;

    use super::*;
    use crate::args;
    use crate::report::bench::{bench_html, bench_json};

    /// A run of the smallest chains, whose answers `tamper` changes before they are judged.
    fn verdict(tamper: impl Fn(&mut [u64])) -> (Record, anyhow::Result<()>) {
        let args = args::bench_of(
            ["chain", "--quick", "--shrink", "64", "--device", "cpu"].map(OsStr::new),
        );
        let (outputs, opened) = (
            Outputs::check(&args).expect("nothing is written"),
            devices::open(&args).expect("the CPU"),
        );
        let (repeats, limit) = (repeats(&args), args.limit);
        let runner = Runner {
            devices: &opened,
            repeats,
            limit,
            clock_ghz: None,
            dry_run: false,
        };
        let mut bench = Bench {
            record: record(&args, &opened, &[Problem::Chain]),
            failed: None,
            outputs: &outputs,
        };
        let case = cases::of_problem(Problem::Chain, true, args.shrink)[0];
        let control = Control::new(CancelHandle::new(), None);
        bench.measure_case(
            &runner,
            &case,
            (&cases::methods(Problem::Chain), &mut Texts::default()),
            &control,
        );
        let last = bench.record.rows.last_mut().expect("there are rows");
        if let Outcome::Measured(measured) = &mut last.outcome {
            tamper(&mut measured.answers);
        }
        agreement::judge(&mut bench.record.rows, None);
        (bench.record.clone(), bench.verdict())
    }

    #[test]
    fn one_wrong_answer_of_one_call_fails_the_command_and_is_in_every_report() {
        let (record, right) = verdict(|_| {});
        assert!(right.is_ok() && record.rows.len() == 4, "{right:?}");
        let (record, wrong) = verdict(|answers| answers[2] += 1);
        let error = wrong.expect_err("one answer is another");
        assert!(
            error.downcast_ref::<VerificationFailed>().is_some(),
            "{error}"
        );
        assert!(
            error
                .to_string()
                .contains("chain 8, random dimensions: reference on cpu gave"),
            "{error}"
        );
        let told = |write: &dyn Fn(&mut Vec<u8>) -> std::io::Result<()>| {
            let mut text = Vec::new();
            write(&mut text).expect("memory takes it");
            String::from_utf8(text).expect("it is text")
        };
        assert!(told(&|out| bench_text(&record, &[Problem::Chain], out)).contains("WRONG"));
        assert!(told(&|out| bench_json(&record, out)).contains("\"agree\":false"));
        assert!(
            told(&|out| bench_html(&record, out))
                .contains("1 of 4 rows have an answer that others do not give")
        );
    }
}
