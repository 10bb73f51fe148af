//! `swath bench`.

pub mod case;
mod papers;
mod record;
mod runner;
mod table;

use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use swath::{Control, DeviceChoice, DeviceInfo, Engine, Error};

use crate::args::BenchArgs;
use crate::exit::VerificationFailed;
use crate::interrupt::Interrupt;
use crate::output::{self, OutputFile};
use crate::progress::Reporter;
use case::{Case, Inputs, Problem, Texts};
use record::{Device, Outcome, Record, bench_json};
use runner::{Repeats, Runner, disagreements, judge};
use table::{bench_html, bench_text};

/// Measures, prints and draws; an answer that differs from the others' fails the command.
pub fn run(args: &BenchArgs) -> anyhow::Result<()> {
    let outputs = Outputs::check(args)?;
    let problems = problems(args)?;
    let opened = open(args)?;
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
        problems.retain(|&problem| !case::of_paper(problem).is_empty());
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
                true => (problem, case::of_paper(problem)),
                false => (problem, case::of_problem(problem, args.quick, args.shrink)),
            })
            .collect();
        let mut texts = Texts::default();
        for (place, (problem, cases)) in all.iter().enumerate() {
            let methods = if args.paper {
                case::methods_of_paper(*problem)
            } else {
                case::methods(*problem)
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
        judge(&mut ran.rows, known);
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
            bench_text(record, &[problem], out)
        })
    }

    /// How the command ends.
    fn verdict(self) -> anyhow::Result<()> {
        let selector = |row: &_| self.record.selector(row).to_string();
        let wrong = disagreements(&self.record.rows, selector);
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

/// A device with its engine.
pub struct Opened {
    pub engine: Engine,
    pub listed: DeviceInfo,
}

impl Opened {
    /// Whether it is the native code.
    pub fn is_cpu(&self) -> bool {
        self.listed.kind == "CPU"
    }

    /// As reports name it.
    pub fn device(&self) -> Device {
        let DeviceInfo {
            selector,
            name,
            kind,
            driver,
            ..
        } = self.listed.clone();
        Device {
            selector,
            name,
            kind,
            driver,
        }
    }
}

/// The devices that are asked for, each once; by default the CPU, and the GPU that `auto` would open.
///
/// # Errors
/// What opening one of them returns.
pub fn open(args: &BenchArgs) -> anyhow::Result<Vec<Opened>> {
    let listed = swath::devices();
    let by_default = [DeviceChoice::Cpu, DeviceChoice::Auto];
    let choices = if args.devices.is_empty() {
        &by_default[..]
    } else {
        &args.devices
    };
    let mut opened: Vec<Opened> = Vec::new();
    for choice in choices {
        let found = listed.iter().find(|info| matches(choice, info));
        if found.is_some_and(|info| {
            opened
                .iter()
                .any(|other| other.listed.selector == info.selector)
        }) {
            continue;
        }
        let choice = found
            .and_then(|info| info.selector.parse().ok())
            .unwrap_or_else(|| choice.clone());
        // Of a name that nothing has, the engine tells what there is.
        let engine = Engine::new(args.allowed.options(choice))?;
        opened.extend(found.map(|info| Opened {
            engine,
            listed: info.clone(),
        }));
    }
    Ok(opened)
}

/// Whether it is the device that is meant.
fn matches(choice: &DeviceChoice, info: &DeviceInfo) -> bool {
    match choice {
        DeviceChoice::Auto => info.auto,
        DeviceChoice::Name(part) => info.name.to_lowercase().contains(&part.to_lowercase()),
        other => info.selector == other.to_string(),
    }
}

/// A file, or stdout.
enum Place {
    Stdout,
    File(OutputFile),
}

/// What is written where, beside the tables.
pub struct Outputs {
    json: Option<Place>,
    html: Option<Place>,
}

impl Outputs {
    /// Fails early where something could not be written after the work.
    pub fn check(args: &BenchArgs) -> anyhow::Result<Self> {
        let place = |option: &str, path: &Path| match output::is_stdout(path) {
            true => Ok(Place::Stdout),
            false => OutputFile::check(option, path, []).map(Place::File),
        };
        let json = args
            .json
            .as_deref()
            .map(|path| place("--json", Path::new(path)))
            .transpose()?;
        let html = args
            .html
            .as_deref()
            .map(|path| place("--html", path))
            .transpose()?;
        if args.json.is_some() && args.json.as_deref().map(Path::new) == args.html.as_deref() {
            bail!("--json and --html would both write to the same place; name two files");
        }
        Ok(Self { json, html })
    }

    /// Whether stdout is free for tables.
    pub fn prints_tables(&self) -> bool {
        ![&self.json, &self.html]
            .iter()
            .any(|place| matches!(place, Some(Place::Stdout)))
    }

    /// Writes all of it.
    pub fn write(&self, record: &Record, interrupt: &Interrupt) -> anyhow::Result<()> {
        type Write = fn(&Record, &mut dyn std::io::Write) -> std::io::Result<()>;
        for (place, write) in [
            (&self.json, bench_json as Write),
            (&self.html, bench_html as Write),
        ] {
            match place {
                None => {}
                Some(Place::Stdout) => {
                    interrupt.ending_at_once(|| output::to_stdout(|out| write(record, out)))?
                }
                Some(Place::File(file)) => {
                    let mut writing = file.begin(interrupt)?;
                    writing.put(|out| write(record, out))?;
                    writing.finish()?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use swath::CancelHandle;

    use super::*;
    use crate::args;

    /// A run of the smallest chains, whose answers `tamper` changes before they are judged.
    fn verdict(tamper: impl Fn(&mut [u64])) -> (Record, anyhow::Result<()>) {
        let args = args::bench_of(
            ["chain", "--quick", "--shrink", "64", "--device", "cpu"].map(OsStr::new),
        );
        let (outputs, opened) = (
            Outputs::check(&args).expect("nothing is written"),
            open(&args).expect("the CPU"),
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
        let case = case::of_problem(Problem::Chain, true, args.shrink)[0];
        let control = Control::new(CancelHandle::new(), None);
        bench.measure_case(
            &runner,
            &case,
            (&case::methods(Problem::Chain), &mut Texts::default()),
            &control,
        );
        let last = bench.record.rows.last_mut().expect("there are rows");
        if let Outcome::Measured(measured) = &mut last.outcome {
            tamper(&mut measured.answers);
        }
        judge(&mut bench.record.rows, None);
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
