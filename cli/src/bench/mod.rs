//! `swath bench`.

mod beside;
pub mod case;
mod measured;
mod page;
mod papers;
mod record;
mod runner;
#[cfg(test)]
mod samples;
mod table;

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use swath::{Control, DeviceChoice, DeviceInfo, Engine, Error};

use crate::args::BenchArgs;
use crate::exit::Failure;
use crate::interrupt::Interrupt;
use crate::output::{self, OutputFile};
use crate::progress::Reporter;
use crate::report::between;
use case::{Case, Inputs, Problem};
use page::{bench_html, bench_text};
use record::{Device, Outcome, Record, bench_json};
use runner::{BenchDevice, MIN_REPEATS, Runner, disagreements, judge};

pub fn run(args: &BenchArgs) -> anyhow::Result<()> {
    let outputs = Outputs::check(args)?;
    let problems = problems(args)?;
    let opened = open(args)?;
    let runner = Runner {
        devices: &opened,
        time: Duration::from_millis(if args.quick { 150 } else { 1000 }),
        limit: args.limit,
        clock_ghz: args.clock_ghz,
        dry_run: args.dry_run,
    };
    let interrupt = Interrupt::install()?;
    let progress = Reporter::new(args.progress.when);
    let mut bench = Bench {
        record: record(args, &opened, &problems),
        failed: None,
        outputs: &outputs,
    };
    bench.measure(args, &runner, &problems, &interrupt, &progress)?;
    if bench.record.complete {
        progress.finish();
    } else {
        drop(progress);
    }
    if args.dry_run && outputs.prints_tables() {
        output::to_stdout(|out| writeln!(out, "\n{}", expectation(&bench.record, runner.time)))?;
    }
    outputs.write(&bench.record, &interrupt.for_the_rest())?;
    bench.verdict()
}

fn problems(args: &BenchArgs) -> anyhow::Result<Vec<Problem>> {
    let mut problems = args.problems();
    if args.paper {
        problems.retain(|&problem| !papers::cases(problem).is_empty());
        if problems.is_empty() {
            bail!(
                "--paper: no paper of the baselines has a table of sorts; leave it out, or name another problem"
            );
        }
    }
    Ok(problems)
}

fn record(args: &BenchArgs, opened: &[BenchDevice], problems: &[Problem]) -> Record {
    let words = std::env::args_os().skip(1);
    let words = words.map(|word| word.to_string_lossy().into_owned());
    let device = |opened: &BenchDevice| Device {
        selector: opened.listed.selector.clone(),
        name: opened.listed.name.clone(),
        kind: opened.listed.kind,
        driver: opened.listed.driver.clone(),
        threads: opened.threads,
    };
    let papers = if args.paper { problems } else { &[] };
    Record {
        command: std::iter::once("swath".into()).chain(words).collect(),
        limit: args.limit,
        devices: opened.iter().map(device).collect(),
        rows: Vec::new(),
        papers: papers.to_vec(),
        complete: true,
    }
}

fn expectation(record: &Record, repeats: Duration) -> String {
    let expected = record.rows.iter().filter_map(|row| match row.outcome {
        Outcome::Expected(time) if time <= record.limit => Some(
            time.saturating_mul(1 + MIN_REPEATS as u32)
                .max(time.saturating_add(repeats)),
        ),
        _ => None,
    });
    let (rows, run) = (record.rows.len(), expected.clone().count());
    let minutes = (expected.map(|time| time.as_secs_f64()).sum::<f64>() / 60.0).ceil();
    format!("{run} of {rows} rows would be measured, in about {minutes} min")
}

struct Bench<'a> {
    record: Record,
    failed: Option<Error>,
    outputs: &'a Outputs,
}

impl Bench<'_> {
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
            .map(|&problem| {
                let cases = if args.paper {
                    papers::cases(problem)
                } else {
                    case::of_problem(problem, args.quick, args.shrink)
                };
                (problem, cases.into_iter().skip(args.skip).collect())
            })
            .collect();
        for (index, (problem, cases)) in all.iter().enumerate() {
            let methods = if args.paper {
                papers::methods(*problem)
            } else {
                case::methods(*problem)
            };
            // Problems take similar times, mostly for their large cases.
            let weights: Vec<f64> = cases.iter().map(|case| case.extent().sqrt()).collect();
            let share = |done: usize| {
                let within = weights[..done].iter().sum::<f64>() / weights.iter().sum::<f64>();
                (index as f64 + within) / all.len() as f64
            };
            for (done, case) in cases.iter().enumerate() {
                let control = progress.control(interrupt);
                let control = control.part(share(done), share(done + 1));
                self.measure_case(runner, case, &methods, &control);
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
        methods: &[&'static str],
        control: &Control,
    ) {
        let inputs = Inputs::of(case);
        let mut ran = runner.case(case, &inputs, methods, &self.record.rows, control);
        let known = (!runner.dry_run).then(|| inputs.known_answer());
        judge(&mut ran.rows, known.flatten());
        self.record.rows.append(&mut ran.rows);
        self.record.complete &= !ran.is_cancelled;
        if let Some(error) = ran.failed {
            self.failed.get_or_insert(error);
        }
    }

    fn print(&self, problem: Problem) -> anyhow::Result<()> {
        let record = &self.record;
        output::to_stdout(|out| {
            let first = record.rows.first().map(|row| row.case.problem);
            between(first.is_some_and(|first| first != problem), out)?;
            bench_text(record, &[problem], out)
        })
    }

    fn verdict(self) -> anyhow::Result<()> {
        let label = |row: &_| self.record.device(row).label();
        let wrong = disagreements(&self.record.rows, label);
        if !wrong.is_empty() {
            let message = wrong.join("; ");
            return Err(Failure::Verification(format!(
                "answers differ: {message}; compare with `swath selftest`"
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

/// Opens the requested devices once each; default: the CPU and the GPU of `auto`.
fn open(args: &BenchArgs) -> anyhow::Result<Vec<BenchDevice>> {
    let listed = swath::devices();
    let by_default = [DeviceChoice::Cpu, DeviceChoice::Auto];
    let choices = if args.devices.is_empty() {
        &by_default[..]
    } else {
        &args.devices
    };
    let mut opened: Vec<BenchDevice> = Vec::new();
    for choice in &single(choices, &listed) {
        let found = listed.iter().find(|info| matches(choice, info));
        let is_found =
            |other: &BenchDevice| Some(&other.listed.selector) == found.map(|info| &info.selector);
        if opened.iter().any(is_found) {
            continue;
        }
        let choice = match found {
            Some(info) => info.selector.parse()?,
            None => choice.clone(),
        };
        let is_scaled = args.scaling && found.is_some_and(|info| info.kind == "CPU");
        for threads in numbers_of_threads(is_scaled.then(|| args.allowed.threads())) {
            let mut options = args.allowed.options(choice.clone());
            options.threads = threads.or(options.threads);
            // For an unknown name, the engine's error lists the devices.
            let engine = Engine::new(options)?;
            opened.extend(found.map(|info| BenchDevice {
                engine,
                listed: info.clone(),
                threads,
            }));
        }
    }
    Ok(opened)
}

/// The powers of two below `most`, and `most`; without it one entry, which forces no number.
fn numbers_of_threads(most: Option<usize>) -> Vec<Option<usize>> {
    let powers = (0..usize::BITS).map(|power| 1 << power);
    let fewer = powers.take_while(|&threads| most.is_some_and(|most| threads < most));
    fewer.map(Some).chain([most]).collect()
}

/// A choice for each device of choices that mean several.
fn single(choices: &[DeviceChoice], listed: &[DeviceInfo]) -> Vec<DeviceChoice> {
    let of = |choice: &DeviceChoice| match choice {
        DeviceChoice::Several(choices) => single(choices, listed),
        DeviceChoice::All(interface) => {
            let start = format!("{interface}:");
            let all = listed
                .iter()
                .filter(|info| info.selector.starts_with(&start));
            let all = all.filter(|info| info.kind.ends_with("GPU"));
            let Ok(all) = all
                .map(|info| info.selector.parse())
                .collect::<Result<Vec<_>, _>>();
            // The engine's error lists the devices.
            if all.is_empty() {
                vec![choice.clone()]
            } else {
                all
            }
        }
        single => vec![single.clone()],
    };
    choices.iter().flat_map(of).collect()
}

fn matches(choice: &DeviceChoice, info: &DeviceInfo) -> bool {
    match choice {
        DeviceChoice::Auto => info.auto,
        DeviceChoice::Name(part) => info.name.to_lowercase().contains(&part.to_lowercase()),
        other => info.selector == other.to_string(),
    }
}

type Format = fn(&Record, &mut dyn Write) -> io::Result<()>;

/// Further formats with their files; `None` is stdout.
struct Outputs(Vec<(Format, Option<OutputFile>)>);

impl Outputs {
    fn check(args: &BenchArgs) -> anyhow::Result<Self> {
        let (json, html) = (args.json.as_deref().map(Path::new), args.html.as_deref());
        if json.is_some() && json == html {
            bail!("--json and --html would both write to the same place; name two files");
        }
        let mut outputs = Vec::new();
        for (option, path, format) in [
            ("--json", json, bench_json as Format),
            ("--html", html, bench_html),
        ] {
            let Some(path) = path else { continue };
            let file = if output::is_stdout(path) {
                None
            } else {
                Some(OutputFile::check(option, path, [])?)
            };
            outputs.push((format, file));
        }
        Ok(Self(outputs))
    }

    fn prints_tables(&self) -> bool {
        self.0.iter().all(|(_, file)| file.is_some())
    }

    fn write(&self, record: &Record, interrupt: &Interrupt) -> anyhow::Result<()> {
        let written = self.0.iter().map(|(format, file)| match file {
            None => interrupt.ending_at_once(|| output::to_stdout(|out| format(record, out))),
            Some(file) => file.write(interrupt, |out| format(record, out)),
        });
        written.reduce(Result::and).unwrap_or(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::samples;
    use super::*;

    #[test]
    fn one_wrong_answer_of_one_call_fails_the_command_and_is_in_every_report() {
        let [right, mut wrong] = [samples::measured(), samples::measured()];
        wrong.answers = vec![7, 8];
        wrong.ran.0 = "reference";
        let mut record = samples::record([right, wrong].map(samples::row).to_vec());
        let verdict = |record: &Record| {
            let bench = Bench {
                record: record.clone(),
                failed: None,
                outputs: &Outputs(Vec::new()),
            };
            bench.verdict()
        };
        assert!(verdict(&record).is_ok());
        judge(&mut record.rows, None);
        let error = verdict(&record).expect_err("one answer is another");
        assert!(error.downcast_ref::<Failure>().is_some());
        let expected = "lcs 10 x 10, 4 letters: bit-parallel on cpu gave 7, 8; others gave 7";
        assert!(error.to_string().contains(expected), "{error}");
        let written = |write: Format| {
            let mut text = Vec::new();
            write(&record, &mut text).expect("memory takes it");
            String::from_utf8(text).expect("it is text")
        };
        let tables: Format = |record, out| bench_text(record, &[Problem::Lcs], out);
        assert!(written(tables).contains("WRONG"));
        assert!(written(bench_json).contains("\"agree\":false"));
        let wrong = "1 of 2 rows have an answer that others do not give";
        assert!(written(bench_html).contains(wrong));
    }
}
