//! Shared by the benchmarks: options, devices, inputs, timing, records.

pub mod genomes;
pub mod record;
#[cfg(feature = "gpu")]
pub mod resident;
pub mod timing;
pub mod watched;

use std::process::{ExitCode, exit};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use swath::unstable::backend::{self, Backend};
use swath::{DeviceChoice, DeviceInfo, Engine, Options, Report, Task};

pub use record::Row;
pub use swath::unstable::measure::ceiling::Work;
pub use swath::unstable::measure::inputs;
use timing::{Timed, best_of, millis};

const OPTIONS: &str = "
  --device D       the GPU, as in the command; `cpu` for none
  --only TEXT      cases whose names contain the text
  --shrink N       divides all sizes, for slow devices
  --json FILE      writes a record

The program fails if an answer is wrong or a row does not keep its bounds.";

/// One run of a benchmark.
pub struct Bench {
    /// Name of the program.
    name: &'static str,
    arguments: Vec<String>,
    gpu: Option<DeviceInfo>,
    only: Option<String>,
    shrink: usize,
    rows: Vec<Value>,
    wrong: usize,
}

/// A case that the plan of its task estimates, and its baseline; the estimate if there is none.
pub struct Call<'a> {
    pub case: &'a str,
    pub work: Work,
    /// Number of timed calls.
    pub calls: usize,
    pub baseline: Option<(&'a str, Duration)>,
}

impl Bench {
    /// Reads the arguments of the program; `own` describes its own options, one a line.
    pub fn from_arguments(name: &'static str, about: &str, own: &str) -> Self {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let usage = format!("{about}\n\nOptions:{own}{OPTIONS}");
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let known = |line: &str| line.split_whitespace().next() == Some(word);
            match word.as_str() {
                // Cargo adds it.
                "--bench" => {}
                "--help" => {
                    println!("{usage}");
                    exit(0);
                }
                _ if usage.lines().any(known) && words.next().is_some() => {}
                _ => {
                    eprintln!("'{word}' is not an option, or has no value\n{usage}");
                    exit(2);
                }
            }
        }
        let option = |name: &str| option(&arguments, name);
        let choice: DeviceChoice = option("--device")
            .unwrap_or_else(|| "auto".to_string())
            .parse()
            .unwrap_or_default();
        let gpu = swath::devices().into_iter().find(|info| match &choice {
            DeviceChoice::Auto => info.auto && info.kind != "CPU",
            DeviceChoice::Cpu => false,
            DeviceChoice::Name(part) => info.name.to_lowercase().contains(&part.to_lowercase()),
            other => info.selector == other.to_string(),
        });
        println!("device  {}", gpu.as_ref().map_or("none", |info| &info.name));
        let shrink = option("--shrink").map_or(1, |text| {
            text.parse().expect("--shrink takes a whole number")
        });
        Self {
            name,
            gpu,
            only: option("--only"),
            shrink,
            rows: Vec::new(),
            wrong: 0,
            arguments,
        }
    }

    /// Value of an option of this benchmark alone.
    pub fn option(&self, name: &str) -> Option<String> {
        option(&self.arguments, name)
    }

    /// True if a case is selected.
    pub fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only))
    }

    /// A size divided by `--shrink`.
    pub fn size(&self, full: usize) -> usize {
        (full / self.shrink).max(8)
    }

    /// The selected GPU, if any.
    pub fn gpu(&self) -> Option<&DeviceInfo> {
        self.gpu.as_ref()
    }

    fn choice(&self) -> Option<DeviceChoice> {
        Some(self.gpu.as_ref()?.selector.parse().unwrap_or_default())
    }

    /// An engine on the GPU.
    pub fn engine(&self) -> Option<Engine> {
        self.engine_with(Options::default())
    }

    /// An engine on the GPU with other options.
    pub fn engine_with(&self, mut options: Options) -> Option<Engine> {
        options.device = self.choice()?;
        Some(Engine::new(options).unwrap_or_else(|error| panic!("{error}")))
    }

    /// The GPU as a freshly opened backend.
    pub fn backend(&self) -> Option<Arc<dyn Backend>> {
        let choice = self.choice()?;
        let chosen = backend::choose(&choice)
            .ok()
            .flatten()
            .unwrap_or_else(|| panic!("{choice} is gone"));
        let opened = chosen.open(false, false);
        Some(opened.unwrap_or_else(|error| panic!("{error}")))
    }

    /// Times calls of a task, and records the row. Does nothing unless the case is selected.
    pub fn measure<T: Task>(
        &mut self,
        engine: &Engine,
        call: &Call<'_>,
        task: &T,
        right: impl FnOnce(&Report<T::Answer>) -> bool,
    ) {
        if self.wants(call.case) {
            let timed = best_of(call.calls, || engine.run(task));
            self.measured(engine, call, task, &timed, right(&timed.answer));
        }
    }

    /// Records calls of a task.
    pub fn measured<T: Task>(
        &mut self,
        engine: &Engine,
        call: &Call<'_>,
        task: &T,
        timed: &Timed<Report<T::Answer>>,
        right: bool,
    ) {
        let plan = engine.plan(task).unwrap_or_else(|error| panic!("{error}"));
        let run = &timed.answer.run;
        let row = Row::of(call.case, timed.times(), run, call.work, right);
        self.row(Row {
            baseline: call.baseline.or(Some(("its plan", plan.expected))),
            remark: format!(
                "{}, {:.1} % of the cells, {:.3} ms expected",
                run.method,
                100.0 * run.computed_cells as f64 / run.cells as f64,
                millis(plan.expected)
            ),
            members: json!({
                "method": run.method, "expected_seconds": plan.expected.as_secs_f64(),
                "computed_cells": run.computed_cells, "tile": plan.tile, "passes": plan.passes,
            }),
            ..row
        });
    }

    /// Prints and records a row.
    pub fn row(&mut self, row: Row<'_>) {
        println!("{}", row.text());
        self.keep(row.json(), row.right);
    }

    /// Records a row with members of its own, which fails the benchmark unless `right`.
    pub fn keep(&mut self, row: Value, right: bool) {
        self.rows.push(row);
        self.wrong += usize::from(!right);
    }

    /// Writes the record; fails if any row is wrong.
    pub fn finish(self) -> ExitCode {
        if let Some(file) = self.option("--json") {
            let record = json!({
                "schema": record::SCHEMA,
                "command": record::command(self.name, &self.arguments),
                "commit": option_env!("SWATH_COMMIT").or(std::env::var("SWATH_COMMIT").ok().as_deref()),
                "device": self.gpu.as_ref().map(|info| &info.name),
                "driver": self.gpu.as_ref().map(|info| &info.driver),
                "rows": self.rows,
            });
            std::fs::write(&file, record::text(&record))
                .unwrap_or_else(|error| panic!("cannot write {file}: {error}"));
        }
        println!("{} rows, {} of them failed", self.rows.len(), self.wrong);
        ExitCode::from(u8::from(self.wrong > 0))
    }
}

/// An engine on the CPU; `None` uses all threads.
pub fn native(threads: Option<usize>) -> Engine {
    let mut options = Options::default();
    (options.device, options.threads) = (DeviceChoice::Cpu, threads);
    Engine::new(options).unwrap_or_else(|error| panic!("{error}"))
}

fn option(arguments: &[String], name: &str) -> Option<String> {
    let place = arguments.iter().position(|word| word == name)?;
    arguments.get(place + 1).cloned()
}
