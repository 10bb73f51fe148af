//! Shared by the benchmarks: options, devices, inputs, timing, records.
//!
//! `--device D` selects the GPU as in the command. `--only NAME` selects cases by substring.
//! `--shrink N` divides all sizes by N, for slow devices. `--clock-ghz F` is the clock for the
//! integer ceiling. `--json FILE` writes the record. `--against FILE` compares every case with an
//! earlier record.

#[path = "../../tests/support/calls.rs"]
pub mod calls;
pub mod genomes;
pub mod reads;
pub mod record;
#[cfg(feature = "gpu")]
pub mod resident;
pub mod supersequences;
pub mod timing;
pub mod watched;

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use swath::unstable::backend::{self, Backend};
use swath::{DeviceChoice, DeviceInfo, Engine, Options};

use record::Row;
pub use swath::unstable::measure::{ceiling, inputs};

/// One run of a benchmark.
pub struct Bench {
    arguments: Vec<String>,
    gpu: Option<DeviceInfo>,
    clock_ghz: f64,
    only: Option<String>,
    shrink: usize,
    /// An earlier record to compare with.
    against: Option<Value>,
    rows: Vec<Value>,
    wrong: usize,
}

impl Bench {
    pub fn from_arguments() -> Self {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
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
        let clock_ghz = option("--clock-ghz").map_or(1.98, |text| {
            text.parse().expect("--clock-ghz takes a number")
        });
        let shrink = option("--shrink").map_or(1, |text| {
            text.parse().expect("--shrink takes a whole number")
        });
        let against = option("--against").map(|file| record::read(&file));
        let only = option("--only");
        Self {
            arguments,
            gpu,
            clock_ghz,
            only,
            shrink,
            against,
            rows: Vec::new(),
            wrong: 0,
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

    /// An engine on the GPU.
    pub fn engine(&self) -> Option<Engine> {
        self.gpu
            .as_ref()
            .map(|info| engine(info.selector.parse().unwrap_or_default(), None))
    }

    /// The GPU as a freshly opened backend.
    pub fn backend(&self) -> Option<Arc<dyn Backend>> {
        let choice = self.gpu.as_ref()?.selector.parse().unwrap_or_default();
        let chosen = backend::choose(&choice)
            .ok()
            .flatten()
            .unwrap_or_else(|| panic!("{choice} is gone"));
        Some(
            chosen
                .open(false, false)
                .unwrap_or_else(|error| panic!("{error}")),
        )
    }

    /// Numeric capability of the GPU, by name.
    pub fn capability(&self, name: &str) -> Option<f64> {
        ceiling::capability(self.gpu.as_ref()?, name)
    }

    /// Prints and records a row.
    pub fn row(&mut self, row: Row<'_>) {
        let share = self.gpu.as_ref().filter(|_| row.device != "cpu");
        let share = share.and_then(|gpu| ceiling::ceiling(row.work, gpu, Some(self.clock_ghz)));
        let share = share.map(|max| row.computed as f64 / row.best().as_secs_f64() / max);
        self.wrong += usize::from(!row.right);
        println!("{}", row.text(share));
        if let Some(recorded) = self
            .against
            .as_ref()
            .and_then(|record| record::seconds(record, row.case))
        {
            println!(
                "    {:.2}x the record's {:.2} ms",
                row.best().as_secs_f64() / recorded,
                1e3 * recorded
            );
        }
        self.rows.push(row.json(share));
    }

    /// Records a custom row.
    pub fn keep(&mut self, row: Value) {
        self.rows.push(row);
    }

    /// Marks a custom row as failed unless `right`.
    pub fn require(&mut self, right: bool) {
        self.wrong += usize::from(!right);
    }

    /// Writes the record; fails if any row is wrong.
    pub fn finish(self) -> ExitCode {
        let file = self
            .arguments
            .iter()
            .position(|word| word == "--json")
            .and_then(|at| self.arguments.get(at + 1));
        if let Some(file) = file {
            let record = json!({
                "schema": record::SCHEMA,
                "command": record::command(env!("CARGO_CRATE_NAME"), &self.arguments),
                "commit": option_env!("SWATH_COMMIT").or(std::env::var("SWATH_COMMIT").ok().as_deref()),
                "device": self.gpu.as_ref().map(|info| &info.name),
                "driver": self.gpu.as_ref().map(|info| &info.driver),
                "clock_ghz": self.clock_ghz,
                "rows": self.rows,
            });
            std::fs::write(file, record::text(&record))
                .unwrap_or_else(|error| panic!("cannot write {file}: {error}"));
        }
        if self.wrong == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}

/// An engine on the CPU; `None` uses all threads.
pub fn native(threads: Option<usize>) -> Engine {
    engine(DeviceChoice::Cpu, threads)
}

fn engine(device: DeviceChoice, threads: Option<usize>) -> Engine {
    let mut options = Options::default();
    (options.device, options.threads) = (device, threads);
    Engine::new(options).unwrap_or_else(|error| panic!("{error}"))
}

fn option(arguments: &[String], name: &str) -> Option<String> {
    let place = arguments.iter().position(|word| word == name)?;
    arguments.get(place + 1).cloned()
}
